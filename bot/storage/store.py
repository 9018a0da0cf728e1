"""The store on SQLite or PostgreSQL: one transaction a turn, one turn at a time for each user."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Row, Select, delete, select, update
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.channels.base import Reply, Turn, UserKey
from bot.storage import schema, statements
from bot.storage.base import OpenTurn
from bot.storage.codec import entity_from, reply_from
from bot.storage.engine import MOST_TURNS, WRITING, explained, make_file, make_folder, open_engine, single_statements
from bot.storage.locks import FileLocks, UserLocks, lock_number
from bot.storage.reading import likes_of_consenting, purge, rows_of_user
from bot.storage.statements import is_user, key_of
from bot.storage.turn import SqlTurn, turn_from, upsert
from bot.storage.upgrade import LOCK, upgrade
from data.model import Entity, Qid

LEASE = timedelta(seconds=10)
"""How long a process that has begun to send a reply is trusted to be alive."""

Clock = Callable[[], datetime]


@asynccontextmanager
async def open_store(url: URL, clock: Clock) -> AsyncIterator["SqlStore"]:
    """The store of a database, which is made or brought up to date first.

    Args:
        url: of SQLite or PostgreSQL, with its async driver.
        clock: gives the present moment, with time zone.

    Yields:
        The store.

    Raises:
        StorageError: the database cannot be opened; the message names it and the remedy.
    """
    make_folder(url)
    engine = open_engine(url)
    single = single_statements(engine)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(engine.dispose)
        stack.push_async_callback(single.dispose)
        files = None
        with explained(url):
            if url.get_backend_name() == "sqlite":
                make_file(url)
                files = FileLocks(Path(f"{url.database}.lock"))
                stack.callback(files.close)
            async with files.hold(LOCK) if files else nullcontext():
                await upgrade(engine)
        yield SqlStore(engine, single, files, clock)


class SqlStore:
    """Implements `bot.storage.base.Store`, and what channels need to send each reply once.

    PostgreSQL orders the turns of a user by an advisory lock that the turn's transaction holds. SQLite has one write
    lock for all, so a turn only takes it to save; the order is kept by locks on a file beside the database.
    """

    def __init__(self, engine: AsyncEngine, single: AsyncEngine, files: FileLocks | None, clock: Clock) -> None:
        self._engine = engine
        self._writing = engine.execution_options(**WRITING)
        self._single = single
        self._files = files
        self._clock = clock
        self._users = UserLocks()
        self._after_erasing: list[Callable[[], Awaitable[None]]] = []
        self._places = asyncio.Semaphore(MOST_TURNS)

    @asynccontextmanager
    async def open_turn(self, turn: Turn) -> AsyncIterator[OpenTurn]:
        """Loads what is known of the user, who stays locked until the context ends. Raises StorageError."""
        async with self.hold(turn.user) as connection:
            opened = SqlTurn(self, turn, connection)
            await opened.load()
            yield opened

    @asynccontextmanager
    async def hold(self, user: UserKey) -> AsyncIterator[AsyncConnection | None]:
        """Locks a user; on PostgreSQL by a transaction, which is given to work in."""
        name = f"{user.channel}:{user.external_id}"
        async with self._users.hold(user), AsyncExitStack() as stack:
            if self._files:
                await stack.enter_async_context(self._files.hold(name))
                yield None
                return
            await stack.enter_async_context(self._places)
            with explained(self._engine.url):
                connection = await stack.enter_async_context(self._engine.connect())
                await connection.execute(statements.advisory_lock(), {"number": lock_number(name)})
            yield connection

    async def erase(self, user: UserKey) -> bool:
        """Deletes every row of a user, after the turn in hand. Tells whether there was one. Raises StorageError."""
        async with self.hold(user), self.writing() as connection:
            gone = await connection.execute(delete(schema.users).where(is_user(user)))
        await self.erased()
        return gone.rowcount > 0

    def after_erasing(self, action: Callable[[], Awaitable[None]]) -> None:
        """Has something done each time after this process has erased somebody."""
        self._after_erasing.append(action)

    async def erased(self) -> None:
        """Somebody has been erased: does what is to be done then."""
        for action in self._after_erasing:
            await action()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read with. Raises StorageError."""
        with explained(self._engine.url):
            async with self._engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction to write in, committed when the context ends well. Raises StorageError."""
        with explained(self._engine.url):
            async with self._writing.begin() as connection:
                yield connection

    @asynccontextmanager
    async def _statement(self) -> AsyncIterator[AsyncConnection]:
        """A connection for a single statement, which needs no transaction around it. Raises StorageError."""
        with explained(self._engine.url):
            async with self._single.begin() as connection:
                yield connection

    async def first(self, query: Select[Any], values: Mapping[str, Any]) -> Row[Any] | None:
        """The first row that a query finds, given the values of its parameters. Raises StorageError."""
        async with self._statement() if self._files is None else self.reading() as connection:
            row: Row[Any] | None = (await connection.execute(query, values)).first()
            return row

    def explained(self) -> AbstractContextManager[None]:
        """Turns database errors into StorageErrors that name the database and the remedy."""
        return explained(self._engine.url)

    def now(self) -> datetime:
        """The present moment."""
        return self._clock()

    # What channels need to send each reply once, whatever dies in between.

    async def claim(self, turn: Turn) -> int | Literal["wait"] | None:
        """Reserves the sending of a turn's reply for the caller, for as long as the lease.

        Returns:
            How many messages of the reply are sent already (0 when nothing of the turn was stored); "wait" when an
            earlier reply to the user is not sent yet; None when all is sent, or when another process is at it.
        """
        now = self._clock()
        moments = {"now": now, "lapsed": now - LEASE, "ahead": now + LEASE}
        async with self._statement() as connection:
            row = (await connection.execute(statements.claim(), {**key_of(turn), **moments})).first()
            if row is not None:
                return int(row.parts_sent)
            row = (await connection.execute(statements.claimed(), key_of(turn))).first()
        if row is None:
            return 0
        return "wait" if row.sent_at is None and row.waits else None

    async def mark_part(self, turn: Turn, parts: int) -> None:
        """Notes that so many messages of the reply are sent, and renews the lease."""
        await self._stamp(turn, parts_sent=parts, claimed_at=self._clock())

    async def mark_sent(self, turn: Turn) -> None:
        """Stamps the reply of a committed turn as sent."""
        await self._stamp(turn, sent_at=self._clock())

    async def release(self, turn: Turn) -> None:
        """Gives a claimed reply back, to be sent later."""
        await self._stamp(turn, claimed_at=None)

    async def _stamp(self, turn: Turn, **values: Any) -> None:
        async with self._statement() as connection:
            named = {statements.NEW + name: value for name, value in values.items()}
            await connection.execute(statements.stamp(*values), {**key_of(turn), **named})

    async def unsent(self, channel: str) -> AsyncIterator[tuple[Turn, Reply]]:
        """Replies committed but not sent, oldest first, but for those of users who blocked the bot."""
        table = schema.updates
        async with self.reading() as connection:
            rows = await connection.execute(
                select(table, schema.users.c.external_id)
                .join(schema.users, schema.users.c.id == table.c.user_id)
                .where(
                    table.c.sent_at.is_(None), schema.users.c.channel == channel, schema.users.c.blocked_at.is_(None)
                )
                .order_by(table.c.id)
            )
            found = rows.all()
        for row in found:
            yield turn_from(row, channel), reply_from(row.reply)

    async def mark_blocked(self, user: UserKey, *, blocked: bool) -> None:
        """Notes that a user blocked the bot, or came back."""
        moment = self._clock() if blocked else None
        async with self.writing() as connection:
            await connection.execute(update(schema.users).where(is_user(user)).values(blocked_at=moment))

    # What a person may ask about themselves.

    async def consented(self, user: UserKey) -> bool:
        """Whether the user has agreed that their messages are stored."""
        row = await self.first(statements.consented(), key_of(user))
        return row is not None and row.consented_at is not None

    async def likes(self) -> dict[int, list[Qid]]:
        """What each user likes who has agreed that it is stored, by a number that only tells users apart."""
        async with self.reading() as connection:
            return await likes_of_consenting(connection)

    async def my_data(self, user: UserKey) -> dict[str, Any]:
        """Everything stored of a user: table to rows, as JSON data; empty when there is nothing."""
        async with self.reading() as connection:
            return await rows_of_user(connection, user)

    async def purge(self, before: datetime) -> int:
        """Deletes what is older than a moment, and users not seen since; gives the number of messages deleted."""
        async with self.writing() as connection:
            return await purge(connection, before)

    # What look-ups found.

    async def learned(self) -> Sequence[Entity]:
        """Entities that earlier look-ups added to the catalogue, oldest first."""
        async with self.reading() as connection:
            rows = await connection.execute(select(schema.learned.c.entity).order_by(schema.learned.c.at))
            return tuple(entity_from(row.entity) for row in rows)

    async def lookup(self, key: str) -> Any | None:
        """The remembered answer to a look-up; None when there is none or it has expired."""
        table = schema.lookups
        async with self.reading() as connection:
            rows = await connection.execute(
                select(table.c.answer).where(table.c.key == key, table.c.expires_at > self._clock())
            )
            row = rows.first()
            return None if row is None else row.answer

    async def remember_lookup(self, key: str, answer: Any, lifetime: timedelta) -> None:
        """Remembers the answer to a look-up (JSON data, an empty one too) and drops those that have expired."""
        table, now = schema.lookups, self._clock()
        async with self.writing() as connection:
            await connection.execute(delete(table).where(table.c.expires_at < now))
            await upsert(connection, table, {"key": key, "answer": answer, "expires_at": now + lifetime})
