import asyncio
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL

from bot.errors import StorageError
from bot.storage import schema
from bot.storage.engine import WRITING, open_engine
from bot.storage.store import open_store
from bot.storage.upgrade import configuration, upgrade
from tests.bot.storage.conftest import SettableClock

OPEN = """
import asyncio, sys
from datetime import UTC, datetime
from sqlalchemy.engine import make_url
from bot.storage.store import open_store

async def main():
    async with open_store(make_url(sys.argv[1]), lambda: datetime.now(UTC)):
        pass

asyncio.run(main())
"""


async def test_migrations_build_exactly_the_schema(database: URL) -> None:
    def differences(connection: Connection) -> list[object]:
        return compare_metadata(MigrationContext.configure(connection), schema.metadata)

    engine = open_engine(database)
    await upgrade(engine)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_they_can_be_undone(database: URL) -> None:
    engine = open_engine(database)
    await upgrade(engine)
    async with engine.execution_options(**WRITING).begin() as connection:
        await connection.run_sync(lambda connected: command.downgrade(configuration(connected), "base"))
    await upgrade(engine)
    await engine.dispose()


async def test_several_processes_may_start_at_once(database: URL) -> None:
    address = database.render_as_string(hide_password=False)
    started = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", OPEN, address, stderr=asyncio.subprocess.PIPE)
        for _ in range(3)
    ]
    results = await asyncio.gather(*(process.communicate() for process in started))
    assert [process.returncode for process in started] == [0, 0, 0], results


async def test_a_newer_database_is_refused(database: URL, clock: SettableClock) -> None:
    engine = open_engine(database)
    await upgrade(engine)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await engine.dispose()
    with pytest.raises(StorageError, match=r"another version.*update"):
        async with open_store(database, clock):
            pass


async def test_the_folder_is_made(tmp_path: Path, clock: SettableClock) -> None:
    file = tmp_path / "a" / "b" / "converse.db"
    async with open_store(URL.create("sqlite+aiosqlite", database=str(file)), clock):
        assert file.is_file()
