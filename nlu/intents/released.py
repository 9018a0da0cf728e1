"""The rows of released ConveRSE conversations, as far as intents are concerned."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from data.errors import DataError, MissingFileError

__all__ = ["ReleasedFile", "load_released"]

_FILES: Final = ("messages_nl.json", "messages_mixed.json", "messages_buttons.json")
_NEEDED: Final = ("userID", "message", "intent", "events", "recognizedObjects", "toCheck")


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """One file of messages.

    Attributes:
        domain: name of the folder it lies in.
        rows: as published, in the file's order.
    """

    path: Path
    domain: str
    rows: tuple[Mapping[str, Any], ...]


def load_released(folder: Path) -> tuple[ReleasedFile, ...]:
    """All `{domain}/messages_{nl,mixed,buttons}.json` below a folder.

    Raises:
        MissingFileError: the folder does not exist or holds none.
        DataError: a file is not JSON, not a list of rows, or a row lacks a field.
    """
    paths = sorted(path for name in _FILES for path in folder.glob(f"*/{name}"))
    if not paths:
        raise MissingFileError(f"There is no {{domain}}/messages_nl.json or messages_mixed.json below {folder}.")
    return tuple(ReleasedFile(path, path.parent.name, _rows(path)) for path in paths)


def _rows(path: Path) -> tuple[Mapping[str, Any], ...]:
    try:
        rows = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(rows, list):
        raise DataError(f"{path} must hold a list of rows.")
    for number, row in enumerate(rows, start=1):
        missing = [name for name in _NEEDED if not isinstance(row, dict) or name not in row]
        if missing:
            raise DataError(f"{path}: row {number} has no {', '.join(missing)}.")
    return tuple(rows)
