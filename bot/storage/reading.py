"""What is read from the database apart from turns: one person's data, and the records of all for exports."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.channels.base import UserKey
from bot.records import Record
from bot.storage import schema
from bot.storage.codec import record_from
from bot.storage.statements import is_user
from data.model import Qid


async def rows_of_user(connection: AsyncConnection, user: UserKey) -> dict[str, Any]:
    """Every row of a user in every table, as JSON data.

    Args:
        connection: to read with.
        user: whose data.

    Returns:
        Name of a table to its rows; empty for a user of whom nothing is stored.
    """
    known = (await connection.execute(select(schema.users).where(is_user(user)))).mappings().first()
    if known is None:
        return {}
    found: dict[str, Any] = {"users": [_plain(known)]}
    for table in schema.metadata.sorted_tables:
        if "user_id" in table.c:
            rows = await connection.execute(select(table).where(table.c.user_id == known["id"]))
            found[table.name] = [_plain(row) for row in rows.mappings()]
    return found


def _plain(row: Any) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}


async def all_records(connection: AsyncConnection) -> AsyncIterator[tuple[int, Record]]:
    """The id of the user and the record, for every message of everybody, in the order of arrival."""
    table = schema.records
    rows = await connection.stream(select(table).order_by(table.c.received_at, table.c.id))
    async for row in rows.mappings():
        yield row["user_id"], record_from(dict(row))


async def likes_of_consenting(connection: AsyncConnection) -> dict[int, list[Qid]]:
    """What each user likes who has agreed that it is stored, in the order in which it was said."""
    table, users = schema.preferences, schema.users
    rows = await connection.execute(
        select(table.c.user_id, table.c.qid)
        .join(users, users.c.id == table.c.user_id)
        .where(users.c.consented_at.is_not(None), table.c.polarity == "+")
        .order_by(table.c.user_id, table.c.position)
    )
    found: dict[int, list[Qid]] = {}
    for row in rows:
        found.setdefault(row.user_id, []).append(row.qid)
    return found


async def purge(connection: AsyncConnection, before: datetime) -> int:
    """Deletes messages and stored replies older than a moment, and users who were not seen since.

    Returns:
        How many messages were deleted.
    """
    gone = await connection.execute(delete(schema.records).where(schema.records.c.received_at < before))
    await connection.execute(delete(schema.updates).where(schema.updates.c.received_at < before))
    await connection.execute(delete(schema.users).where(schema.users.c.seen_at < before))
    return int(gone.rowcount)
