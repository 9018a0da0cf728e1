"""Brings a database to today's form; safe when several processes start at once."""

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.errors import StorageError
from bot.storage import accounts, studies  # noqa: F401 - their tables join the schema
from bot.storage.engine import WRITING, shown_url
from bot.storage.locks import lock_number

LOCK = "migrations"


async def upgrade(engine: AsyncEngine) -> None:
    """Runs the migrations that are missing, all in one transaction.

    Args:
        engine: of an empty database, or one of this or an older version.

    Raises:
        StorageError: the database belongs to a newer version.
    """
    writing = engine.execution_options(**WRITING)
    async with writing.begin() as connection:
        if connection.dialect.name == "postgresql":
            await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": lock_number(LOCK)})
        try:
            await connection.run_sync(_run)
        except CommandError as error:
            raise StorageError(
                f"the database {shown_url(engine.url)} was made by another version of converse-bot ({error}): update it"
            ) from error


def configuration(connection: Connection) -> Config:
    """Alembic's configuration for one connection."""
    config = Config()
    config.set_main_option("script_location", "bot.storage:migrations")
    config.attributes["connection"] = connection
    return config


def _run(connection: Connection) -> None:
    command.upgrade(configuration(connection), "head")
