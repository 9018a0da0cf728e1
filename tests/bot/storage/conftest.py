from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.engine import URL

from bot.channels.base import Link, Option, Reply, Turn, UserKey
from bot.dialogue.state import DialogueState, Phase, Preference, Profile, Question, Shown
from bot.records import Record
from bot.storage.base import Outcome
from bot.storage.store import SqlStore, open_store

START = datetime(2026, 5, 1, 12, tzinfo=UTC)


class SettableClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = START

    def __call__(self) -> datetime:
        return self.moment

    def move(self, **by: float) -> None:
        self.moment += timedelta(**by)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
async def store(database: URL, clock: SettableClock) -> AsyncIterator[SqlStore]:
    async with open_store(database, clock) as opened:
        yield opened


def make_turn(update_id: str = "1", user: str = "anna", text: str = "I like Heat", **values: Any) -> Turn:
    return Turn(UserKey("test", user), update_id, values.pop("kind", "text"), text, START, **values)


def make_record(message: str = "I like Heat", **values: Any) -> Record:
    return Record(
        **{
            "message": message,
            "received_at": START,
            "answered_at": START + timedelta(seconds=1),
            "intent": "preference",
            "contexts": ("preference-followup",),
            "recognized_objects": (("Q42198", "+"),),
            "events": ("preference",),
            "pagerank_cycle": 1,
            "number_recommendation_list": 2,
            "interaction_type": "mixed",
            "domain": "movie",
            "coarse_intent": "preference",
            "confidence": 0.9,
            "ranking": (("preference", 0.9), ("inform", 0.05)),
            "reply": REPLY,
            "backends": (("intents", "rasa"),),
            "stages_ms": (("intents", 12.5),),
            **values,
        }
    )


REPLY = Reply(
    ("Noted.", "Which <one>?"), (Option("3:1", "Heat (1995 film)"),), "https://example.org/p.jpg", (Link("T", "u"),)
)
STATE = DialogueState(
    domain="book",
    phase=Phase.DISAMBIGUATING,
    questions=(Question("item", mention="Heat", polarity="+"),),
    contexts={"preference-followup": 2},
    cycles={"movie": (1, 2)},
)
PROFILE = Profile(
    (
        Preference("Q42198", "+", "movie", at=START),
        Preference("Q43203", "-", "movie", role="P57", source="rated", at=START),
    ),
    (Shown("Q47703", "movie", 1, 0, rating="+", why=True, at=START),),
)


def make_outcome(**values: Any) -> Outcome:
    return Outcome(**{"state": STATE, "profile": PROFILE, "reply": REPLY, "records": (make_record(),), **values})


async def answer(store: SqlStore, turn: Turn, **values: Any) -> None:
    """Does one whole turn."""
    async with store.open_turn(turn) as opened:
        await opened.save(make_outcome(**values))
