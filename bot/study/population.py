"""The participants of a study as the dashboard sees them, and what the page is narrowed down to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal
from urllib.parse import urlencode

from sqlalchemy import ColumnElement, select, true

from bot.storage.studies import participants as table
from bot.study.assignment import between_cells, within_cells
from bot.study.config import StudyConfig
from bot.study.desk import DROPPED_AFTER
from bot.study.journey import Step, steps_of
from bot.study.plans import plan_of
from bot.study.store import Participant, StudyStore

State = Literal["finished", "active", "dropped", "excluded"]
STATES: Sequence[State] = ("finished", "active", "dropped", "excluded")


@dataclass(frozen=True, slots=True)
class Filter:
    """What the researcher wants to see; empty fields narrow nothing.

    Attributes:
        condition: label of a whole condition.
        stage: position in the journey, from 0, as text.
        domain: of messages and shown items.
        since: first day of joining, and of messages.
        until: last day.
    """

    condition: str = ""
    stage: str = ""
    domain: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Filter":
        """From the parameters of an address; what makes no sense narrows nothing."""
        known = {name: query.get(name, "") for name in cls.__slots__}
        known["stage"] = known["stage"] if known["stage"].isdecimal() and len(known["stage"]) < 4 else ""
        for name in ("since", "until"):
            known[name] = known[name] if _day(known[name]) else ""
        return cls(**known)

    @property
    def query(self) -> str:
        """The parameters of an address, as far as they narrow anything."""
        return urlencode({name: value for name, value in asdict(self).items() if value})

    def within(self, moment: ColumnElement[datetime]) -> ColumnElement[bool]:
        """Whether a moment of the database lies within the days."""
        first, last = _day(self.since), _day(self.until)
        condition: ColumnElement[bool] = true()
        if first:
            condition = condition & (moment >= first)
        if last:
            condition = condition & (moment < last + timedelta(days=1))
        return condition


def _day(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Person:
    """One participant, without anything that tells who they are."""

    user_id: int
    number: int
    cell: str
    stage: int
    state: State
    started_at: datetime
    active_at: datetime
    finished_at: datetime | None
    reason: str


@dataclass(frozen=True, slots=True)
class Journey:
    """What all participants of a study go through, whatever their order of conditions.

    Attributes:
        steps: the end included; their conditions are those of somebody.
        stages: name of each step.
        conditions: label of each whole condition.
        cells: label of each between-subjects condition.
    """

    steps: tuple[Step, ...]
    stages: tuple[str, ...]
    conditions: tuple[str, ...]
    cells: tuple[str, ...]


def journey_of(study: StudyConfig) -> Journey:
    """The steps and conditions of a study."""
    cells, within = between_cells(study), within_cells(study)
    conditions = tuple(
        dict.fromkeys(
            condition.label for cell in cells for condition in plan_of(study, _somebody(study, cell.label)).conditions
        )
    )
    steps = steps_of(study, plan_of(study, _somebody(study, cells[0].label)))
    part, names, before = 0, [], None
    for step in steps:
        if step.condition is not None and step.condition != before:
            part, before = part + 1, step.condition
        name = "finished" if step.kind == "done" else f"{step.kind} {step.name or step.battle + 1}"
        names.append(f"{name} (part {part})" if step.condition is not None and len(within) > 1 else name)
    return Journey(steps, tuple(names), conditions, tuple(cell.label for cell in cells))


def _somebody(study: StudyConfig, cell: str) -> Participant:
    """Stands for whoever is in a between-subjects condition, with the first order of the others."""
    moment = datetime.min.replace(tzinfo=UTC)
    return Participant(0, study.name, 0, "", "", cell, 0, moment, moment, moment)


async def population(store: StudyStore, study: StudyConfig, chosen: Filter, number: int | None = None) -> list[Person]:
    """The participants that a filter leaves, by number: one query, however many they are.

    Args:
        store: of the study.
        study: its design.
        chosen: the filter.
        number: of the only participant wanted; None for all.
    """
    columns = [
        table.c.user_id, table.c.number, table.c.cell, table.c.step, table.c.started_at, table.c.active_at,
        table.c.finished_at, table.c.excluded,
    ]  # fmt: skip
    found = select(*columns).where(table.c.study == study.name, chosen.within(table.c.started_at))
    if number is not None:
        found = found.where(table.c.number == number)
    if chosen.stage:
        found = found.where(table.c.step == int(chosen.stage))
    if chosen.condition:
        found = found.where(table.c.cell.in_(_cells_with(study, chosen.condition)))
    async with store.sql.reading() as connection:
        rows = (await connection.execute(found.order_by(table.c.number))).all()
    silent_since = store.sql.now() - DROPPED_AFTER
    return [_person(row, silent_since) for row in rows]


def _cells_with(study: StudyConfig, condition: str) -> list[str]:
    """The between-subjects conditions whose participants come through a condition."""
    return [
        cell.label
        for cell in between_cells(study)
        if condition in {one.label for one in plan_of(study, _somebody(study, cell.label)).conditions}
    ]


def _person(row: Any, silent_since: datetime) -> Person:
    state: State = "active"
    if row.excluded is not None:
        state = "excluded"
    elif row.finished_at is not None:
        state = "finished"
    elif row.active_at < silent_since:
        state = "dropped"
    return Person(
        row.user_id, row.number, row.cell, row.step, state, row.started_at, row.active_at, row.finished_at,
        row.excluded or "",
    )  # fmt: skip


def by_state(people: Sequence[Person]) -> Mapping[State, int]:
    """How many are in each state."""
    counts = Counter(person.state for person in people)
    return {state: counts[state] for state in STATES}
