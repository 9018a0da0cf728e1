"""A PostgreSQL server of our own, for tests and benchmarks."""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from sqlalchemy.engine import URL, make_url


class PostgresServer:
    """PostgreSQL on a Unix socket in a folder of its own, gone when the tests end."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries = binaries
        self._folder = folder
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            owner = _unprivileged()
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self._as = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}

    def _run(self, *command: str) -> None:
        subprocess.run(
            [self._binaries / command[0], *command[1:]],
            cwd=self._folder,
            check=True,
            stdout=subprocess.DEVNULL,
            **self._as,
        )

    @property
    def pid(self) -> int:
        """Of the main process."""
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

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


def _unprivileged() -> pwd.struct_passwd:
    """Who runs the server for root, whom it refuses."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def postgres_binaries() -> Path | None:
    """The folder of the server's programs: the distribution's, or those of PyPI's `pgserver`; None without either."""
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), reverse=True)]
    found += [Path(path) for path in [shutil.which("pg_ctl")] if path]
    if package := importlib.util.find_spec("pgserver"):
        found += Path(str(package.origin)).parent.glob("pginstall/bin/pg_ctl")
    return found[0].parent if found else None


@contextmanager
def postgres_server(binaries: Path) -> Iterator[PostgresServer]:
    """A server while the context is open."""
    with tempfile.TemporaryDirectory(prefix="converse-pg-") as folder:
        server = PostgresServer(binaries, Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
