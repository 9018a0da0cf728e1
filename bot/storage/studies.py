"""The tables of studies. Everything of a participant belongs to a user and disappears with them."""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, String, Table, Text

from bot.storage.schema import Moment, Words, big_id, metadata, owner

participants = Table(
    "study_participants",
    metadata,
    owner(primary_key=True, autoincrement=False),
    Column("study", String(64), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("recruited", JSON, nullable=False),
    Column("language", String(8), nullable=False),
    Column("consent_version", Text, nullable=False),
    Column("cell", Text, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("step", Integer, nullable=False),
    Column("item", Integer, nullable=False),
    Column("progress", JSON, nullable=False),
    Column("prompted", Boolean, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("step_at", Moment, nullable=False),
    Column("active_at", Moment, nullable=False),
    Column("finished_at", Moment),
    Column("excluded", Text),
    Index(None, "study", "number"),
)

answers = Table(
    "study_answers",
    metadata,
    owner(primary_key=True, autoincrement=False),
    Column("study", String(64), primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("item", String(64), primary_key=True),
    Column("condition", Text, nullable=False),
    Column("questionnaire", String(64), nullable=False),
    Column("value", Integer, nullable=False),
    Column("answered_at", Moment, nullable=False),
)

votes = Table(
    "study_votes",
    metadata,
    owner(primary_key=True, autoincrement=False),
    Column("study", String(64), primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("first", String(64), nullable=False),
    Column("second", String(64), nullable=False),
    Column("choice", String(64), nullable=False),
    Column("feedback", Words, nullable=False),
    Column("voted_at", Moment, nullable=False),
)

studies = Table(
    "studies",
    metadata,
    Column("study", String(64), primary_key=True),
    Column("status", String(16), nullable=False),
)

audit = Table(
    "study_audit",
    metadata,
    Column("id", big_id, primary_key=True),
    Column("study", String(64), nullable=False),
    Column("at", Moment, nullable=False),
    Column("who", Words, nullable=False),
    Column("action", String(32), nullable=False),
    Column("detail", Words, nullable=False),
    Index(None, "study"),
    sqlite_autoincrement=True,
)
