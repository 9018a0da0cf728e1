"""`kill -9` of the real bot process at random points of many turns: nothing is lost, nothing happens twice."""

import asyncio
import random
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.engine import URL

from bot.channels.telegram.rendering import render
from bot.clock import utc_now
from bot.storage import schema
from bot.storage.codec import reply_from
from bot.storage.store import SqlStore, open_store
from tests.bot.channels.telegram.test_process import Runner
from tests.telegram_rules import parse_html
from tests.telegram_server import TelegramServer, telegram_server

USERS = range(100, 110)
TURNS = 500
KILLS = 8
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


async def talk(server: TelegramServer, user: int, turns: int) -> int:
    """One user: sends the next message when the last one was answered. Gives the number of messages after consent."""
    await server.say(user, "/start")
    (question,) = await server.answers(user, 1, 300)
    await server.press(user, question, "I agree")
    await server.answers(user, 2, 300)
    for number in range(turns):
        before = len([message for message in server.messages if message.chat == user])
        await server.say(user, LINES[number % len(LINES)])
        await server.answers(user, before + 1, 300)
    return turns


async def keep_killing(server: TelegramServer, runner: Runner, rng: random.Random, done: asyncio.Event) -> int:
    """Runs the bot, kills it at random points, starts it again; leaves the last one to finish."""
    for number in range(KILLS):
        async with runner.running() as process:
            before = len(server.messages)
            await server.wait_for(lambda: len(server.messages), lambda n, goal=before + 5: n >= goal, 120)
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


async def test_nothing_is_lost_or_done_twice(tmp_path: Path, rasa_url: str) -> None:
    rng = random.Random(7)
    async with telegram_server() as server:
        runner = Runner(server, tmp_path, rasa_url)
        done = asyncio.Event()
        killing = asyncio.create_task(keep_killing(server, runner, rng, done))
        sent = await asyncio.gather(*(talk(server, user, TURNS // len(USERS)) for user in USERS))
        done.set()
        kills = await killing
        url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
        async with open_store(url, utc_now) as store:
            assert await records_of_users(store) == {str(user): n for user, n in zip(USERS, sent, strict=True)}
            assert [found async for found in store.unsent("telegram")] == []
            doubled = 0
            for user in USERS:
                arrived = [message.text for message in server.messages if message.chat == user]
                arrived = [text for text in arrived if "Do you agree?" not in text]
                expected = await expected_messages(store, user)
                assert first_missing(expected, arrived) is None, (expected, arrived)
                doubled += len(arrived) - len(expected)
    assert doubled <= kills * len(USERS), "only what was being sent at the moment of a kill may arrive twice"


async def records_of_users(store: SqlStore) -> dict[str, int]:
    """How many log records each user has, but for the start: nothing of it is stored before consent, not even that
    it was answered, so that it may be answered again."""
    async with store.reading() as connection:
        rows = await connection.execute(
            select(schema.users.c.external_id)
            .join(schema.records, schema.records.c.user_id == schema.users.c.id)
            .where(schema.records.c.message != "/start")
        )
        found = [row.external_id for row in rows]
    return {user: found.count(user) for user in found}


async def expected_messages(store: SqlStore, user: int) -> list[str]:
    """What a user must have got, in order: every message of every stored reply."""
    async with store.reading() as connection:
        rows = await connection.execute(
            select(schema.updates.c.reply)
            .join(schema.users, schema.users.c.id == schema.updates.c.user_id)
            .where(schema.users.c.external_id == str(user))
            .order_by(schema.updates.c.id)
        )
        replies = [reply_from(row.reply) for row in rows]
    return [parse_html(part.text)[0] for reply in replies if reply.texts for part in render(reply)]


def first_missing(expected: list[str], arrived: list[str]) -> str | None:
    """The first expected message that did not arrive in its place; there may be more in between."""
    rest = iter(arrived)
    return next((text for text in expected if text not in rest), None)
