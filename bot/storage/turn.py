"""One turn against the database: reading what is known of a user, writing what the turn leaves behind."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, Table, delete, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.channels.base import Reply, Turn, UserKey
from bot.dialogue.state import DialogueState, Preference, Profile, Shown
from bot.storage import schema, statements
from bot.storage.base import Outcome
from bot.storage.codec import STATE_VERSION, columns_of, record_row, reply_from, state_from, to_json
from bot.storage.statements import is_user, key_of

if TYPE_CHECKING:
    from bot.storage.store import SqlStore


class SqlTurn:
    """Implements `bot.storage.base.OpenTurn`.

    On PostgreSQL it works in the transaction that holds the user's lock; on SQLite it opens one to read, one to save.
    """

    def __init__(self, store: "SqlStore", turn: Turn, connection: AsyncConnection | None) -> None:
        self._store = store
        self._turn = turn
        self._connection = connection
        self.user_id = 0
        self.consented = False
        self.state: DialogueState | None = None
        self.profile = Profile()
        self.repeated: Reply | None = None

    async def load(self) -> None:
        """Reads everything that is known of the user. Raises StorageError."""
        async with self._reading() as connection:
            user = (await connection.execute(statements.known(), key_of(self._turn))).first()
            if user is None:
                return
            self.user_id, self.consented = user.id, user.consented_at is not None
            self.repeated = None if user.reply is None else reply_from(user.reply)
            self.state = None if user.state is None else state_from(user.version, user.state)
            self.profile = await load_profile(connection, user.id)

    async def save(self, outcome: Outcome) -> None:
        """Writes the outcome and commits. Raises StorageError."""
        async with self._writing() as connection:
            if outcome.forget:
                await connection.execute(delete(schema.users).where(is_user(self._turn.user)))
            else:
                await self._write(connection, outcome)
        if outcome.forget:
            await self._store.erased()

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[AsyncConnection]:
        async with AsyncExitStack() as stack:
            if self._connection is None:
                yield await stack.enter_async_context(self._store.reading())
                return
            stack.enter_context(self._store.explained())
            yield self._connection

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        if self._connection is None:
            async with self._store.writing() as connection:
                yield connection
            return
        with self._store.explained():
            yield self._connection
            await self._connection.commit()

    async def _write(self, connection: AsyncConnection, outcome: Outcome) -> None:
        owner = await self._write_user(connection, outcome.consent)
        await connection.execute(statements.added(schema.updates), self._update_row(owner, outcome.reply))
        await self._write_state(connection, owner, outcome.state)
        before, after = self.profile, outcome.profile
        await _write_changed(connection, schema.preferences, "position", owner, before.preferences, after.preferences)
        await _write_changed(connection, schema.shown, "place", owner, before.shown, after.shown)
        if outcome.records:
            key = {"user_id": owner, "update_id": self._turn.update_id}
            await connection.execute(
                statements.added(schema.records), [{**key, **record_row(record)} for record in outcome.records]
            )
        for entity in outcome.learned:
            row = {"qid": entity.qid, "entity": to_json(entity), "at": self._store.now()}
            await upsert(connection, schema.learned, row)
        if outcome.also:
            await outcome.also(connection, owner)

    async def _write_user(self, connection: AsyncConnection, consent: bool | None) -> int:
        now, user = self._store.now(), self._turn.user
        values: dict[str, Any] = {"seen_at": now, "blocked_at": None}
        if consent is not None:
            values["consented_at"] = now if consent else None
        if self.user_id:
            await _change(connection, schema.users, "id", self.user_id, values)
            return self.user_id
        row = {"channel": user.channel, "external_id": user.external_id, "created_at": now, **values}
        made = await connection.execute(insert(schema.users).values(**row).returning(schema.users.c.id))
        return int(made.scalar_one())

    def _update_row(self, owner: int, reply: Reply) -> dict[str, Any]:
        turn = self._turn
        return {
            "user_id": owner,
            "update_id": turn.update_id,
            "kind": turn.kind,
            "text": turn.text,
            "option": turn.option,
            "received_at": turn.received_at,
            "reply": to_json(reply),
            "parts_sent": 0,
        }

    async def _write_state(self, connection: AsyncConnection, owner: int, state: DialogueState) -> None:
        table = schema.conversations
        values = {"version": STATE_VERSION, "state": to_json(state)}
        if self.state is None:
            await connection.execute(statements.added(table), {"user_id": owner, **values})
        else:
            await _change(connection, table, "user_id", owner, values)


def turn_from(row: Row[Any], channel: str) -> Turn:
    """The turn of an update's row, joined with its user."""
    user = UserKey(channel, row.external_id)
    return Turn(user, row.update_id, row.kind, row.text, row.received_at, row.option)


async def load_profile(connection: AsyncConnection, user_id: int) -> Profile:
    """The profile of a user, in order of first mention."""
    owner = {"user_id": user_id}
    liked = await connection.execute(statements.listed(schema.preferences, "position"), owner)
    shown = await connection.execute(statements.listed(schema.shown, "place"), owner)
    return Profile(
        tuple(Preference(**row) for row in liked.mappings()),
        tuple(Shown(**row) for row in shown.mappings()),
    )


async def upsert(connection: AsyncConnection, table: Table, row: dict[str, Any]) -> None:
    """Inserts a row, or overwrites the one with the same primary key."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    keys = [column.name for column in table.primary_key]
    rest = {name: value for name, value in row.items() if name not in keys}
    await connection.execute(dialect.insert(table).values(**row).on_conflict_do_update(index_elements=keys, set_=rest))


async def _change(connection: AsyncConnection, table: Table, key: str, owner: int, values: dict[str, Any]) -> None:
    named = {statements.NEW + name: value for name, value in values.items()}
    await connection.execute(statements.changed(table, key, *values), {"owner": owner, **named})


async def _write_changed(
    connection: AsyncConnection, table: Table, place: str, owner: int, before: Sequence[Any], after: Sequence[Any]
) -> None:
    """Writes a list again from the first entry that differs: one row for what was added at the end."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    if same < len(before):
        await connection.execute(statements.cut(table, place), {"owner": owner, "same": same})
    if same < len(after):
        rows = [{"user_id": owner, place: same + i, **columns_of(value)} for i, value in enumerate(after[same:])]
        await connection.execute(statements.added(table), rows)
