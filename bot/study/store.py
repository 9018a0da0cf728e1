"""What is kept of studies: participants, answers, votes, the status, and an audit of what researchers did."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, and_, case, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.channels.base import UserKey
from bot.dialogue.state import Profile
from bot.errors import UsageError
from bot.storage import studies as tables
from bot.storage.schema import users
from bot.storage.statements import is_user
from bot.storage.store import SqlStore
from bot.storage.turn import load_profile, upsert
from bot.study.assignment import Taken, between_cells
from bot.study.config import StudyConfig

Status = Literal["open", "paused", "closed"]
REASSIGNED = "reassigned"
"""Mark in the progress of a participant who was put into another condition and has not begun there."""


@dataclass(frozen=True, slots=True)
class Participant:
    """Where one participant stands.

    Attributes:
        number: the how-manieth of the study, from 1; the pseudonym in everything that leaves the database.
        recruited: parameters of the link that they came by.
        cell: label of the between-subjects condition; `sequence` is the row of the Latin square.
        step: position in the journey; `item` is the position within a questionnaire.
        progress: what was done in the step.
        excluded: the reason, None for participants that count.
    """

    user_id: int
    study: str
    number: int
    language: str
    consent_version: str
    cell: str
    sequence: int
    started_at: datetime
    step_at: datetime
    active_at: datetime
    step: int = 0
    item: int = 0
    progress: dict[str, Any] = field(default_factory=dict)
    prompted: bool = False
    recruited: dict[str, str] = field(default_factory=dict)
    finished_at: datetime | None = None
    excluded: str | None = None

    @property
    def place(self) -> tuple[object, ...]:
        """What changes with every message that counts, or when a researcher intervenes."""
        return self.cell, self.step, self.item, self.progress, self.excluded


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; `value` is the position of what was chosen, from 1."""

    step: int
    item: str
    condition: str
    questionnaire: str
    value: int


@dataclass(frozen=True, slots=True)
class BattleVote:
    """One vote; `choice` is a variant or "tie"."""

    step: int
    first: str
    second: str
    choice: str
    feedback: str = ""


