"""What a dataset format is: how its files are told apart, read, checked, written, counted and seen as dialogues."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from data.formats.model import Dialogue
from data.formats.problems import Checker, Problem, Report

Native = Any
"""A record as the format itself has it (a row, a dialogue, a movie), parsed but otherwise untouched."""


def numbered(read: Callable[[Report], Iterable[Native]], report: Report) -> Iterator[tuple[int, Native]]:
    """Records with their positions in the file from 1; those that cannot be read count too.

    Args:
        read: gives the records and tells the report it is given of those that cannot be read.
        report: told of them in turn.
    """
    lost = 0

    def counting(problem: Problem) -> None:
        nonlocal lost
        lost += problem.lost
        report(problem)

    for number, record in enumerate(read(counting), 1):
        yield number + lost, record


def is_utterance(part: object, text: str) -> bool:
    """Whether a part of a dialogue can become an utterance: an object with text in the field `text`."""
    return isinstance(part, dict) and isinstance(part.get(text), str)


def has_utterances(checker: Checker, record: Mapping[str, Any], parts: str, text: str) -> bool:
    """Whether a record can become a dialogue; says so when not, and when a part of it cannot.

    Args:
        checker: of the record.
        record: as it was read.
        parts: the field with what was said.
        text: the field with the words, in each of these.
    """
    if not isinstance(record.get(parts), list):
        return checker.problem(parts, "expected a list; the dialogue is left out", lost=True)
    for number, part in enumerate(record[parts]):
        if not is_utterance(part, text):
            checker.problem(f"{parts}[{number}].{text}", "expected text; it is left out", lost=True)
    return True


class DialogueWriter(Protocol):
    """A format that dialogues of any origin can be written in. Formats hold no state."""

    name: str
    suffix: str
    """Of the files that `write_dialogues` makes."""
    one_file_each: bool
    """Whether every dialogue has a file of its own."""
    held: frozenset[str]
    """Names of `model.present` that the format has a field for; "domain.*" stands for all that begin so."""

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        """Writes a file, or with `one_file_each` a folder; returns the number of dialogues."""
        ...


class DatasetFormat(DialogueWriter, Protocol):
    """A published format that can also be read."""

    def kind(self, path: Path) -> str | None:
        """What the file is within the format ("dialogues", "votes", "movies" …), None when it is not of this format."""
        ...

    def read(self, path: Path, kind: str, report: Report) -> Iterator[Native]:
        """The records of one file, streaming; what cannot be read is reported and left out."""
        ...

    def check(self, path: Path, kind: str, report: Report) -> Iterator[Native]:
        """The records of one file, as `read` gives them, with every violation reported."""
        ...

    def copy(self, source: Path, kind: str, target: Path, report: Report) -> int:
        """Reads and writes one file of this format in its own layout; returns the number of records."""
        ...

    def dialogues(self, path: Path, report: Report) -> Iterator[Dialogue]:
        """The dialogues of one file of the kind "dialogues"."""
        ...

    def statistics(self, files: Mapping[Path, str], report: Report) -> dict[str, Any]:
        """The figures that the dataset's paper or card prints, over files with their kinds."""
        ...
