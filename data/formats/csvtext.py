"""CSV files read row by row; what is no CSV is reported and reading goes on."""

import csv
from collections.abc import Iterator
from pathlib import Path

from data.formats.encoding import open_checked
from data.formats.problems import Problem, Report

MAX_CELL = 8 * 1024 * 1024
"""Characters; a longer cell is a quote that was never closed."""


def read_csv(path: Path, report: Report) -> Iterator[list[str]]:
    """The rows, the header first. After a row that is no CSV reading goes on in the next line."""
    csv.field_size_limit(MAX_CELL)
    with open_checked(path, report) as file:
        reader = csv.reader(file, strict=True)
        while True:
            try:
                yield from reader
            except csv.Error as error:
                report(Problem(path.name, f"line {reader.line_num}", "", f"not CSV: {error}", lost=True))
            else:
                return
