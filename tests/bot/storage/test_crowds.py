"""Many more turns at once than PostgreSQL has connections: they wait, and what is needed to finish them does not."""

import asyncio

from bot.storage.engine import POOL_SIZE
from bot.storage.store import SqlStore
from tests.bot.storage.conftest import make_outcome, make_turn


async def test_turns_wait_for_each_other_and_nothing_else_does(store: SqlStore) -> None:
    go_on = asyncio.Event()
    open_now = 0

    async def deal(number: int) -> None:
        nonlocal open_now
        turn = make_turn("1", f"user {number}")
        async with store.open_turn(turn) as opened:
            open_now += 1
            await go_on.wait()
            await opened.save(make_outcome())
        assert await store.claim(turn) == 0
        await store.mark_sent(turn)

    dealing = [asyncio.create_task(deal(number)) for number in range(3 * POOL_SIZE)]
    while not open_now:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    async with asyncio.timeout(10):
        assert await store.lookup("title:x") is None
        assert not await store.consented(make_turn().user)
    go_on.set()
    await asyncio.gather(*dealing)
    assert [found async for found in store.unsent("test")] == []
