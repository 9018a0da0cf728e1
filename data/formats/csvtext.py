"""CSV files read row by row; what is no CSV is reported and reading goes on."""

import csv
from collections.abc import Iterator
from pathlib import Path

from data.formats.encoding import encoding_of
from data.formats.problems import Problem, Report

MAX_CELL = 8 * 1024 * 1024
"""Characters; a longer cell is a quote that was never closed."""


def read_csv(path: Path, report: Report) -> Iterator[list[str]]:
    """The rows, the header first. After a row that is no CSV reading goes on in the next line.

    The first byte that cannot be decoded is reported; such bytes become U+FFFD.
    """
    encoding = encoding_of(path, report)
    rows = 0
    try:
        for row in _rows(path, encoding, "strict", report):
            rows += 1
            yield row
    except UnicodeDecodeError:
        report(Problem(path.name, f"{rows} or soon after", "", f"not {encoding.upper()}"))
    else:
        return
    again = 0

    def told(problem: Problem) -> None:
        if again >= rows:
            report(problem)

    for row in _rows(path, encoding, "replace", told):
        again += 1
        if again > rows:
            yield row


def _rows(path: Path, encoding: str, errors: str, report: Report) -> Iterator[list[str]]:
    csv.field_size_limit(MAX_CELL)
    with path.open(encoding=encoding, errors=errors, newline="") as file:
        reader = csv.reader(file, strict=True)
        while True:
            try:
                yield from reader
            except csv.Error as error:
                report(Problem(path.name, f"line {reader.line_num}", "", f"not CSV: {error}", lost=True))
            else:
                return
