"""What was said in a conversation, for channels that show it again: the page of a browser that comes back."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.channels.base import Reply, UserKey
from bot.dialogue.state import DialogueState
from bot.storage import schema
from bot.storage.codec import reply_from, state_from
from bot.storage.statements import is_user


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message of the user with its reply.

    Attributes:
        number: grows with every exchange of the user.
        kind: of the turn: "text", "option" or "media".
    """

    number: int
    update_id: str
    kind: str
    text: str
    reply: Reply


async def exchanges(
    connection: AsyncConnection,
    user: UserKey,
    *,
    prefix: str = "",
    after: int = 0,
    before: int | None = None,
    most: int = 50,
) -> Sequence[Exchange]:
    """The latest exchanges of a user, oldest first.

    Args:
        connection: to read with.
        user: whose.
        prefix: with which the update ids begin.
        after: number of an exchange; only later ones are given.
        before: number of an exchange; only earlier ones are given.
        most: number of exchanges to give; the latest.
    """
    table = schema.updates
    chosen = (
        select(table)
        .join(schema.users, schema.users.c.id == table.c.user_id)
        .where(is_user(user), table.c.id > after, table.c.update_id.startswith(prefix, autoescape=True))
        .order_by(table.c.id.desc())
        .limit(most)
    )
    if before is not None:
        chosen = chosen.where(table.c.id < before)
    rows = (await connection.execute(chosen)).all()
    return tuple(Exchange(row.id, row.update_id, row.kind, row.text, reply_from(row.reply)) for row in reversed(rows))


async def last_number(connection: AsyncConnection, user: UserKey, prefix: str) -> int:
    """Number of the user's last exchange whose update id begins so; 0 when there is none."""
    table = schema.updates
    rows = await connection.execute(
        select(func.max(table.c.id))
        .join(schema.users, schema.users.c.id == table.c.user_id)
        .where(is_user(user), table.c.update_id.startswith(prefix, autoescape=True))
    )
    return int(rows.scalar() or 0)


async def state_of(connection: AsyncConnection, user: UserKey) -> DialogueState | None:
    """Where the user's conversation stands; None for a user never seen before."""
    table = schema.conversations
    rows = await connection.execute(
        select(table).join(schema.users, schema.users.c.id == table.c.user_id).where(is_user(user))
    )
    row = rows.first()
    return None if row is None else state_from(row.version, row.state)
