"""The rows of released ConveRSE conversations, as far as intents are concerned."""

from pathlib import Path
from typing import Final

from data.formats.rows import RowsFile, load_rows

__all__ = ["load_released"]

_NEEDED: Final = ("userID", "message", "intent", "events", "recognizedObjects", "toCheck")


def load_released(folder: Path) -> tuple[RowsFile, ...]:
    """All ConveRSE files below a folder.

    Raises:
        MissingFileError: the folder does not exist or holds none.
        DataError: a file cannot be read, or a row lacks a field.
    """
    return load_rows(folder, _NEEDED)
