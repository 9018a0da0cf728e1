"""Add researchers' accounts with their sessions, and studies that are made in the browser."""

import sqlalchemy as sa
from alembic import op

from bot.storage.schema import Moment, Words

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = ("study_designs", "account_sessions", "accounts")


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "accounts",
        sa.Column("id", number, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("locked_until", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "account_sessions",
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_account_sessions_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_account_sessions")),
    )
    op.create_index(op.f("ix_account_sessions_account_id"), "account_sessions", ["account_id"])
    op.create_table(
        "study_designs",
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("design", Words(), nullable=False),
        sa.Column("added_by", sa.String(64), nullable=False),
        sa.Column("added_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("study", name=op.f("pk_study_designs")),
    )


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
