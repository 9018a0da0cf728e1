"""What is wrong in a dataset's file, said by file, record and field."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One violation of a format.

    Attributes:
        record: which record: its position from 1 or its id.
        field: the key or column, "" when the whole record or file is meant.
        lost: whether records could not be read and are missing from what is read.
    """

    file: str
    record: str
    field: str
    message: str
    lost: bool = False

    def __str__(self) -> str:
        """One line for a person."""
        where = ", ".join(part for part in (self.file, self.record and f"record {self.record}", self.field) if part)
        return f"{where}: {self.message}"


Report = Callable[[Problem], None]


def ignore(_: Problem) -> None:
    """A report for callers that only want the readable records."""


@dataclass(frozen=True, slots=True)
class Checker:
    """Reports problems of one record; each method returns whether all was well."""

    path: Path
    record: str
    report: Report

    def problem(self, field: str, message: str, *, lost: bool = False) -> bool:
        """Reports and returns False; `lost` says that the record is left out."""
        self.report(Problem(self.path.name, self.record, field, message, lost))
        return False

    def keys(self, value: Mapping[str, Any], expected: Sequence[str], optional: Sequence[str] = ()) -> bool:
        """All expected keys are there and no others."""
        missing = [key for key in expected if key not in value]
        unknown = [key for key in value if key not in expected and key not in optional]
        for key in missing:
            self.problem(key, "missing")
        for key in unknown:
            self.problem(key, "unknown field")
        return not missing and not unknown

    def is_type(self, field: str, value: object, *types: type) -> bool:
        """The value has one of the types (a boolean is no integer)."""
        if isinstance(value, types) and not (isinstance(value, bool) and bool not in types):
            return True
        names = " or ".join(kind.__name__ for kind in types)
        return self.problem(field, f"expected {names}, found {type(value).__name__}")

    def one_of(self, field: str, value: object, allowed: Sequence[object] | frozenset[Any]) -> bool:
        """The value is one of a closed set."""
        if value in allowed:
            return True
        return self.problem(field, f"unexpected value {str(value)[:60]!r}")
