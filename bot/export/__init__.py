"""Conversations out of the database, in the published formats and without a trace of who wrote them."""

from collections.abc import Sequence
from pathlib import Path

from bot.errors import UsageError
from bot.records import Record

Written = Sequence[tuple[int, Record]]
"""The database's ids of users, and records, in the order of arrival; the ids never leave."""


def write_file(path: Path, content: bytes) -> None:
    """Writes a file as a whole or not at all.

    Raises:
        UsageError: it cannot be written there.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path} ({error.strerror}): choose another folder with --out") from error
