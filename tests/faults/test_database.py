"""The database locked, full, read-only or restarted under the real bot: an answer or one apology, never by halves."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from bot.channels.telegram.reading import CHANNEL
from bot.clock import utc_now
from bot.storage.engine import RESTED_SECONDS
from bot.storage.store import open_store
from tests.bot.channels.telegram.test_process import Runner
from tests.faults.talking import APOLOGY, PATIENCE, agree, ask, kept, of_user
from tests.postgres import PostgresServer
from tests.telegram_server import TelegramServer

ANNA = 7
LINES = ("I like The Godfather", "suggest something", "I like it", "I love Pulp Fiction", "why?", "skip")
USERS = (21, 22, 23)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system of a few megabytes in memory."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("file systems cannot be mounted here (needs root)")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def sqlite_url(file: Path) -> URL:
    return URL.create("sqlite+aiosqlite", database=str(file))


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk: needs root")
async def test_a_locked_database_and_a_full_disk(server: TelegramServer, tmp_path: Path, rasa_url: str) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "16m"):
        file, filler = disk / "converse.db", disk / "filler"
        runner = Runner(server, tmp_path / "data", rasa_url, CONVERSE_DATABASE_URL=f"sqlite:///{file}")
        async with runner.running():
            await agree(server, ANNA)
            other = sqlite3.connect(file)
            other.execute("BEGIN IMMEDIATE")
            locked = await ask(server, ANNA, "I like Titanic")
            other.rollback()
            other.close()
            free = await ask(server, ANNA, "I like Heat")
            fill(filler)
            full = await ask(server, ANNA, "I like Jaws " + "really " * 500)
            filler.unlink()
            empty = await ask(server, ANNA, "I love Pulp Fiction")
        records, preferences = await kept(sqlite_url(file), ANNA, "records", "preferences")
    assert [message.text for message in locked] == [APOLOGY]
    assert [message.text for message in full] == [APOLOGY]
    assert APOLOGY not in {message.text for message in (*free, *empty)}
    messages = [row["message"] for row in records]
    assert "I like Titanic" not in messages
    assert messages[-2:] == ["I like Heat", "I love Pulp Fiction"]
    assert "Q44578" not in {row["qid"] for row in preferences}, "what got an apology left nothing behind"
    assert "is locked by another program" in runner.errors.decode()
    assert "the disk is full" in runner.errors.decode()


def fill(file: Path) -> None:
    """Leaves no byte free on the disk of a file."""
    with file.open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError:
            pass


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk: needs root")
async def test_a_read_only_disk_is_named_at_the_start(server: TelegramServer, tmp_path: Path, rasa_url: str) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "16m"):
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        url = f"sqlite:///{disk / 'converse.db'}"
        runner = Runner(server, tmp_path / "data", rasa_url, CONVERSE_DATABASE_URL=url)
        async with runner.running() as process:
            await asyncio.wait_for(process.wait(), PATIENCE)
    lines = runner.errors.decode().strip().splitlines()
    assert process.returncode == 1
    assert "give the bot write access" in lines[-1]
    assert not any("Traceback" in line for line in lines)


async def test_postgresql_restarted_under_the_bot(
    server: TelegramServer, tmp_path: Path, rasa_url: str, postgres_server: PostgresServer
) -> None:
    url = postgres_server.new_database()
    runner = Runner(server, tmp_path, rasa_url, CONVERSE_DATABASE_URL=url.render_as_string())
    async with runner.running() as process:
        await asyncio.gather(*(agree(server, user) for user in USERS))
        talking = [asyncio.create_task(talk(server, user)) for user in USERS]
        for _ in range(2):
            before = len(server.messages)
            await server.wait_for(lambda: len(server.messages), lambda count, goal=before + 3: count >= goal, PATIENCE)
            await asyncio.to_thread(postgres_server.restart)
        await asyncio.gather(*talking)
        await server.idle(PATIENCE)
        await all_sent(url)
        await asyncio.sleep(RESTED_SECONDS)  # by then the bot tries its connections before it uses them
        last = await ask(server, USERS[0], "I like Heat")
        await all_sent(url)
        assert process.returncode is None
    assert APOLOGY not in {message.text for message in last}, "it recovers without a hand"
    for user in USERS:
        records, updates = await kept(url, user, "records", "updates")
        written = [row["message"] for row in records if row["message"] in LINES]
        apologies = sum(message.text == APOLOGY for message in of_user(server, user))
        assert len(written) == len(set(written)), "nothing is written twice"
        assert len(written) + apologies >= len(LINES), "whoever is not answered gets an apology"
        assert all(row["sent_at"] for row in updates), "every reply that was kept was sent"


async def all_sent(url: URL) -> None:
    """Until no reply waits to be sent; the bot looks for such every few seconds."""
    async with asyncio.timeout(PATIENCE), open_store(url, utc_now) as store:
        while [turn async for turn, _ in store.unsent(CHANNEL)]:
            await asyncio.sleep(0.2)


async def talk(server: TelegramServer, user: int) -> None:
    """Says every line when the one before was answered or apologised for."""
    for line in LINES:
        await ask_soon(server, user, line)


async def ask_soon(server: TelegramServer, user: int, text: str) -> None:
    before = len(of_user(server, user))
    await server.say(user, text)
    await server.answers(user, before + 1, PATIENCE)
