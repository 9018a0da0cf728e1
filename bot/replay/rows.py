"""Published rows by file and user."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ftfy

from bot.dialogue.state import InteractionMode
from data.formats.converse import by_user
from data.formats.rows import load_rows
from data.model import Domain

Row = Mapping[str, Any]

__all__ = ["Conversation", "Row", "conversations", "names", "objects", "text_of"]

_MODES: Mapping[str, InteractionMode] = {"NL": "nl", "mixed": "mixed", "buttons": "buttons"}


@dataclass(frozen=True, slots=True)
class Conversation:
    """All rows of one user of one file, in order."""

    file: str
    domain: Domain
    mode: InteractionMode
    user: str
    rows: tuple[Row, ...]


def conversations(root: Path) -> tuple[Conversation, ...]:
    """Every conversation below a folder of ConveRSE files.

    Raises:
        MissingFileError: there is no such folder, or no ConveRSE file in it.
        DataError: a file cannot be read.
    """
    found = []
    for file in load_rows(root):
        for user, theirs in by_user(file.rows).items():
            mode = _MODES.get(str(theirs[0].get("interactionType")), "mixed")
            found.append(Conversation(file.name, file.domain, mode, str(user), tuple(theirs)))
    return tuple(found)


def text_of(row: Row) -> str:
    """What the user wrote, with the published encoding faults repaired."""
    return ftfy.fix_text(str(row["message"]))


def names(row: Row, field: str) -> frozenset[str]:
    """The members of a field that joins a list."""
    return frozenset(part for part in str(row[field]).split(", ") if part)


def objects(row: Row) -> tuple[tuple[str, str], ...]:
    """Recorded entities with their signs."""
    return tuple((part[:-1], part[-1]) for part in str(row["recognizedObjects"]).split(", ") if part)
