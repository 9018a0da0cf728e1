"""Make the first tables."""

import sqlalchemy as sa
from alembic import op

from bot.storage.schema import Moment, Words

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = ("learned", "lookups", "users", "conversations", "preferences", "records", "shown", "updates")


def _number(name: str, *constraints: sa.ForeignKey) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column(name, kind, *constraints, nullable=False, autoincrement="auto" if name == "id" else False)


def _owner(table: str) -> sa.Column[int]:
    return _number("user_id", sa.ForeignKey("users.id", name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"))


def upgrade() -> None:
    op.create_table(
        "learned",
        sa.Column("qid", sa.String(32), nullable=False),
        sa.Column("entity", sa.JSON(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("qid", name=op.f("pk_learned")),
    )
    op.create_table(
        "lookups",
        sa.Column("key", Words(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_lookups")),
    )
    op.create_table(
        "users",
        _number("id"),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("external_id", Words(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("seen_at", Moment(), nullable=False),
        sa.Column("consented_at", Moment(), nullable=True),
        sa.Column("blocked_at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("channel", "external_id", name=op.f("uq_users_channel_external_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "conversations",
        _owner("conversations"),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_conversations")),
    )
    op.create_table(
        "preferences",
        _owner("preferences"),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("qid", sa.String(32), nullable=False),
        sa.Column("polarity", sa.String(1), nullable=False),
        sa.Column("domain", sa.String(32), nullable=False),
        sa.Column("role", sa.String(32), nullable=True),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("user_id", "position", name=op.f("pk_preferences")),
    )
    op.create_table(
        "records",
        _number("id"),
        _owner("records"),
        sa.Column("update_id", sa.Text(), nullable=False),
        sa.Column("message", Words(), nullable=False),
        sa.Column("received_at", Moment(), nullable=False),
        sa.Column("answered_at", Moment(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("contexts", sa.JSON(), nullable=False),
        sa.Column("recognized_objects", sa.JSON(), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("pagerank_cycle", sa.Integer(), nullable=False),
        sa.Column("number_recommendation_list", sa.Integer(), nullable=False),
        sa.Column("interaction_type", sa.String(16), nullable=False),
        sa.Column("domain", sa.String(32), nullable=False),
        sa.Column("coarse_intent", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("ranking", sa.JSON(), nullable=False),
        sa.Column("reply", sa.JSON(), nullable=False),
        sa.Column("exported", sa.Boolean(), nullable=False),
        sa.Column("recommended", sa.String(32), nullable=True),
        sa.Column("recommendation_list", sa.JSON(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=True),
        sa.Column("backends", sa.JSON(), nullable=False),
        sa.Column("stages_ms", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_records")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_records_user_id"), "records", ["user_id"])
    op.create_table(
        "shown",
        _owner("shown"),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("qid", sa.String(32), nullable=False),
        sa.Column("domain", sa.String(32), nullable=False),
        sa.Column("cycle", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rating", sa.String(8), nullable=True),
        sa.Column("details", sa.Boolean(), nullable=False),
        sa.Column("why", sa.Boolean(), nullable=False),
        sa.Column("preview", sa.Boolean(), nullable=False),
        sa.Column("critiqued", sa.Boolean(), nullable=False),
        sa.Column("at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("user_id", "place", name=op.f("pk_shown")),
    )
    op.create_table(
        "updates",
        _number("id"),
        _owner("updates"),
        sa.Column("update_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("text", Words(), nullable=False),
        sa.Column("option", sa.Text(), nullable=True),
        sa.Column("received_at", Moment(), nullable=False),
        sa.Column("reply", sa.JSON(), nullable=False),
        sa.Column("claimed_at", Moment(), nullable=True),
        sa.Column("parts_sent", sa.Integer(), nullable=False),
        sa.Column("sent_at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_updates")),
        sa.UniqueConstraint("user_id", "update_id", name=op.f("uq_updates_user_id_update_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_updates_sent_at"), "updates", ["sent_at"])


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
