"""A real SQLite file and a real PostgreSQL server for every test that stores something."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy.engine import URL, make_url


class PostgresServer:
    """PostgreSQL on a Unix socket in a folder of its own, gone when the tests end."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries = binaries
        self._folder = folder
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self._as = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def _run(self, *command: str) -> None:
        subprocess.run(
            [self._binaries / command[0], *command[1:]],
            cwd=self._folder,
            check=True,
            stdout=subprocess.DEVNULL,
            **self._as,
        )

    def start(self) -> None:
        data = str(self._folder / "data")
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        self._boot()

    def _boot(self) -> None:
        options = f"-k {self._folder} -c listen_addresses='' -c fsync=off -c max_connections=200"
        self._run(
            "pg_ctl", "-D", str(self._folder / "data"), "-w", "-l", str(self._folder / "log"), "-o", options, "start"
        )

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-w", "-m", mode, "stop")

    def restart(self) -> None:
        self.stop()
        self._boot()

    def new_database(self) -> URL:
        name = f"test_{uuid4().hex}"
        with psycopg.connect(f"postgresql://postgres@/postgres?host={self._folder}", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return make_url(f"postgresql+psycopg://postgres@/{name}?host={self._folder}")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")) or [Path(p) for p in [shutil.which("pg_ctl")] if p]
    if not found:
        pytest.skip("no PostgreSQL here: install the distribution's package `postgresql` to run its tests")
    with tempfile.TemporaryDirectory(prefix="converse-pg-") as folder:
        server = PostgresServer(found[-1].parent, Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_database()
