"""How fast to send: within Telegram's limits, each chat on its own."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from aiolimiter import AsyncLimiter
from telegram.error import RetryAfter
from telegram.ext import BaseRateLimiter

PRIVATE = (6, 6.0)
GROUP = (20, 60.0)
"""Most messages in so many seconds: in a private chat (one a second, in bursts), in a group."""

MOST_CHATS = 10_000
ATTEMPTS = 10
_FREE = frozenset({"sendChatAction", "answerCallbackQuery"})


class ChatRateLimiter(BaseRateLimiter[None]):
    """Delays messages of a busy chat only, and waits as long as Telegram asks when it has had enough of that chat."""

    def __init__(self, per_second: int | None) -> None:
        """Takes how many messages to send in a second in all; None leaves it to the server to say when to wait."""
        self._overall = AsyncLimiter(per_second, 1.0) if per_second else None
        self._chats: OrderedDict[int | str, AsyncLimiter] = OrderedDict()
        self._paused: dict[int | str, float] = {}

    async def initialize(self) -> None:
        """Nothing to prepare."""

    async def shutdown(self) -> None:
        """Nothing to free."""

    async def process_request(
        self,
        callback: Callable[..., Coroutine[Any, Any, Any]],
        args: Any,
        kwargs: dict[str, Any],
        endpoint: str,
        data: dict[str, Any],
        rate_limit_args: None,  # noqa: ARG002 - part of the interface
    ) -> Any:
        """Makes a request when its turn has come, again when Telegram asks to wait.

        Raises:
            RetryAfter: Telegram asked to wait too often.
        """
        chat = data.get("chat_id")
        for attempt in range(1, ATTEMPTS + 1):
            if chat is not None and endpoint not in _FREE:
                await self._wait(chat)
            try:
                return await callback(*args, **kwargs)
            except RetryAfter as error:
                if attempt == ATTEMPTS or endpoint in _FREE:
                    raise
                await self._pause(chat, error)
        raise AssertionError("unreachable")

    async def _wait(self, chat: int | str) -> None:
        await asyncio.sleep(max(0.0, self._paused.pop(chat, 0.0) - time.monotonic()))
        await self._limiter(chat).acquire()
        if self._overall:
            await self._overall.acquire()

    async def _pause(self, chat: int | str | None, error: RetryAfter) -> None:
        seconds = seconds_to_wait(error)
        if chat is None:
            await asyncio.sleep(seconds)
        else:
            self._paused[chat] = time.monotonic() + seconds

    def _limiter(self, chat: int | str) -> AsyncLimiter:
        """The chat's own limiter; those of chats that were quiet longest are dropped."""
        if chat in self._chats:
            self._chats.move_to_end(chat)
        else:
            self._chats[chat] = AsyncLimiter(*(GROUP if str(chat).startswith("-") else PRIVATE))
            while len(self._chats) > MOST_CHATS:
                self._chats.popitem(last=False)
        return self._chats[chat]


def seconds_to_wait(error: RetryAfter) -> float:
    """How long Telegram asks to wait."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
