"""A server that is told to stop answers what it has taken."""

import asyncio
import os
import signal
from collections.abc import Callable

import httpx

from bot.channels.base import Turn
from bot.channels.web.run import listen, serve
from bot.records import TurnResult
from bot.storage.store import SqlStore
from tests.bot.channels.doubles import StoredEcho
from tests.bot.channels.web.conftest import Visitor, Web


class Slow(StoredEcho):
    """An echo that takes its time."""

    def __init__(self, store: SqlStore) -> None:
        super().__init__(store)
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    async def answer(self, turn: Turn) -> TurnResult:
        if turn.text == "slow":
            self.begun.set()
            await self.go_on.wait()
        return await super().answer(turn)


async def test_the_turn_in_hand_is_finished_and_open_pages_are_let_go(
    build: Callable[..., Web], store: SqlStore
) -> None:
    slow = Slow(store)
    web = build(slow)
    told: list[str] = []
    with listen("127.0.0.1", 0) as listening:
        serving = asyncio.create_task(serve(web.app, listening, web.talks.close, told.append))
        while not told:
            await asyncio.sleep(0.01)
        async with httpx.AsyncClient(base_url=told[0], trust_env=False, timeout=30) as client:
            visitor = Visitor(client)
            await visitor.agree()
            page = asyncio.create_task(client.get("/events"))
            sent = asyncio.create_task(visitor.say("slow"))
            await slow.begun.wait()
            os.kill(os.getpid(), signal.SIGTERM)
            news = await page
            slow.go_on.set()
            answer = await sent
        await serving
    assert answer.status_code == 200
    assert "You said text" in answer.text
    assert news.headers["Content-Type"].startswith("text/event-stream")
    assert "event: exchange" in news.text
