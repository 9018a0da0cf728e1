"""A Bot API server for tests, as strict as Telegram's: it refuses what Telegram refuses.

Users speak through it (`say`, `press`, `edit`, `send_media`, `block`), and what the bot sends is kept in `messages`.
Faults can be ordered for the next calls of a method (`fail`).
"""

import asyncio
import json
import re
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import tornado.web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from tests.telegram_rules import ApiError, Fault, Message, as_json, check_keyboard, entities_of, parse_html, units

STRUCTURED = {"reply_markup", "commands", "allowed_updates", "link_preview_options"}
TOKEN = "123456:TEST-token_of_the_strict_server"
BOT = {"id": 123456, "is_bot": True, "first_name": "Converse", "username": "converse_test_bot"}


class TelegramServer:
    """The state of the server, and what users do."""

    def __init__(self) -> None:
        self.url = ""
        self.messages: list[Message] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.commands: dict[str, list[dict[str, str]]] = {}
        self.webhook: dict[str, Any] | None = None
        self.refused: list[str] = []
        self.unfetchable: set[str] = set()
        self._updates: deque[dict[str, Any]] = deque()
        self._update_id = 1000
        self._message_id = 0
        self._queries: dict[str, bool] = {}
        self._blocked: set[int] = set()
        self._chats: dict[int, dict[str, Any]] = {}
        self._faults: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._poll: asyncio.Event | None = None
        self._changed = asyncio.Condition()
        self._pushing: set[asyncio.Task[None]] = set()

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

    async def _call_webhook(self, update: dict[str, Any]) -> None:
        hook = self.webhook or {}
        headers = {"X-Telegram-Bot-Api-Secret-Token": hook.get("secret_token", "")}
        async with httpx.AsyncClient(trust_env=False, timeout=30) as client:
            while self.webhook:
                try:
                    response = await client.post(hook["url"], json=update, headers=headers)
                    if response.status_code == 200:
                        await self._confirmed(update)
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.1)

    async def _confirmed(self, update: dict[str, Any]) -> None:
        async with self._changed:
            self._updates.remove(update)
            self._changed.notify_all()

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

    # ----------------------------------------------------------------------------------------------- the methods

    async def call(self, method: str, values: dict[str, Any], files: dict[str, bytes]) -> Any:
        self.calls.append((method, values))
        fault = self._faults[method].popleft() if self._faults[method] else None
        handler = getattr(self, f"_do_{method}", None)
        if handler is None:
            raise ApiError(404, "Not Found")
        if fault and not fault.after:
            await self._suffer(fault)
        result = await handler(values, files)
        async with self._changed:
            self._changed.notify_all()
        if fault and fault.after:
            await self._suffer(fault)
        return result

    async def _suffer(self, fault: Fault) -> None:
        await asyncio.sleep(fault.delay)
        if fault.drop:
            raise ConnectionError
        if fault.error:
            raise fault.error

    async def _do_getMe(self, _values: Any, _files: Any) -> Any:  # noqa: N802
        return {**BOT, "can_join_groups": True, "can_read_all_group_messages": False, "supports_inline_queries": False}

    async def _do_getUpdates(self, values: Any, _files: Any) -> Any:  # noqa: N802
        if self.webhook:
            raise ApiError(
                409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first"
            )
        if self._poll is not None:
            self._poll.set()
        mine = self._poll = asyncio.Event()
        try:
            return await self._updates_from(
                int(values.get("offset", 0)), int(values.get("limit", 100)), float(values.get("timeout", 0)), mine
            )
        finally:
            if self._poll is mine:
                self._poll = None

    async def _updates_from(self, offset: int, limit: int, timeout: float, mine: asyncio.Event) -> Any:
        async with self._changed:
            while self._updates and self._updates[0]["update_id"] < offset:
                self._updates.popleft()
            self._changed.notify_all()
        deadline = asyncio.get_running_loop().time() + timeout
        while not self._updates and asyncio.get_running_loop().time() < deadline:
            if mine.is_set():
                raise ApiError(
                    409,
                    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
                )
            await asyncio.sleep(0.01)
        return list(self._updates)[:limit]

    async def _do_setWebhook(self, values: Any, _files: Any) -> Any:  # noqa: N802
        if not re.fullmatch(r"[\w-]{1,256}", values.get("secret_token", "x")):
            raise ApiError(400, "Bad Request: secret token contains unallowed characters")
        self.webhook = values
        for update in tuple(self._updates):
            await self._call_webhook(update)
        return True

    async def _do_deleteWebhook(self, _values: Any, _files: Any) -> Any:  # noqa: N802
        self.webhook = None
        return True

    async def _do_setMyCommands(self, values: Any, _files: Any) -> Any:  # noqa: N802
        commands = values["commands"]
        if len(commands) > 100 or not all(
            re.fullmatch(r"[a-z0-9_]{1,32}", c["command"]) and 1 <= len(c["description"]) <= 256 for c in commands
        ):
            raise ApiError(400, "Bad Request: BOT_COMMAND_INVALID")
        self.commands[values.get("language_code", "")] = commands
        return True

    async def _do_sendChatAction(self, values: Any, _files: Any) -> Any:  # noqa: N802
        self._chat(values)
        if values.get("action") != "typing":
            raise ApiError(400, "Bad Request: wrong parameter action in request")
        return True

    async def _do_answerCallbackQuery(self, values: Any, _files: Any) -> Any:  # noqa: N802
        if not self._queries.get(values.get("callback_query_id", ""), False):
            raise ApiError(400, "Bad Request: query is too old and response timeout expired or query id is invalid")
        self._queries[values["callback_query_id"]] = False
        return True

    async def _do_sendMessage(self, values: Any, _files: Any) -> Any:  # noqa: N802
        text, links = self._formatted(values, "text")
        if not text.strip():
            raise ApiError(400, "Bad Request: message text is empty")
        if units(text) > 4096:
            raise ApiError(400, "Bad Request: message is too long")
        return await self._sent(values, "text", text, links)

    async def _do_sendPhoto(self, values: Any, files: Any) -> Any:  # noqa: N802
        text, links = self._formatted(values, "caption")
        if units(text) > 1024:
            raise ApiError(400, "Bad Request: message caption is too long")
        photo = values.get("photo", "")
        if (
            not files
            and not photo.startswith("file-")
            and (not photo.startswith(("http://", "https://")) or photo in self.unfetchable)
        ):
            raise ApiError(400, "Bad Request: wrong file identifier/HTTP URL specified")
        return await self._sent(values, "photo", text, links, photo=photo)

    async def _do_sendDocument(self, values: Any, files: Any) -> Any:  # noqa: N802
        if not files:
            raise ApiError(400, "Bad Request: there is no document in the request")
        return await self._sent(values, "document", "", [], file=next(iter(files.values())))

    async def _do_editMessageText(self, values: Any, _files: Any) -> Any:  # noqa: N802
        text, _ = self._formatted(values, "text")
        found = next((m for m in self.messages if m.id == int(values["message_id"])), None)
        if found is None:
            raise ApiError(400, "Bad Request: message to edit not found")
        buttons = values.get("reply_markup", {}).get("inline_keyboard", [])
        if (found.text, found.buttons) == (text, buttons):
            raise ApiError(400, "Bad Request: message is not modified")
        found.text, found.buttons = text, buttons
        return self._shown(found)

    def _formatted(self, values: dict[str, Any], name: str) -> tuple[str, list[str]]:
        text = values.get(name, "")
        if values.get("parse_mode") == "HTML":
            return parse_html(text)
        if values.get("parse_mode"):
            raise ApiError(400, "Bad Request: unsupported parse_mode")
        return text, []

    def _chat(self, values: dict[str, Any]) -> int:
        if "chat_id" not in values:
            raise ApiError(400, "Bad Request: chat_id is empty")
        chat = int(values["chat_id"])
        if chat in self._blocked:
            raise ApiError(403, "Forbidden: bot was blocked by the user")
        if chat not in self._chats:
            raise ApiError(400, "Bad Request: chat not found")
        return chat

    async def _sent(self, values: dict[str, Any], kind: str, text: str, links: list[str], **more: Any) -> Any:
        chat = self._chat(values)
        buttons = values.get("reply_markup", {}).get("inline_keyboard", [])
        check_keyboard(buttons)
        self._message_id += 1
        message = Message(chat, self._message_id, kind, text, buttons, links=links, **more)
        async with self._changed:
            self.messages.append(message)
            self._changed.notify_all()
        return self._shown(message)

    def _shown(self, message: Message) -> dict[str, Any]:
        return {**as_json(message), "chat": self._chats[message.chat], "from": BOT}


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
