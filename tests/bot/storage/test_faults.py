"""What goes wrong with a database gives one clear error, and nothing is lost."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from bot.errors import StorageError
from bot.storage import engine, locks
from bot.storage.locks import FileLocks
from bot.storage.store import SqlStore, open_store
from tests.bot.storage.conftest import PROFILE, STATE, SettableClock, answer, make_outcome, make_record, make_turn
from tests.postgres import PostgresServer

HOLD = """
import sys, time, asyncio
from pathlib import Path
from bot.storage.locks import FileLocks

async def main():
    async with FileLocks(Path(sys.argv[1])).hold(sys.argv[2]):
        print("held", flush=True)
        time.sleep(600)

asyncio.run(main())
"""


def sqlite_url(file: Path) -> URL:
    return URL.create("sqlite+aiosqlite", database=str(file))


async def open_and_close(url: URL, clock: SettableClock) -> None:
    async with open_store(url, clock) as store:
        await answer(store, make_turn())


async def test_a_file_that_is_no_database(tmp_path: Path, clock: SettableClock) -> None:
    file = tmp_path / "converse.db"
    file.write_text("certainly no database " * 100)
    with pytest.raises(StorageError, match=rf"{file} is not a database: restore a backup"):
        await open_and_close(sqlite_url(file), clock)


async def test_a_folder_that_cannot_be_made(tmp_path: Path, clock: SettableClock) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"folder .*file.* cannot be made .*--data-dir"):
        await open_and_close(sqlite_url(tmp_path / "file" / "converse.db"), clock)


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/usr/bin/setpriv").exists(), reason="needs setpriv to drop root")
def test_a_read_only_data_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    drop = ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    program = (
        "import asyncio, sys\nfrom datetime import UTC, datetime\nfrom sqlalchemy.engine import make_url\n"
        "from bot.errors import StorageError\nfrom bot.storage.store import open_store\n"
        "async def main():\n    async with open_store(make_url(sys.argv[1]), lambda: datetime.now(UTC)): pass\n"
        "try:\n    asyncio.run(main())\nexcept StorageError as error:\n    print(error)\n"
    )
    url = sqlite_url(tmp_path / "converse.db").render_as_string()
    done = subprocess.run([*drop, sys.executable, "-c", program, url], capture_output=True, text=True, check=True)
    assert str(tmp_path) in done.stdout
    assert "write access" in done.stdout


async def test_a_locked_database(tmp_path: Path, clock: SettableClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.1)
    file = tmp_path / "converse.db"
    async with open_store(sqlite_url(file), clock) as store:
        await answer(store, make_turn("1"))
        other = sqlite3.connect(file)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match=rf"{file} is locked by another program"):
            await answer(store, make_turn("2"))
        other.rollback()
        other.close()
        await answer(store, make_turn("2"))


async def test_a_full_disk(tmp_path: Path, clock: SettableClock) -> None:
    file = tmp_path / "converse.db"
    async with open_store(sqlite_url(file), clock) as store:
        await answer(store, make_turn("1"))
        await limit_pages(store, 10)
        with pytest.raises(StorageError, match=rf"{file} cannot grow, the disk is full"):
            await answer(store, make_turn("2"), records=(make_record("x" * 1_000_000),))
        await limit_pages(store, 1_000_000)
        await answer(store, make_turn("2"), records=(make_record("x" * 1_000_000),))


async def limit_pages(store: SqlStore, pages: int) -> None:
    async with store.reading() as connection:
        await connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")


async def test_processes_wait_for_each_others_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.2)
    file = tmp_path / "lock"
    held = FileLocks(file)
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(file), "anna", stdout=asyncio.subprocess.PIPE
    )
    assert other.stdout is not None
    assert await other.stdout.readline() == b"held\n"
    with pytest.raises(StorageError, match="another process keeps"):
        async with held.hold("anna"):
            pass
    async with held.hold("ben"):
        pass
    other.kill()
    await other.wait()
    async with held.hold("anna"):
        pass
    held.close()


async def test_postgresql_that_is_not_there(tmp_path: Path, clock: SettableClock) -> None:
    url = make_url(f"postgresql+psycopg://anna:secret@/converse?host={tmp_path}")
    with pytest.raises(StorageError, match="check that PostgreSQL runs") as caught:
        await open_and_close(url, clock)
    assert "secret" not in str(caught.value)


async def test_postgresql_restarted_in_a_turn(postgres_server: PostgresServer, clock: SettableClock) -> None:
    async with open_store(postgres_server.new_database(), clock) as store:
        await answer(store, make_turn("1"))
        async with store.open_turn(make_turn("2")) as opened:
            postgres_server.restart()
            with pytest.raises(StorageError, match="check that PostgreSQL runs"):
                await opened.save(make_outcome(state=STATE, profile=PROFILE))
        async with store.open_turn(make_turn("2")) as opened:
            assert opened.repeated is None
            assert opened.state == STATE
            await opened.save(make_outcome())
