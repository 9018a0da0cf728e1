"""A Bot API server for tests, as strict as Telegram's: it refuses what Telegram refuses.

Users speak through it (`say`, `press`, `edit`, `send_media`, `block`), and what the bot sends is kept in `messages`.
Faults can be ordered for the next calls of a method (`fail`).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import tornado.web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from tests.telegram_methods import BOT, BotMethods
from tests.telegram_rules import ApiError, Fault, Message, entities_of

STRUCTURED = {"reply_markup", "commands", "allowed_updates", "link_preview_options"}
TOKEN = "123456:TEST-token_of_the_strict_server"


class TelegramServer(BotMethods):
    """What users do, and what tests look at."""

    # ---------------------------------------------------------------------------------------------- what users do

    def user(self, number: int, language: str | None = "en") -> dict[str, Any]:
        known = {"language_code": language} if language else {}
        return {"id": number, "is_bot": False, "first_name": f"User {number}", **known}

    def private(self, number: int) -> dict[str, Any]:
        return {"id": number, "type": "private", "first_name": f"User {number}"}

    async def say(
        self, user: int, text: str, *, chat: dict[str, Any] | None = None, language: str | None = "en", **more: Any
    ) -> int:
        """A user writes; gives the update id."""
        entities = entities_of(text)
        message = self._message(user, chat, language, text=text, **({"entities": entities} if entities else {}), **more)
        return await self._push("message", message)

    async def send_media(self, user: int, kind: str = "sticker", **more: Any) -> int:
        content: Any = {
            "file_id": "x",
            "file_unique_id": "x",
            "width": 1,
            "height": 1,
            "is_animated": False,
            "is_video": False,
            "type": "regular",
            "duration": 1,
        }
        message = self._message(user, None, "en", **{kind: [content] if kind == "photo" else content}, **more)
        return await self._push("message", message)

    async def edit(self, user: int, text: str) -> int:
        return await self._push(
            "edited_message", {**self._message(user, None, "en", text=text), "edit_date": 1_700_000_100}
        )

    async def press(self, user: int, message: Message, label: str, *, language: str = "en") -> int:
        data = next(b["callback_data"] for row in message.buttons for b in row if b["text"] == label)
        return await self.press_data(user, message, data, language=language)

    async def press_data(
        self, user: int, message: Message, data: str, *, language: str = "en", expired: bool = False
    ) -> int:
        query = f"q{len(self._queries)}"
        self._queries[query] = not expired
        chat = self._chats[message.chat]
        shown = {
            "message_id": message.id,
            "date": 1_700_000_000,
            "chat": chat,
            "text": message.text or "x",
            "from": BOT,
        }
        if message.buttons:
            shown["reply_markup"] = {"inline_keyboard": message.buttons}
        value = {"id": query, "from": self.user(user, language), "chat_instance": "1", "data": data, "message": shown}
        return await self._push("callback_query", value)

    async def block(self, user: int, *, blocked: bool = True) -> None:
        self._blocked.add(user) if blocked else self._blocked.discard(user)
        states = ["member", "kicked"] if blocked else ["kicked", "member"]
        old, new = ({"user": BOT, "status": state, "until_date": 0} for state in states)
        value = {
            "chat": self.private(user),
            "from": self.user(user),
            "date": 1_700_000_000,
            "old_chat_member": old,
            "new_chat_member": new,
        }
        await self._push("my_chat_member", value)

    async def push_raw(self, update: dict[str, Any]) -> None:
        await self._deliver(update)

    def _message(self, user: int, chat: dict[str, Any] | None, language: str | None, **content: Any) -> dict[str, Any]:
        self._message_id += 1
        chat = chat or self.private(user)
        self._chats[chat["id"]] = chat
        return {
            "message_id": self._message_id,
            "date": 1_700_000_000,
            "chat": chat,
            "from": self.user(user, language),
            **content,
        }

    async def _push(self, kind: str, value: dict[str, Any]) -> int:
        self._update_id += 1
        await self._deliver({"update_id": self._update_id, kind: value})
        return self._update_id

    async def _deliver(self, update: dict[str, Any]) -> None:
        async with self._changed:
            self._updates.append(update)
            self._changed.notify_all()
        if self.webhook:
            task = asyncio.create_task(self._call_webhook(update))
            self._pushing.add(task)
            task.add_done_callback(self._pushing.discard)

    # --------------------------------------------------------------------------------------- what tests look at

    async def answers(self, chat: int, count: int, seconds: float = 60) -> list[Message]:
        """The first `count` messages to a chat, as soon as they are there."""
        return (
            await self.wait_for(
                lambda: [m for m in self.messages if m.chat == chat], lambda found: len(found) >= count, seconds
            )
        )[:count]

    async def wait_for(self, look: Callable[[], Any], enough: Callable[[Any], bool], seconds: float = 60) -> Any:
        async with asyncio.timeout(seconds), self._changed:
            while not enough(look()):
                await self._changed.wait()
        return look()

    async def idle(self, seconds: float = 60) -> None:
        """Until the bot has confirmed every update."""
        await self.wait_for(lambda: len(self._updates), lambda left: left == 0, seconds)

    def fail(self, method: str, *faults: Fault) -> None:
        self._faults[method].extend(faults)

    def count(self, method: str) -> int:
        return sum(name == method for name, _ in self.calls)


class _Handler(tornado.web.RequestHandler):
    def initialize(self, server: TelegramServer) -> None:
        self._server = server

    async def post(self, token: str, method: str) -> None:
        try:
            if token != TOKEN:
                raise ApiError(401, "Unauthorized")
            result = await self._server.call(method, self._values(), self._files())
            self.finish({"ok": True, "result": result})
        except ApiError as error:
            if error.code == 400:
                self._server.refused.append(f"{method}: {error.description}")
            self.set_status(error.code)
            body: dict[str, Any] = {"ok": False, "error_code": error.code, "description": error.description}
            self.finish({**body, **({"parameters": error.parameters} if error.parameters else {})})
        except ConnectionError:
            self.request.connection.stream.close()  # type: ignore[union-attr]

    get = post

    def _values(self) -> dict[str, Any]:
        if self.request.headers.get("Content-Type", "").startswith("application/json"):
            return json.loads(self.request.body)
        values = {name: parts[-1].decode() for name, parts in self.request.arguments.items()}
        return {name: json.loads(value) if name in STRUCTURED else value for name, value in values.items()}

    def _files(self) -> dict[str, bytes]:
        return {name: files[0]["body"] for name, files in self.request.files.items()}


@asynccontextmanager
async def telegram_server(state: TelegramServer | None = None) -> AsyncIterator[TelegramServer]:
    state = state or TelegramServer()
    server = HTTPServer(tornado.web.Application([(r"/bot([^/]+)/(\w+)", _Handler, {"server": state})]))
    sockets = bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    state.url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    try:
        yield state
    finally:
        state.webhook = None
        for task in state._pushing:
            task.cancel()
        server.stop()
        await server.close_all_connections()
