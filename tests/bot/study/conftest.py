"""A study on the real parts: real recognisers, real recommender, real SQLite."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.app import initial_state, policy_of
from bot.channels.base import Reply, Turn, UserKey
from bot.config import load_settings
from bot.dialogue.manager import DialogueManager, Understands
from bot.records import TurnResult
from bot.storage.store import SqlStore, open_store
from bot.study.config import StudyConfig, parse_study
from bot.study.desk import StudyDesk
from bot.study.running import study_desk
from data.catalogue import Catalogue
from data.domains import DomainConfig
from recommender.model import Recommender

START = datetime(2026, 6, 1, 9, tzinfo=UTC)


class MovingClock:
    """A clock that goes on by a second whenever it is read."""

    def __init__(self) -> None:
        self.moment = START

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


def study_content(**changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": "tastes",
        "title": "Tastes in films",
        "consent": {"version": "1", "text": "I agree that what I write here is stored and published without my name."},
        "information": "You talk to a chatbot that recommends films, for about ten minutes.",
        "eligibility": ["you are 18 or older"],
        "debriefing": "Thank you for taking part!",
        "recruiting": {"completion_code": "C0DE42"},
        "tasks": [{"id": "like", "text": "Tell the bot two films that you like.", "preferences": 2}],
        "questionnaires": {"after": ["arena"]},
    }
    return content | changes


@dataclass
class Talk:
    """One participant at the desk."""

    desk: StudyDesk
    name: str
    clock: MovingClock
    said: list[Reply] = field(default_factory=list)

    async def say(self, text: str = "", option: str | None = None, language: str | None = None) -> Reply:
        turn = Turn(
            UserKey("test", self.name),
            f"{len(self.said)}",
            "option" if option else "text",
            text,
            self.clock(),
            option,
            language=language,
        )
        result: TurnResult = await self.desk.handle(turn)
        self.said.append(result.reply)
        return result.reply

    async def press(self, label: str) -> Reply:
        option = next(one for one in self.said[-1].options if one.label == label)
        return await self.say(label, option.id)

    async def join(self) -> Reply:
        await self.say(f"/start {self.desk.study.name}")
        return await self.press("I agree")

    @property
    def text(self) -> str:
        return "\n".join(self.said[-1].texts)


@pytest.fixture
def clock() -> MovingClock:
    return MovingClock()


@pytest.fixture
async def store(tmp_path: Path, clock: MovingClock) -> AsyncIterator[SqlStore]:
    async with open_store(load_settings(data_dir=tmp_path).database, clock) as opened:
        yield opened


@pytest.fixture
def desk_for(
    store: SqlStore,
    tmp_path: Path,
    understander: Understands,
    recommender: Recommender,
    catalogue: Catalogue,
    domains: Mapping[str, DomainConfig],
    clock: MovingClock,
) -> Callable[..., StudyDesk]:
    """Makes a desk for a study with the given changes."""
    settings = load_settings(data_dir=tmp_path, seed=1)

    def make(**changes: Any) -> StudyDesk:
        study: StudyConfig = parse_study(study_content(**changes), "test")
        manager = DialogueManager(
            store, understander, recommender, catalogue, domains, clock=clock, rng=Random(1),
            policy=policy_of(settings), initial=initial_state(settings),
        )  # fmt: skip
        return study_desk(study, settings, store, manager, manager, clock)

    return make
