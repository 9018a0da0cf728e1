"""Several processes on one database: every update has one effect, and each user's turns come one after the other."""

import asyncio
import json
import sys

from sqlalchemy import select
from sqlalchemy.engine import URL

from bot.storage import schema
from bot.storage.store import open_store
from tests.bot.storage.conftest import SettableClock

WORKER = """
import asyncio, random, sys
from dataclasses import replace
from datetime import UTC, datetime
from sqlalchemy.engine import make_url
from bot.dialogue.state import DialogueState
from bot.storage.store import open_store
from tests.bot.storage.conftest import make_outcome, make_turn

async def deal(store, number, claimed):
    turn = make_turn(str(number), user=f"user {number % 2}")
    async with store.open_turn(turn) as opened:
        if opened.repeated is None:
            state = opened.state or DialogueState()
            await asyncio.sleep(random.random() / 200)
            await opened.save(make_outcome(state=replace(state, turns=state.turns + 1)))
    while (sent := await store.claim(turn)) == "wait":
        await asyncio.sleep(0.005)
    if sent is not None:
        claimed.append(number)
        await store.mark_sent(turn)

async def main():
    claimed = []
    async with open_store(make_url(sys.argv[1]), lambda: datetime.now(UTC)) as store:
        await asyncio.gather(*(deal(store, number, claimed) for number in range(40)))
    print(claimed)

asyncio.run(main())
"""


async def test_updates_that_reach_every_worker(database: URL, clock: SettableClock) -> None:
    address = database.render_as_string(hide_password=False)
    async with open_store(database, clock):
        pass
    workers = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", WORKER, address, stdout=asyncio.subprocess.PIPE)
        for _ in range(3)
    ]
    outputs = await asyncio.gather(*(worker.communicate() for worker in workers))
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    sent = [number for out, _ in outputs for number in json.loads(out)]
    assert sorted(sent) == list(range(40)), "each reply is sent once, by whoever claimed it"
    async with open_store(database, clock) as store, store.reading() as connection:
        updates = (await connection.execute(select(schema.records.c.update_id))).scalars().all()
        states = (await connection.execute(select(schema.conversations.c.state))).scalars().all()
    assert sorted(map(int, updates)) == list(range(40))
    assert [state["turns"] for state in states] == [20, 20], "no turn worked on an outdated state"
