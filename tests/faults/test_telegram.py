"""The Bot API failing at random under the real bot: every reply arrives, in order, and none twice but where Telegram
took a message and the word of it was lost."""

import asyncio
import random
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from tests.bot.channels.telegram.test_process import Runner
from tests.faults.talking import APOLOGY, PATIENCE, agree, expected_messages, first_missing, kept, of_user
from tests.telegram_rules import ApiError, Fault
from tests.telegram_server import TelegramServer

USERS = (31, 32, 33, 34)
LINES = ("I like The Godfather", "suggest something", "why?", "I like it", "skip", "I hate Titanic", "/books", "stop")
FAULTS = (
    Fault(ApiError(429, "Too Many Requests: retry after 1", retry_after=1)),
    Fault(ApiError(500, "Internal Server Error")),
    Fault(ApiError(502, "Bad Gateway")),
    Fault(drop=True),
    Fault(delay=25),  # longer than the bot waits
    Fault(drop=True, after=True),
)
pytestmark = pytest.mark.slow


class Unreliable:
    """Makes one call in four fail, at random, while it is told to."""

    def __init__(self, server: TelegramServer) -> None:
        self._server = server
        self._rng = random.Random(3)
        self.lost = 0

    async def fail(self, until: asyncio.Event) -> None:
        server, seen = self._server, 0
        while not until.is_set():
            await server.wait_for(lambda: server.count("sendMessage"), lambda n, seen=seen: n > seen or until.is_set())
            seen = server.count("sendMessage")
            if self._rng.random() < 0.25:
                fault = self._rng.choice(FAULTS)
                self.lost += fault.after or bool(fault.delay)
                server.fail("sendMessage", fault)
                server.fail("getUpdates", self._rng.choice(FAULTS[:4]))


async def talk(server: TelegramServer, user: int) -> None:
    for text in LINES:
        before = len(of_user(server, user))
        await server.say(user, text)
        await server.answers(user, before + 1, PATIENCE)


@pytest.mark.slow
async def test_every_reply_arrives(server: TelegramServer, tmp_path: Path, rasa_url: str) -> None:
    unreliable, over = Unreliable(server), asyncio.Event()
    async with Runner(server, tmp_path, rasa_url).running() as process:
        await asyncio.gather(*(agree(server, user) for user in USERS))
        failing = asyncio.create_task(unreliable.fail(over))
        await asyncio.gather(*(talk(server, user) for user in USERS))
        over.set()
        await server.idle(PATIENCE)
        await server.wait_for(lambda: server.count("sendMessage"), lambda _count: failing.done() or True)
        await asyncio.sleep(12)  # what could not be sent is sent by the next sweep
        failing.cancel()
        assert process.returncode is None
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    doubled = 0
    for user in USERS:
        records, updates = await kept(url, user, "records", "updates")
        assert [row["message"] for row in records if row["message"] in LINES] == list(LINES)
        assert all(row["sent_at"] for row in updates)
        arrived = [message.text for message in of_user(server, user) if "Do you agree?" not in message.text]
        expected = await expected_messages(url, user)
        assert APOLOGY not in arrived
        assert first_missing(expected, arrived) is None, (expected, arrived)
        doubled += len(arrived) - len(expected)
    assert unreliable.lost > 0
    assert doubled <= unreliable.lost
