"""What a participant and the bot said to each other, for those who watch a study: without names and addresses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, select

from bot.export.redaction import redact
from bot.storage.codec import reply_from
from bot.storage.schema import records, updates
from bot.study.population import Person
from bot.study.store import StudyStore

AT_ONCE = 200
"""Exchanges that are shown at once, from the first that has not been seen."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message with what came back.

    Attributes:
        id: rises with time.
        pressed: whether a button was pressed.
        intent: what the message was understood as; empty between conversations.
        condition: in force.
        objects: id (or name, once it is looked up) and sign of what was recognised.
    """

    id: int
    at: datetime
    said: str
    pressed: bool
    replies: tuple[str, ...]
    options: tuple[str, ...]
    intent: str
    condition: str
    objects: tuple[tuple[str, str], ...]


async def transcript(store: StudyStore, person: Person, after: int = 0) -> Sequence[Exchange]:
    """The exchanges of a participant since they joined, oldest first.

    Args:
        store: of the study.
        person: the participant.
        after: id of the last exchange that has been seen.
    """
    same = and_(records.c.user_id == updates.c.user_id, records.c.update_id == updates.c.update_id)
    found = (
        select(
            updates.c.id, updates.c.received_at, updates.c.text, updates.c.kind, updates.c.reply, records.c.intent,
            records.c.condition, records.c.recognized_objects,
        )
        .select_from(updates.outerjoin(records, same))
        .where(updates.c.user_id == person.user_id, updates.c.id > after)
        .order_by(updates.c.id)
        .limit(AT_ONCE)
    )  # fmt: skip
    async with store.sql.reading() as connection:
        rows = (await connection.execute(found)).all()
    return [_exchange(row) for row in rows]


def _exchange(row: Any) -> Exchange:
    reply = reply_from(row.reply)
    return Exchange(
        row.id,
        row.received_at,
        _said(row),
        row.kind == "option",
        tuple(redact(text)[0] for text in reply.texts),
        tuple(option.label for option in reply.options),
        row.intent or "",
        row.condition or "",
        tuple((qid, sign) for qid, sign in row.recognized_objects or ()),
    )


def _said(row: Any) -> str:
    """What a participant wrote; how they came in tells who they are, so only that they did is said."""
    if row.text.startswith("/start") or (row.kind == "option" and not row.text):
        return "joined"
    return redact(row.text)[0] if row.text else "(a picture or a sound)"
