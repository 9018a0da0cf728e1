import asyncio
from typing import Any

import pytest
from telegram.error import RetryAfter

from bot.channels.base import UserKey
from bot.channels.telegram import pace
from bot.channels.telegram.pace import ChatRateLimiter
from bot.channels.throttle import Throttle

ANNA, BEN = UserKey("telegram", "1"), UserKey("telegram", "2")


async def test_a_chat_that_must_wait_does_not_hold_up_others(monkeypatch: pytest.MonkeyPatch) -> None:
    limiter, order = ChatRateLimiter(None), []
    refusals = {1: 1}

    async def call(chat: int) -> None:
        if refusals.pop(chat, None):
            order.append(f"{chat} refused")
            raise RetryAfter(1)
        order.append(f"{chat} sent")

    async def send(chat: int) -> None:
        await limiter.process_request(call, (chat,), {}, "sendMessage", {"chat_id": chat}, None)

    first = asyncio.create_task(send(1))
    await asyncio.sleep(0.05)
    await send(2)
    await first
    assert order == ["1 refused", "2 sent", "1 sent"]


async def test_it_gives_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "ATTEMPTS", 2)
    calls = 0

    async def call() -> None:
        nonlocal calls
        calls += 1
        raise RetryAfter(0)

    with pytest.raises(RetryAfter):
        await ChatRateLimiter(None).process_request(call, (), {}, "sendMessage", {"chat_id": 1}, None)
    assert calls == 2


async def test_only_the_busiest_chats_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "MOST_CHATS", 3)
    limiter = ChatRateLimiter(None)

    async def call(*_: Any) -> None:
        return None

    for chat in range(10):
        await limiter.process_request(call, (), {}, "sendMessage", {"chat_id": chat}, None)
    assert len(limiter._chats) == 3


async def test_there_is_a_limit_for_all_chats_together() -> None:
    limiter, sent = ChatRateLimiter(2), []

    async def call(chat: int) -> None:
        sent.append(chat)

    sending = [
        asyncio.create_task(limiter.process_request(call, (chat,), {}, "sendMessage", {"chat_id": chat}, None))
        for chat in range(3)
    ]
    await asyncio.wait(sending[:2])
    assert not sending[2].done()
    await sending[2]
    assert sent == [0, 1, 2]


def test_telegram_is_spared_and_another_server_is_asked() -> None:
    from bot.channels.telegram.run import PER_SECOND, messages_per_second
    from bot.config import Settings

    assert messages_per_second(Settings(telegram_base_url=None)) == PER_SECOND
    assert messages_per_second(Settings(telegram_base_url="http://127.0.0.1:8081")) is None
    assert messages_per_second(Settings(telegram_messages_per_second=1000)) == 1000


def test_too_many_messages_are_refused_and_the_user_warned_once() -> None:
    now = 0.0
    throttle = Throttle(3, timer=lambda: now)
    assert [throttle.admits(ANNA) for _ in range(5)] == [True, True, True, False, False]
    assert [throttle.should_warn(ANNA) for _ in range(3)] == [True, False, False]
    assert throttle.admits(BEN), "others are not concerned"
    now = 20.0
    assert [throttle.admits(ANNA) for _ in range(2)] == [True, False]
    assert throttle.should_warn(ANNA), "a new flood gets a new warning"
