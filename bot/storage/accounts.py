"""The tables of researchers' accounts. They belong to no participant."""

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text

from bot.storage.schema import Moment, Words, big_id, metadata

accounts = Table(
    "accounts",
    metadata,
    Column("id", big_id, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("password", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("locked_until", Moment),
    sqlite_autoincrement=True,
)

sessions = Table(
    "account_sessions",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("account_id", big_id, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index(None, "account_id"),
)

designs = Table(
    "study_designs",
    metadata,
    Column("study", String(64), primary_key=True),
    Column("design", Words, nullable=False),
    Column("added_by", String(64), nullable=False),
    Column("added_at", Moment, nullable=False),
)
