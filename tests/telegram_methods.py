"""The methods of the strict Bot API server of `tests.telegram_server`: what bots call, and what is refused."""

import asyncio
import re
from collections import defaultdict, deque
from typing import Any

import httpx

from tests.telegram_rules import ApiError, Fault, Message, as_json, check_keyboard, parse_html, units

BOT = {"id": 123456, "is_bot": True, "first_name": "Converse", "username": "converse_test_bot"}


class BotMethods:
    """The state of the server, and what the bot calls."""

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
