"""Connections to SQLite or PostgreSQL, with errors that say what to do."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import InvalidatePoolError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.errors import StorageError
from bot.storage.codec import dump_json

BUSY_SECONDS = 10.0
POOL_SIZE = 16
"""Connections of one process to PostgreSQL, which takes a hundred in all as it comes."""
MOST_TURNS = 10
"""Turns of one process that work in PostgreSQL at once; the rest of the connections is for sending and look-ups."""
SINGLE_STATEMENTS = 4
"""Of the connections, those that run single statements, without a transaction around each."""
RESTED_SECONDS = 1.0
"""A connection to PostgreSQL that nobody used for so long is tried first: the server may have gone in between."""
WRITING = {"begin": "IMMEDIATE"}
"""Execution option of transactions that write: SQLite takes its write lock at once instead of failing half-way."""

_UNWRITABLE = "cannot be written: give the bot write access to the folder, or choose another with --data-dir"
_FULL = "cannot grow, the disk is full: free some space, then try again"
REMEDIES = {
    "readonly": _UNWRITABLE,
    "read-only": _UNWRITABLE,
    "permission denied": _UNWRITABLE,
    "unable to open": _UNWRITABLE,
    "is locked": "is locked by another program: close it, then try again",
    "is full": _FULL,
    "no space left": _FULL,
    "quota exceeded": _FULL,
    "disk i/o": "cannot be read or written (input/output error): check the disk and its free space",
    "not a database": "is not a database: restore a backup, or choose another folder with --data-dir",
    "malformed": "is damaged: restore a backup, or choose another folder with --data-dir",
}


def open_engine(url: URL) -> AsyncEngine:
    """An engine with the settings that the store relies on.

    Args:
        url: of SQLite or PostgreSQL, with its async driver.

    Returns:
        The engine; it connects when first used. Its errors never quote what people wrote.
    """
    if url.get_backend_name() != "sqlite":
        return _postgres_engine(url, POOL_SIZE - SINGLE_STATEMENTS)
    engine = create_async_engine(
        url, json_serializer=dump_json, hide_parameters=True, connect_args={"timeout": BUSY_SECONDS}
    )
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def single_statements(engine: AsyncEngine) -> AsyncEngine:
    """The engine for single statements: on PostgreSQL one that takes each as a transaction of its own."""
    if engine.url.get_backend_name() == "sqlite":
        return engine.execution_options(**WRITING)
    return _postgres_engine(engine.url, SINGLE_STATEMENTS, isolation_level="AUTOCOMMIT", pool_reset_on_return=None)


def _postgres_engine(url: URL, size: int, **options: Any) -> AsyncEngine:
    engine = create_async_engine(
        url,
        json_serializer=dump_json,
        hide_parameters=True,
        pool_size=size,
        max_overflow=0,
        connect_args={"connect_timeout": 10},
        **options,
    )
    _try_rested_connections(engine.sync_engine)
    return engine


def _try_rested_connections(engine: Engine) -> None:
    """Replaces all pooled connections when one that has rested turns out to be dead."""

    def remember(_connection: Any, record: Any) -> None:
        record.info["used"] = time.monotonic()

    def check(connection: Any, record: Any, _proxy: Any) -> None:
        if time.monotonic() - record.info.get("used", time.monotonic()) < RESTED_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error

    event.listen(engine, "checkin", remember)
    event.listen(engine, "checkout", check)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', 'DEFERRED')}")


def shown_url(url: URL) -> str:
    """How messages name the database: the file, or the URL without its password."""
    return str(url.database) if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=True)


@contextmanager
def explained(url: URL) -> Iterator[None]:
    """Turns what the database or the file system reports into a StorageError with the remedy."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise StorageError(f"the database {shown_url(url)} {_remedy(url, error)}") from error


def _remedy(url: URL, error: Exception) -> str:
    reason = str(getattr(error, "orig", None) or error)
    for sign, remedy in REMEDIES.items():
        if sign in reason.casefold():
            return remedy
    if url.get_backend_name() != "sqlite":
        return (
            f"does not answer as it should: check that PostgreSQL runs and the URL is right ({reason.splitlines()[0]})"
        )
    return f"cannot be used: {reason.splitlines()[0]}"


def make_folder(url: URL) -> None:
    """Makes the folder of a SQLite file. Raises StorageError when it cannot."""
    if url.get_backend_name() != "sqlite":
        return
    folder = Path(str(url.database)).parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"the data folder {folder} cannot be made ({error.strerror}): choose another with --data-dir"
        ) from error


def make_file(url: URL) -> None:
    """Makes a SQLite file that nobody else on the machine may read, unless it is there. Raises OSError."""
    Path(str(url.database)).touch(0o600)
