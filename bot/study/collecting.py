"""The tables of a study, read from the database: pseudonymous, one row an observation."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.records import Record
from bot.storage import schema
from bot.storage import studies as tables
from bot.storage.codec import record_from
from bot.study.belonging import belongs_to, messages_with_participants
from bot.study.config import StudyConfig
from bot.study.journey import SKIPS, Step, questions_of, steps_of
from bot.study.measures import StudyTables
from bot.study.plans import plan_of
from bot.study.store import Participant, StudyStore

MESSAGE_COLUMNS = [
    "participant", "condition", "received_at", "answered_at", "intent", "events", "objects", "domain",
    "interaction_type",
]  # fmt: skip
SHOWN_COLUMNS = ["participant", "condition", "domain", "cycle", "position", "item", "rating"]
ANSWER_COLUMNS = ["participant", "condition", "questionnaire", "item", "value", "right"]
VOTE_COLUMNS = ["participant", "first", "second", "choice", "feedback", "voted_at"]


async def collect(store: StudyStore, study: StudyConfig) -> StudyTables:
    """Everything recorded in a study.

    Args:
        store: of the study.
        study: its design.
    """
    people = await store.participants()
    numbers = {person.user_id: person.number for person in people}
    records = [(numbers[user], record) for user, record in await records_of(store, study)]
    async with store.sql.reading() as connection:
        answers = await _rows(connection, tables.answers, study, numbers)
        votes = await _rows(connection, tables.votes, study, numbers)
    return StudyTables(
        participants=_participants(people, study),
        messages=_messages(records),
        shown=shown_items(records),
        answers=_answers(answers, study),
        votes=_frame(votes, VOTE_COLUMNS),
        conditions=_conditions(people, study),
    )


async def records_of(store: StudyStore, study: StudyConfig) -> list[tuple[int, Record]]:
    """The messages of a study with the database's ids of their users, each user's in order."""
    found = (
        select(schema.records)
        .select_from(messages_with_participants())
        .where(belongs_to(study))
        .order_by(schema.records.c.user_id, schema.records.c.id)
    )
    async with store.sql.reading() as connection:
        return [(row["user_id"], record_from(dict(row))) for row in (await connection.execute(found)).mappings()]


async def _rows(
    connection: AsyncConnection, table: Any, study: StudyConfig, numbers: dict[int, int]
) -> list[dict[str, Any]]:
    found = await connection.execute(select(table).where(table.c.study == study.name))
    return [{**row, "participant": numbers[row["user_id"]]} for row in found.mappings() if row["user_id"] in numbers]


def _frame(rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame([[row.get(name) for name in columns] for row in rows], columns=list(columns))


def _participants(people: Sequence[Participant], study: StudyConfig) -> pd.DataFrame:
    rows = []
    for person in people:
        plan = plan_of(study, person)
        steps = steps_of(study, plan)
        rows.append(
            {
                "participant": person.number,
                "cell": person.cell,
                "stage": _stage(steps[min(person.step, len(steps) - 1)]),
                "finished": person.finished_at is not None,
                "excluded": person.excluded is not None,
                "reason": person.excluded or "",
                "language": person.language,
                "started_at": person.started_at,
                "finished_at": person.finished_at,
                "active_at": person.active_at,
            }
        )
    columns = [
        "participant", "cell", "stage", "finished", "excluded", "reason", "language", "started_at", "finished_at",
        "active_at",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).astype({"finished": bool, "excluded": bool})


def _stage(step: Step) -> str:
    name = f"{step.kind} {step.name or step.battle + 1}" if step.kind != "done" else "done"
    return f"{name} ({step.condition.label})" if step.condition and step.condition.levels else name


def _conditions(people: Sequence[Participant], study: StudyConfig) -> pd.DataFrame:
    rows = [
        {"participant": person.number, "condition": condition.label, "order": place, **dict(condition.levels)}
        for person in people
        for place, condition in enumerate(plan_of(study, person).conditions, 1)
    ]
    return pd.DataFrame(rows, columns=["participant", "condition", "order", *study.factors])


def _messages(records: Iterable[tuple[int, Record]]) -> pd.DataFrame:
    rows = [
        (
            number,
            record.condition,
            record.received_at,
            record.answered_at,
            record.intent,
            list(record.events),
            [f"{qid}{sign}" for qid, sign in record.recognized_objects],
            record.domain,
            record.interaction_type,
        )
        for number, record in records
        if record.exported
    ]
    return pd.DataFrame(rows, columns=MESSAGE_COLUMNS)


def shown_items(records: Iterable[tuple[int, Record]]) -> pd.DataFrame:
    """Items shown, with the first reaction to each, from the records of each participant in order."""
    rows: list[list[Any]] = []
    before: tuple[int, Record] | None = None
    for number, record in records:
        if before is not None and before[0] == number and before[1].condition == record.condition and rows:
            _react(rows[-1], before[1], record)
        if record.recommended and (not rows or rows[-1][:2] != [number, record.condition] or _is_new(rows[-1], record)):
            listed = record.recommendation_list
            place = listed.index(record.recommended) if record.recommended in listed else 0
            rows.append(
                [
                    number,
                    record.condition,
                    record.domain,
                    record.pagerank_cycle,
                    place,
                    record.recommended,
                    None,
                ]
            )
        before = (number, record)
    return pd.DataFrame(rows, columns=SHOWN_COLUMNS)


def _is_new(row: list[Any], record: Record) -> bool:
    return bool(row[5] != record.recommended or row[3] != record.pagerank_cycle)


def _react(row: list[Any], before: Record, record: Record) -> None:
    """Notes what the user said of the item that was shown."""
    shown = before.recommended
    if shown is None or row[5] != shown or row[6] is not None:
        return
    opinions = dict(record.recognized_objects)
    if shown in opinions:
        row[6] = opinions[shown]
    elif record.intent in SKIPS and record.recommended != shown:
        row[6] = "skip"


def _answers(rows: Iterable[dict[str, Any]], study: StudyConfig) -> pd.DataFrame:
    made = []
    for row in rows:
        checks = {question.id: question.right for question in questions_of(study, row["questionnaire"])}
        right = checks.get(row["item"])
        made.append({**row, "right": None if right is None else row["value"] == right})
    return _frame(made, ANSWER_COLUMNS)
