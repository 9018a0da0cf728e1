"""A short run in every test run; `make fuzz` makes a hundred thousand inputs and more."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from sqlalchemy.engine import URL

from bot.channels.base import Turn, UserKey
from bot.channels.telegram.rendering import render
from bot.dialogue.labels import COARSE_INTENTS
from bot.dialogue.manager import DialogueManager
from bot.storage.store import SqlStore, open_store
from data.catalogue import Catalogue
from data.domains import DomainConfig
from nlu.entities.linker import CatalogueLinker
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.bot.dialogue.doubles import SaidIntents, SaidSentiment
from tests.fuzz.engine import fuzz
from tests.fuzz.targets import TARGETS

FEW = 15
MANY = int(os.environ.get("FUZZ_INPUTS", "110000"))
MESSAGES = 10
"""Percent of a long run that goes through the whole message path."""
LINES = [
    b"I love Stephen King, but I don't like The Shining", b"suggest a comedy from the nineties with Tom Hanks", b"2",
    b"1984", b"/language it", b"the second one, not the first", b"something like Inception '; DROP TABLE users; --",
    b"all of them", "Mi piace Amélie, ma odio \"It\" \U0001f600".encode(), b"why? tell me more about the director",
    b"none of these", b"reset",
]  # fmt: skip


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_inputs(name: str) -> None:
    fuzz(TARGETS[name].check, name, TARGETS[name].examples, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_many_inputs(name: str) -> None:
    fuzz(TARGETS[name].check, name, TARGETS[name].examples, MANY * TARGETS[name].share // 100)


class Talk:
    """Sends any bytes as messages through understanding, dialogue, storage and rendering."""

    def __init__(self, manager: DialogueManager, intents: SaidIntents, sentiment: SaidSentiment) -> None:
        self._manager, self._intents, self._sentiment = manager, intents, sentiment
        self._number = 0

    async def check(self, data: bytes) -> None:
        self._number += 1
        self._intents.coarse = COARSE_INTENTS[sum(data) % len(COARSE_INTENTS)]
        self._sentiment.polarity = ("+", "-", None)[len(data) % 3]
        text = data.decode("utf-8", "surrogateescape")
        kind, option = ("option", text[:64]) if data[:1] == b"\0" else ("text", None)
        now = datetime.fromtimestamp(1_700_000_000 + self._number, UTC)
        user = UserKey("console", str(self._number // 40))
        result = await self._manager.handle(Turn(user, str(self._number), kind, text, now, option))  # type: ignore[arg-type]
        assert result.reply.texts
        assert render(result.reply)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "fuzz.db"))
    async with open_store(url, lambda: datetime(2026, 1, 1, tzinfo=UTC)) as opened:
        yield opened


@pytest.fixture
def talk(
    store: SqlStore,
    linker: CatalogueLinker,
    recommender: Recommender,
    catalogue: Catalogue,
    domains: Mapping[str, DomainConfig],
) -> Talk:
    intents, sentiment = SaidIntents(), SaidSentiment()
    understander = Understander(intents, linker, sentiment)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return Talk(
        DialogueManager(store, understander, recommender, catalogue, domains, clock=lambda: moment, rng=Random(1)),
        intents,
        sentiment,
    )


async def talk_any(talk: Talk, count: int) -> None:
    """The engine runs in a thread of its own; the bot stays in this loop."""
    loop = asyncio.get_running_loop()

    def check(data: bytes) -> None:
        asyncio.run_coroutine_threadsafe(talk.check(data), loop).result()

    await asyncio.to_thread(fuzz, check, "message", LINES, count)


async def test_a_few_messages(talk: Talk) -> None:
    await talk_any(talk, 60)


@pytest.mark.slow
async def test_many_messages(talk: Talk) -> None:
    await talk_any(talk, MANY * MESSAGES // 100)
