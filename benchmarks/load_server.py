"""The strict Bot API server of the tests, for many turns: it keeps little, and calls the workers in turn."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from bot.channels.telegram.server import SECRET_HEADER
from tests.telegram_methods import BOT
from tests.telegram_rules import Message, as_json, check_keyboard
from tests.telegram_server import TelegramServer

SECRET = "a-secret-for-the-load-test"
PATH = "/telegram"
MOST_CALLS = 100
"""Telegram calls webhooks at most so often at once, as the bot asks; further updates wait."""


class LoadServer(TelegramServer):
    """Calls the workers' webhooks in turn, and keeps the last message of each chat only.

    Attributes:
        last: the last message to each chat.
        sent: messages sent to each chat.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        super().__init__()
        self.last: dict[int, Message] = {}
        self.sent: Counter[int] = Counter()
        self._workers = cycle([Worker(port) for port in ports])
        self._places = asyncio.Semaphore(MOST_CALLS)

    async def call(self, method: str, values: dict[str, Any], files: dict[str, bytes]) -> Any:
        """Runs a method; nothing of the call is kept."""
        result = await super().call(method, values, files)
        self.calls.clear()
        return result

    async def _do_setWebhook(self, _values: Any, _files: Any) -> Any:  # noqa: N802 - named by the Bot API
        return True

    async def _deliver(self, update: dict[str, Any]) -> None:
        """Returns when a worker has dealt with the update: its answers are sent by then."""
        async with self._places:
            status = await next(self._workers).post(json.dumps(update).encode())
        if status != 200:
            raise RuntimeError(f"a worker answered {status} to an update")

    async def _sent(self, values: dict[str, Any], kind: str, text: str, links: list[str], **_more: Any) -> Any:
        chat = self._chat(values)
        buttons = values.get("reply_markup", {}).get("inline_keyboard", [])
        check_keyboard(buttons)
        self._message_id += 1
        message = self.last[chat] = Message(chat, self._message_id, kind, text, buttons, links=links)
        self.sent[chat] += 1
        return {**as_json(message), "chat": self._chats[chat], "from": BOT}


class Worker:
    """Sends updates to one worker over as many connections as are in use at once, which it keeps."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def post(self, body: bytes) -> int:
        """Posts an update; gives the status."""
        connection = self._idle.pop() if self._idle else await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = connection
        head = (
            f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"{SECRET_HEADER}: {SECRET}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        status, headers = _parsed(await reader.readuntil(b"\r\n\r\n"))
        await reader.readexactly(int(headers["content-length"]))
        self._idle.append(connection)
        return status


def _parsed(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    headers: dict[str, str] = defaultdict(lambda: "0")
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.casefold()] = value.strip()
    return int(first.split()[1]), headers
