"""`kill -9` of the real bot process at random points of many turns: nothing is lost, nothing happens twice."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

from bot.clock import utc_now
from bot.storage.store import open_store
from tests.bot.channels.telegram.test_process import Runner
from tests.faults.talking import APOLOGY, agree, ask, expected_messages, first_missing, kept, of_user
from tests.telegram_server import TelegramServer

REFERENCE = 99
USERS = range(100, 110)
TURNS = 500
KILLS = 8
LONG = 1200
"""Seconds that a user may wait: some kills come before the answer, and machines are busy."""
LINES = (
    "I like The Godfather",
    "I love Pulp Fiction, but I don't like Titanic",
    "suggest something",
    "why?",
    "I like it",
    "skip",
    "show my profile",
    "what about a comedy",
    "I hate it",
    "/books",
    "I like The Hobbit",
    "suggest something",
    "details",
    "stop",
    "/movies",
)
pytestmark = pytest.mark.slow


async def talk(server: TelegramServer, user: int, turns: int) -> None:
    """One user: sends the next message when the last one was answered."""
    await server.say(user, "/start")
    (question,) = await server.answers(user, 1, LONG)
    await server.press(user, question, "I agree")
    await server.answers(user, 2, LONG)
    for number in range(turns):
        before = len(of_user(server, user))
        await server.say(user, LINES[number % len(LINES)])
        await server.answers(user, before + 1, LONG)


async def keep_killing(server: TelegramServer, runner: Runner, rng: random.Random, done: asyncio.Event) -> int:
    """Runs the bot, kills it at random points, starts it again; leaves the last one to finish."""
    for number in range(KILLS):
        async with runner.running() as process:
            before = len(server.messages)
            await server.wait_for(lambda: len(server.messages), lambda n, goal=before + 5: n >= goal, LONG)
            await asyncio.sleep(rng.random() * 2)
            process.kill()
            await process.wait()
        if done.is_set():
            return number + 1
    async with runner.running():
        await done.wait()
        await server.idle(300)
        await asyncio.sleep(12)
    return KILLS


async def test_nothing_is_lost_or_done_twice(server: TelegramServer, tmp_path: Path, rasa_url: str) -> None:
    runner, turns = Runner(server, tmp_path, rasa_url), TURNS // len(USERS)
    async with runner.running():
        await agree(server, REFERENCE)
        for number in range(turns):
            await ask(server, REFERENCE, LINES[number % len(LINES)])
    done = asyncio.Event()
    killing = asyncio.create_task(keep_killing(server, runner, random.Random(7), done))
    await asyncio.gather(*(talk(server, user, turns) for user in USERS))
    done.set()
    kills = await killing
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    async with open_store(url, utc_now) as store:
        assert [found async for found in store.unsent("telegram")] == []
    reference = await what_counts(url, REFERENCE)
    assert len(reference["records"]) == turns
    doubled = 0
    for user in USERS:
        assert await what_counts(url, user) == reference, user
        arrived = [message.text for message in of_user(server, user) if "Do you agree?" not in message.text]
        expected = await expected_messages(url, user)
        assert APOLOGY not in arrived
        assert first_missing(expected, arrived) is None, (expected, arrived)
        doubled += len(arrived) - len(expected)
    assert doubled <= kills * len(USERS), "only what was being sent at the moment of a kill may arrive twice"


async def what_counts(url: URL, user: int) -> dict[str, Any]:
    """What a conversation has come to, whatever wording was drawn: the same with and without kills.

    The start is left out: nothing of it is stored before consent, so it may be answered again.
    """
    records, preferences = await kept(url, user, "records", "preferences")
    names = ("message", "intent", "contexts", "recognized_objects", "events", "pagerank_cycle", "recommended")
    return {
        "records": [{name: row[name] for name in names} for row in records if row["message"] != "/start"],
        "preferences": [{name: row[name] for name in ("position", "qid", "polarity", "source")} for row in preferences],
    }
