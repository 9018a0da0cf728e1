"""ConveRSE rows for everything that learns from them or is measured on them: read in one way, checked once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.errors import DataError, MissingFileError
from data.formats import open_dataset
from data.formats.converse import Row, domain_of
from data.formats.problems import Problem, Report
from data.model import Domain

NEEDED = ("userID", "message", "intent", "contexts", "recognizedObjects", "events", "toCheck")
"""Fields without which a row is of no use. Others may be missing, in any order, or more than published."""

_TEXTS = frozenset({"message", "intent", "contexts", "recognizedObjects", "events", "interactionType"})


@dataclass(frozen=True, slots=True)
class RowsFile:
    """One file of messages.

    Attributes:
        domain: name of the folder it lies in.
        rows: as published, in the file's order.
    """

    path: Path
    domain: Domain
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """Domain and file, as figures name it."""
        return f"{self.domain}/{self.path.name}"


def load_rows(root: Path, needed: Sequence[str] = NEEDED) -> tuple[RowsFile, ...]:
    """Every ConveRSE file of a folder, in any JSON layout.

    Args:
        root: a file `messages_….json`, or a folder with `{domain}/messages_….json`.
        needed: fields that every row must have.

    Returns:
        The files in order of name; at least one row in all.

    Raises:
        MissingFileError: there is nothing at `root`, or no ConveRSE file below it.
        DataError: a file cannot be read as a whole, or a row lacks a field.
    """
    if not root.exists():
        raise MissingFileError(f"{root}: no such file or folder; give the folder with movie/messages_nl.json and so on")
    try:
        dataset = open_dataset(root, "converse")
    except DataError as error:
        raise MissingFileError(f"{error}; give the folder with movie/messages_nl.json and so on") from error
    found = tuple(RowsFile(path, domain_of(path), _rows(path, dataset.format.read, needed)) for path in dataset.files)
    if not any(file.rows for file in found):
        raise DataError(f"{root}: the files hold no rows; see: converse dataset validate {root}")
    return found


def _rows(path: Path, read: Callable[[Path, str, Report], Iterable[Row]], needed: Sequence[str]) -> tuple[Row, ...]:
    remedy = f"see: converse dataset validate {path}"

    def stop(problem: Problem) -> None:
        if problem.lost:
            raise DataError(f"{path}: {problem}; {remedy}")

    rows = tuple(read(path, "dialogues", stop))
    for number, row in enumerate(rows, 1):
        if missing := [name for name in needed if name not in row]:
            raise DataError(f"{path}: row {number} has no {', '.join(missing)}; {remedy}")
        if wrong := [name for name in needed if name in _TEXTS and not isinstance(row[name], str)]:
            raise DataError(f"{path}: row {number}: {', '.join(wrong)} must be text; {remedy}")
        if not isinstance(row.get("userID", 0), str | int):
            raise DataError(f"{path}: row {number}: userID must be a number or text; {remedy}")
    return rows
