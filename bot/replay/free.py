"""The free replay: the bot runs on its own, the users say what they said."""

import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.channels.base import Reply, Turn, UserKey
from bot.dialogue.manager import DialogueManager
from bot.dialogue.state import DialogueState, Profile
from bot.records import Record
from bot.replay.rows import Conversation, objects, text_of
from bot.storage.base import OpenTurn, Outcome
from data.model import Qid

__all__ = ["Free", "MemoryStore", "run_free"]


@dataclass(slots=True)
class _Kept:
    """Implements `bot.storage.base.OpenTurn` in memory."""

    user_id: int = 0
    consented: bool = True
    state: DialogueState | None = None
    profile: Profile = field(default_factory=Profile)
    repeated: Reply | None = None

    async def save(self, outcome: Outcome) -> None:
        self.state, self.profile = outcome.state, outcome.profile


class MemoryStore:
    """Implements `bot.storage.base.Store` for one run; nothing is kept after it."""

    def __init__(self) -> None:
        self._users: dict[UserKey, _Kept] = {}

    @asynccontextmanager
    async def open_turn(self, turn: Turn) -> AsyncIterator[OpenTurn]:
        """The user's turn."""
        yield self._users.setdefault(turn.user, _Kept())


@dataclass(frozen=True, slots=True)
class Case:
    """A message to read.

    Attributes:
        file: of the published conversations.
        row: its `messageID`.
        published: the published intent.
    """

    file: str
    row: str
    message: str
    published: str


@dataclass(slots=True)
class Free:
    """What the free replay found: counts, and the messages behind them.

    Attributes:
        preferences: messages that we label `preference`; published: those that the rows label so.
        asked: disambiguation questions over all messages; asked_preferences: those on our `preference` messages.
        held: published `preference` messages about something that the catalogue holds.
        nothing: those of them in which nothing was recognised nor asked.
    """

    n: int = 0
    preferences: int = 0
    published: int = 0
    asked: int = 0
    asked_preferences: int = 0
    held: int = 0
    fallbacks: list[Case] = field(default_factory=list)
    nothing: list[Case] = field(default_factory=list)

    def document(self) -> dict[str, float]:
        """The documented JSON form."""
        return {
            "fallback_share": _share(len(self.fallbacks), self.n),
            "disambiguation_per_preference": _share(self.asked_preferences, self.preferences),
            "nothing_recognised_share": _share(len(self.nothing), self.held),
        }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


async def run_free(
    manager: DialogueManager,
    conversation: Conversation,
    results: Sequence[Free],
    known: frozenset[Qid],
    done: Callable[[], None],
) -> None:
    """Replays one user's messages and counts them in every result."""
    user = UserKey("replay", f"{conversation.file}:{conversation.user}")
    rows = conversation.rows
    for index, (row, following) in enumerate(itertools.zip_longest(rows, rows[1:])):
        turn = Turn(user, str(index), "text", text_of(row), datetime.now(UTC))
        record = (await manager.handle(turn)).record
        if record is not None:
            answered = following is not None and str(following["intent"]) == "preference - disambiguation"
            meant = objects(row) or (objects(following) if answered else ())
            held = any(qid in known for qid, _ in meant)
            case = Case(conversation.file, str(row["messageID"]), record.message, str(row["intent"]))
            for result in results:
                _count(result, record, case, held)
        done()


def _count(result: Free, record: Record, case: Case, held: bool) -> None:
    published = case.published
    intent, asked = record.intent, "disambiguation" in record.events
    result.n += 1
    result.preferences += intent == "preference"
    result.published += published == "preference"
    result.asked += asked
    result.asked_preferences += asked and intent == "preference"
    if "allback" in intent:
        result.fallbacks.append(case)
    if published == "preference" and held:
        result.held += 1
        if not record.recognized_objects and not asked:
            result.nothing.append(case)
