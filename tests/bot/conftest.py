"""A real SQLite file and a real PostgreSQL server for every test that stores something."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from tests import postgres
from tests.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    binaries = postgres.postgres_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL here: install the distribution's package `postgresql`, or PyPI's `pgserver`")
    with postgres.postgres_server(binaries) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_database()
