"""Which messages belong to a study: those of its participants in its conditions, while they took part."""

from sqlalchemy import ColumnElement, FromClause, and_, or_

from bot.storage.schema import records
from bot.storage.studies import participants
from bot.study.config import StudyConfig


def messages_with_participants() -> FromClause:
    """Records joined with their participants."""
    return records.join(participants, participants.c.user_id == records.c.user_id)


def belongs_to(study: StudyConfig) -> ColumnElement[bool]:
    """Whether a record joined with a participant belongs to a study; somebody may take part in several."""
    return and_(
        participants.c.study == study.name,
        records.c.condition.is_not(None),
        records.c.received_at >= participants.c.started_at,
        or_(participants.c.finished_at.is_(None), records.c.received_at <= participants.c.finished_at),
    )
