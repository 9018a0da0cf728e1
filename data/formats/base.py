"""What a dataset format is: how its files are told apart, read, checked, written, counted and seen as dialogues."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from data.formats.model import Dialogue
from data.formats.problems import Report

Native = Any
"""A record as the format itself has it (a row, a dialogue, a movie), parsed but otherwise untouched."""


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

    def check(self, path: Path, kind: str, records: Iterable[Native], report: Report) -> Iterator[Native]:
        """Passes the records on and reports every violation."""
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
