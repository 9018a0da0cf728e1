"""Add the tables of studies."""

import sqlalchemy as sa
from alembic import op

from bot.storage.schema import Moment, Words

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = ("study_answers", "study_votes", "study_participants", "studies", "study_audit")


def _number(name: str, *constraints: sa.ForeignKey) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column(name, kind, *constraints, nullable=False, autoincrement="auto" if name == "id" else False)


def _owner(table: str) -> sa.Column[int]:
    return _number("user_id", sa.ForeignKey("users.id", name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"))


def upgrade() -> None:
    op.create_table(
        "study_participants",
        _owner("study_participants"),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("recruited", sa.JSON(), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("consent_version", sa.Text(), nullable=False),
        sa.Column("cell", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("prompted", sa.Boolean(), nullable=False),
        sa.Column("started_at", Moment(), nullable=False),
        sa.Column("step_at", Moment(), nullable=False),
        sa.Column("active_at", Moment(), nullable=False),
        sa.Column("finished_at", Moment(), nullable=True),
        sa.Column("excluded", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("user_id", "study", name=op.f("pk_study_participants")),
    )
    op.create_index(op.f("ix_study_participants_study_number"), "study_participants", ["study", "number"])
    op.create_table(
        "study_answers",
        _owner("study_answers"),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item", sa.String(64), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.Column("questionnaire", sa.String(64), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("answered_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "study", "step", "item", name=op.f("pk_study_answers")),
    )
    op.create_table(
        "study_votes",
        _owner("study_votes"),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("first", sa.String(64), nullable=False),
        sa.Column("second", sa.String(64), nullable=False),
        sa.Column("choice", sa.String(64), nullable=False),
        sa.Column("feedback", Words(), nullable=False),
        sa.Column("voted_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "study", "step", name=op.f("pk_study_votes")),
    )
    op.create_table(
        "studies",
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("study", name=op.f("pk_studies")),
    )
    op.create_table(
        "study_audit",
        _number("id"),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("who", Words(), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("detail", Words(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_study_audit_study"), "study_audit", ["study"])


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
