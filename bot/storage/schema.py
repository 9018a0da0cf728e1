"""The tables. `migrations/` builds them; a test keeps both the same."""

import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """A point in time, kept in UTC and given back with its time zone (SQLite has none)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment in UTC, without its zone where the database knows none."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """The moment in UTC, whatever zone the database session has."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(TypeDecorator[str]):
    """Text that people wrote: what no database can hold (NUL, half a surrogate pair) becomes U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        """The text in a form that every database takes."""
        return None if value is None else storable(value)


def storable(text: str) -> str:
    """The text with U+FFFD for NUL characters and lone surrogates."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


big_id = BigInteger().with_variant(Integer, "sqlite")


def owner(**options: Any) -> Column[int]:
    """The user whom a row belongs to and disappears with."""
    return Column("user_id", big_id, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, **options)


users = Table(
    "users",
    metadata,
    Column("id", big_id, primary_key=True),
    Column("channel", String(32), nullable=False),
    Column("external_id", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("consented_at", Moment),
    Column("blocked_at", Moment),
    UniqueConstraint("channel", "external_id"),
    sqlite_autoincrement=True,
)

conversations = Table(
    "conversations",
    metadata,
    owner(primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("state", JSON, nullable=False),
)

preferences = Table(
    "preferences",
    metadata,
    owner(primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("qid", String(32), nullable=False),
    Column("polarity", String(1), nullable=False),
    Column("domain", String(32), nullable=False),
    Column("role", String(32)),
    Column("source", String(16), nullable=False),
    Column("at", Moment),
)

shown = Table(
    "shown",
    metadata,
    owner(primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("qid", String(32), nullable=False),
    Column("domain", String(32), nullable=False),
    Column("cycle", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("rating", String(8)),
    Column("details", Boolean, nullable=False),
    Column("why", Boolean, nullable=False),
    Column("preview", Boolean, nullable=False),
    Column("critiqued", Boolean, nullable=False),
    Column("at", Moment),
)

records = Table(
    "records",
    metadata,
    Column("id", big_id, primary_key=True),
    owner(),
    Column("update_id", Words, nullable=False),
    Column("message", Words, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("answered_at", Moment, nullable=False),
    Column("intent", Text, nullable=False),
    Column("contexts", JSON, nullable=False),
    Column("recognized_objects", JSON, nullable=False),
    Column("events", JSON, nullable=False),
    Column("pagerank_cycle", Integer, nullable=False),
    Column("number_recommendation_list", Integer, nullable=False),
    Column("interaction_type", String(16), nullable=False),
    Column("domain", String(32), nullable=False),
    Column("coarse_intent", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("ranking", JSON, nullable=False),
    Column("reply", JSON, nullable=False),
    Column("exported", Boolean, nullable=False),
    Column("recommended", String(32)),
    Column("recommendation_list", JSON, nullable=False),
    Column("condition", Text),
    Column("backends", JSON, nullable=False),
    Column("stages_ms", JSON, nullable=False),
    Index(None, "user_id"),
    sqlite_autoincrement=True,
)

updates = Table(
    "updates",
    metadata,
    Column("id", big_id, primary_key=True),
    owner(),
    Column("update_id", Words, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("text", Words, nullable=False),
    Column("option", Words),
    Column("received_at", Moment, nullable=False),
    Column("reply", JSON, nullable=False),
    Column("claimed_at", Moment),
    Column("parts_sent", Integer, nullable=False),
    Column("sent_at", Moment),
    UniqueConstraint("user_id", "update_id"),
    Index(None, "sent_at"),
    sqlite_autoincrement=True,
)

learned = Table(
    "learned",
    metadata,
    Column("qid", String(32), primary_key=True),
    Column("entity", JSON, nullable=False),
    Column("at", Moment, nullable=False),
)

lookups = Table(
    "lookups",
    metadata,
    Column("key", Words, primary_key=True),
    Column("answer", JSON, nullable=False),
    Column("expires_at", Moment, nullable=False),
)
