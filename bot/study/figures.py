"""What the conversations of a study are like, counted by the database, so that large studies show quickly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Select, Text, and_, case, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.schema import records
from bot.storage.studies import answers, participants
from bot.study.belonging import belongs_to, messages_with_participants
from bot.study.config import StudyConfig
from bot.study.journey import SKIPS, questions_of
from bot.study.population import Filter, Person
from bot.study.store import StudyStore

_RECENT = 5_000
"""Response times are those of so many messages, the last ones."""
_ITEMS = 12
WAITS_MS = (50, 100, 200, 500, 1000, 2000)
"""Upper ends of the classes of response times."""


@dataclass(frozen=True, slots=True)
class Talk:
    """The messages under one condition.

    Attributes:
        fallbacks: messages not understood.
        asked: preferences that needed a question.
    """

    condition: str
    messages: int
    fallbacks: int
    preferences: int
    asked: int


@dataclass(frozen=True, slots=True)
class Waits:
    """Response times in milliseconds; `classes` counts those up to each of WAITS_MS, and those above."""

    median: float
    p95: float
    classes: Sequence[int]


@dataclass(frozen=True, slots=True)
class Item:
    """A recommended item and how often it was shown, liked, disliked and skipped."""

    qid: str
    shown: int
    liked: int = 0
    disliked: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that is counted over messages and answers."""

    talks: Sequence[Talk]
    waits: Waits | None
    items: Sequence[Item]
    shown: int
    liked: int
    rated: int
    answers: Mapping[str, int]
    failed_checks: Sequence[int]

    @property
    def messages(self) -> int:
        """All messages."""
        return sum(talk.messages for talk in self.talks)

    def share(self, part: str, whole: str) -> float | None:
        """A share over all conditions, such as ("fallbacks", "messages"); None of nothing."""
        of = sum(getattr(talk, whole) for talk in self.talks)
        return sum(getattr(talk, part) for talk in self.talks) / of if of else None


async def figures(store: StudyStore, study: StudyConfig, chosen: Filter, people: Sequence[Person]) -> Figures:
    """Counts the messages and answers that a filter leaves.

    Args:
        store: of the study.
        study: its design.
        chosen: the filter.
        people: the participants it leaves; used when it narrows down to a stage.
    """
    ids = [person.user_id for person in people] if chosen.stage else None
    mine = _mine(study, chosen, ids)
    async with store.sql.reading() as connection:
        items = await _items(connection, mine)
        return Figures(
            talks=await _talks(connection, mine),
            waits=await _waits(connection, mine),
            items=sorted(items, key=lambda item: (-item.shown, item.qid))[:_ITEMS],
            shown=sum(item.shown for item in items),
            liked=sum(item.liked for item in items),
            rated=sum(item.liked + item.disliked for item in items),
            answers=await _answers(connection, study, ids),
            failed_checks=await _failed(connection, study),
        )


def _mine(study: StudyConfig, chosen: Filter, ids: Sequence[int] | None) -> ColumnElement[bool]:
    """Whether a record joined with its participant belongs to the study and passes the filter."""
    parts = [
        belongs_to(study),
        records.c.exported,
        chosen.within(records.c.received_at),
    ]
    if chosen.condition:
        parts.append(records.c.condition == chosen.condition)
    if chosen.domain:
        parts.append(records.c.domain == chosen.domain)
    if ids is not None:
        parts.append(records.c.user_id.in_(ids))
    return and_(*parts)


def _from(found: Any, mine: ColumnElement[bool]) -> Select[Any]:
    narrowed: Select[Any] = found.select_from(messages_with_participants()).where(mine)
    return narrowed


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


async def _talks(connection: AsyncConnection, mine: ColumnElement[bool]) -> list[Talk]:
    stated = records.c.intent == "preference"
    asked = cast(records.c.events, Text).contains('"disambiguation"')
    found = _from(
        select(
            records.c.condition,
            func.count(),
            _count(func.lower(records.c.intent).contains("fallback")),
            _count(stated),
            _count(stated & asked),
        ),
        mine,
    )
    rows = await connection.execute(found.group_by(records.c.condition).order_by(records.c.condition))
    return [Talk(*row) for row in rows]


async def _waits(connection: AsyncConnection, mine: ColumnElement[bool]) -> Waits | None:
    found = _from(select(records.c.received_at, records.c.answered_at), mine)
    rows = await connection.execute(found.order_by(records.c.id.desc()).limit(_RECENT))
    waits = np.array([(row[1] - row[0]).total_seconds() * 1000 for row in rows])
    if not len(waits):
        return None
    counts, _ = np.histogram(waits, [-np.inf, *WAITS_MS, np.inf])
    return Waits(float(np.median(waits)), float(np.quantile(waits, 0.95)), [int(count) for count in counts])


async def _items(connection: AsyncConnection, mine: ColumnElement[bool]) -> list[Item]:
    """Every shown item. What somebody thinks of one is in the message after it was shown."""
    before = func.lag(records.c.recommended).over(partition_by=records.c.user_id, order_by=records.c.id)
    turn = _from(
        select(
            records.c.recommended,
            before.label("before"),
            records.c.intent,
            cast(records.c.recognized_objects, Text).label("objects"),
        ),
        mine,
    ).subquery()
    new = or_(turn.c.before.is_(None), turn.c.before != turn.c.recommended)
    shown = await connection.execute(
        select(turn.c.recommended, func.count())
        .where(turn.c.recommended.is_not(None), new)
        .group_by(turn.c.recommended)
    )
    said = [turn.c.objects.contains('["' + turn.c.before + f'","{sign}"]') for sign in "+-"]
    left = or_(turn.c.recommended.is_(None), turn.c.recommended != turn.c.before)
    skipped = turn.c.intent.in_(SKIPS) & left & ~said[0] & ~said[1]
    reactions = await connection.execute(
        select(turn.c.before, _count(said[0]), _count(said[1]), _count(skipped))
        .where(turn.c.before.is_not(None))
        .group_by(turn.c.before)
    )
    found = {row[0]: row[1:] for row in reactions}
    return [Item(qid, count, *found.get(qid, ())) for qid, count in shown]


async def _answers(connection: AsyncConnection, study: StudyConfig, ids: Sequence[int] | None) -> dict[str, int]:
    found = select(answers.c.questionnaire, func.count()).where(answers.c.study == study.name)
    if ids is not None:
        found = found.where(answers.c.user_id.in_(ids))
    rows = await connection.execute(found.group_by(answers.c.questionnaire))
    return {row[0]: row[1] for row in rows}


async def _failed(connection: AsyncConnection, study: StudyConfig) -> list[int]:
    """Numbers of the participants who failed an attention check."""
    right = {
        (check.questionnaire, question.id): question.right
        for check in study.attention
        for question in questions_of(study, check.questionnaire)
        if question.right is not None
    }
    if not right:
        return []
    owner = participants.join(
        answers, and_(answers.c.user_id == participants.c.user_id, answers.c.study == participants.c.study)
    )
    rows = await connection.execute(
        select(participants.c.number, answers.c.questionnaire, answers.c.item, answers.c.value)
        .select_from(owner)
        .where(participants.c.study == study.name, answers.c.item.like("attention-%"))
    )
    return sorted({number for number, name, item, value in rows if value != right.get((name, item), value)})