class StudyStore:
    """The tables of one study."""

    def __init__(self, store: SqlStore, study: StudyConfig) -> None:
        self.sql = store
        self._study = study
        self._name = study.name

    async def find(self, user: UserKey) -> Participant | None:
        """The participant that a user is; None when they do not take part."""
        async with self.sql.reading() as connection:
            rows = await connection.execute(
                select(tables.participants)
                .join(users, users.c.id == tables.participants.c.user_id)
                .where(is_user(user), tables.participants.c.study == self._name)
            )
            row = rows.first()
            return None if row is None else participant_from(row)

    async def status(self) -> Status:
        """Whether the study takes participants."""
        async with self.sql.reading() as connection:
            row = (await connection.execute(select(tables.studies).where(tables.studies.c.study == self._name))).first()
            return "open" if row is None else row.status

    async def taken(self, connection: AsyncConnection, dropped_before: datetime) -> tuple[list[Taken], int]:
        """Assignments that count for the balance, and how many participants there were in all.

        Args:
            connection: to read with.
            dropped_before: whoever has not been active since then, and has not finished, has dropped out.
        """
        table = tables.participants
        mine = table.c.study == self._name
        counts = and_(mine, table.c.excluded.is_(None), self._stays(dropped_before))
        rows = await connection.execute(
            select(table.c.cell, table.c.sequence, func.count()).where(counts).group_by(table.c.cell, table.c.sequence)
        )
        taken = [Taken(cell, sequence) for cell, sequence, count in rows for _ in range(count)]
        last = await connection.execute(select(func.max(table.c.number)).where(mine))
        return taken, last.scalar_one() or 0

    @staticmethod
    def _stays(dropped_before: datetime) -> ColumnElement[bool]:
        table = tables.participants
        return or_(table.c.finished_at.is_not(None), table.c.active_at >= dropped_before)

    async def add(self, connection: AsyncConnection, participant: Participant) -> None:
        """Writes a new participant."""
        await connection.execute(insert(tables.participants), _columns(participant))

    async def save(self, connection: AsyncConnection, participant: Participant) -> None:
        """Writes where a participant stands."""
        table = tables.participants
        await connection.execute(update(table).where(_is(participant)).values(**_columns(participant)))

    async def answer(self, connection: AsyncConnection, participant: Participant, answer: Answer, at: datetime) -> None:
        """Writes an answer; a later one to the same question replaces it."""
        row = {name: getattr(answer, name) for name in Answer.__slots__}
        key = {"user_id": participant.user_id, "study": self._name}
        await upsert(connection, tables.answers, {**key, **row, "answered_at": at})

    async def vote(self, connection: AsyncConnection, participant: Participant, vote: BattleVote, at: datetime) -> None:
        """Writes a vote; a later one in the same step replaces it."""
        row = {name: getattr(vote, name) for name in BattleVote.__slots__}
        key = {"user_id": participant.user_id, "study": self._name}
        await upsert(connection, tables.votes, {**key, **row, "voted_at": at})

    async def pairs(self, connection: AsyncConnection) -> Sequence[tuple[str, str, int]]:
        """How often each pair of variants was compared."""
        table = tables.votes
        rows = await connection.execute(
            select(table.c.first, table.c.second, func.count())
            .where(table.c.study == self._name)
            .group_by(table.c.first, table.c.second)
        )
        return [(row[0], row[1], row[2]) for row in rows]

    async def numbered(self, number: int) -> Participant:
        """The participant of a number. Raises UsageError for an unknown one."""
        table = tables.participants
        async with self.sql.reading() as connection:
            rows = await connection.execute(select(table).where(table.c.study == self._name, table.c.number == number))
            row = rows.first()
        if row is None:
            raise UsageError(f"the study has no participant {number}; see: converse study status")
        return participant_from(row)

    async def answers_of(self, participant: Participant) -> Sequence[Row[Any]]:
        """Everything that a participant has answered, in the order of the study."""
        table = tables.answers
        mine = and_(table.c.study == self._name, table.c.user_id == participant.user_id)
        async with self.sql.reading() as connection:
            return (
                await connection.execute(select(table).where(mine).order_by(table.c.step, table.c.answered_at))
            ).all()

    async def profile(self, participant: Participant) -> Profile:
        """What a participant has said and been shown in the condition in which they are."""
        async with self.sql.reading() as connection:
            return await load_profile(connection, participant.user_id)

    async def participants(self) -> list[Participant]:
        """Everyone who took part, by number."""
        table = tables.participants
        async with self.sql.reading() as connection:
            rows = await connection.execute(select(table).where(table.c.study == self._name).order_by(table.c.number))
            return [participant_from(row) for row in rows]

    # What researchers do; each leaves a line in the audit.

    async def set_status(self, status: Status, who: str) -> None:
        """Opens, pauses or closes the study."""
        async with self.sql.writing() as connection:
            await upsert(connection, tables.studies, {"study": self._name, "status": status})
            await self._note(connection, who, "status", status)

    async def exclude(self, number: int, reason: str, who: str) -> None:
        """Takes a participant out of the balance and the analysis. Raises UsageError for an unknown number."""
        await self._change(number, who, "exclude", reason, excluded=reason)

    async def reassign(self, number: int, cell: str, who: str) -> None:
        """Puts a participant into another between-subjects condition by hand, where they begin anew.

        Raises:
            UsageError: an unknown number or condition, or a participant who has finished.
        """
        labels = [condition.label for condition in between_cells(self._study)]
        if cell not in labels:
            raise UsageError(f"there is no condition {cell!r}; choose one of: {'; '.join(labels) or 'none'}")
        async with self.sql.reading() as connection:
            table = tables.participants
            mine = and_(table.c.study == self._name, table.c.number == number)
            if (await connection.execute(select(table.c.finished_at).where(mine))).scalar_one_or_none():
                raise UsageError(f"participant {number} has finished already; exclude them instead")
        first = len(self._study.questionnaires.before)
        step = case((table.c.step < first, table.c.step), else_=first)
        changes = {"cell": cell, "step": step, "item": 0, "progress": {REASSIGNED: True}, "prompted": False}
        await self._change(number, who, "reassign", cell, **changes)

    async def _change(self, number: int, who: str, action: str, detail: str, **values: Any) -> None:
        table = tables.participants
        chosen = and_(table.c.study == self._name, table.c.number == number)
        async with self.sql.writing() as connection:
            done = await connection.execute(update(table).where(chosen).values(**values))
            if done.rowcount == 0:
                raise UsageError(f"the study has no participant {number}; see: converse study status")
            await self._note(connection, who, action, f"{number}: {detail}")

    async def _note(self, connection: AsyncConnection, who: str, action: str, detail: str) -> None:
        row = {"study": self._name, "at": self.sql.now(), "who": who, "action": action, "detail": detail}
        await connection.execute(insert(tables.audit), row)

    async def audit(self) -> Sequence[Row[Any]]:
        """What researchers did, oldest first."""
        table = tables.audit
        async with self.sql.reading() as connection:
            rows = await connection.execute(select(table).where(table.c.study == self._name).order_by(table.c.id))
            return rows.all()


def participant_from(row: Row[Any]) -> Participant:
    """The participant of a row."""
    return Participant(**{name: getattr(row, name) for name in Participant.__slots__})


def moved(participant: Participant, now: datetime, **changes: Any) -> Participant:
    """The participant at the beginning of another step."""
    return replace(participant, step_at=now, active_at=now, item=0, progress={}, prompted=False, **changes)


def _columns(participant: Participant) -> dict[str, Any]:
    return {name: getattr(participant, name) for name in Participant.__slots__}


def _is(participant: Participant) -> Any:
    table = tables.participants
    return and_(table.c.user_id == participant.user_id, table.c.study == participant.study)
