"""Published rows by file and user."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ftfy

from bot.dialogue.state import InteractionMode
from bot.errors import DataError
from data.formats import open_dataset
from data.formats.converse import by_user, domain_of
from data.formats.problems import ignore
from data.model import Domain

Row = Mapping[str, Any]

__all__ = ["Conversation", "Row", "conversations", "names", "objects", "text_of"]

_NEEDED = ("userID", "message", "intent", "contexts", "recognizedObjects", "events", "toCheck")
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
        MissingFileError: there is no such folder.
        DataError: it holds no ConveRSE file, or one that cannot be read.
    """
    dataset = open_dataset(root, "converse")
    found = []
    for path, kind in dataset.files.items():
        rows = list(dataset.format.read(path, kind, ignore))
        missing = {name for row in rows for name in _NEEDED if name not in row}
        if not rows or missing:
            wrong = f"rows without {', '.join(sorted(missing))}" if missing else "no rows"
            raise DataError(f"{path}: {wrong}; `converse dataset validate {root}` tells what is wrong")
        file = f"{domain_of(path)}/{path.name}"
        for user, theirs in by_user(rows).items():
            mode = _MODES.get(str(theirs[0].get("interactionType")), "mixed")
            found.append(Conversation(file, domain_of(path), mode, str(user), tuple(theirs)))
    if not found:
        raise DataError(f"{root}: no ConveRSE file below it; point to the folder with movie/messages_nl.json and so on")
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
