"""Measures the figures of the documentation again, and fails where they differ.

`documented.yaml` lists commands, and for each the passages of a page that tell its figures. The pages hold the numbers;
a passage holds, in their place, where they stand in the command's JSON.

Example: `python -m benchmarks.documented --data ../shared/data --cases ../shared/cases --only replay.md`
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

PAGES = Path(__file__).resolve().parents[1] / "docs"
PASSAGES = Path(__file__).with_suffix(".yaml")
_NUMBER = r"(\d{1,3}(?:,\d{3})+|\d*\.\d+|\d+)"
_PLACE = re.compile(r"\{([^{}]*)\}")
_ROUNDING = 1e-9


class Measured(BaseModel):
    """A command with what a page tells of its figures.

    Attributes:
        command: arguments of `converse`; {data}, {cases}, {nl} and {mixed} stand for folders.
        page: in `docs`.
        tolerance: by how much a figure may differ beyond its rounding.
        says: passages of the page, or whole rows of its tables, with {key>key} for a number of the JSON, {key>key%}
            for a share told in percent and {} for a number that the command does not give.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    page: str
    tolerance: float = 0.002
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a page, and where it stands in the JSON."""

    place: str
    told: str

    def now(self, document: Any) -> float | None:
        """The number as measured, None where there is none."""
        for key in self.place.removesuffix("%").split(">"):
            if isinstance(document, Sequence) and key.isdecimal() and int(key) < len(document):
                document = document[int(key)]
            else:
                document = document.get(key) if isinstance(document, Mapping) else None
        return document * (100 if self.place.endswith("%") else 1) if isinstance(document, int | float) else None

    def holds(self, now: float | None, tolerance: float) -> bool:
        """Whether the page is right, but for rounding and `tolerance`."""
        decimals = len(self.told.partition(".")[2])
        allowed = 0.5 * 10**-decimals * bool(decimals) + tolerance * (100 if self.place.endswith("%") else 1)
        return now is not None and abs(now - float(self.told.replace(",", ""))) <= allowed + _ROUNDING


def read_passages() -> list[Measured]:
    """What is to be measured."""
    return [Measured.model_validate(each) for each in yaml.safe_load(PASSAGES.read_text(encoding="utf-8"))]


def figures_of(measured: Measured) -> Iterator[Figure]:
    """The figures that a page tells of a command.

    Raises:
        ValueError: the page has no such passage, or several.
    """
    page = (PAGES / measured.page).read_text(encoding="utf-8")
    lines, text = "\n".join(map(_plain, page.splitlines())), _plain(page)
    for passage in measured.says:
        words = _PLACE.split(_plain(passage))
        pattern = "".join(_NUMBER if number % 2 else re.escape(part) for number, part in enumerate(words))
        is_row = passage.startswith("|")
        found = re.findall(f"(?m)^{pattern}$" if is_row else pattern, lines if is_row else text)
        if len(found) != 1:
            raise ValueError(f"{measured.page} has {len(found)} passages like {passage!r}; correct documented.yaml.")
        numbers = found[0] if isinstance(found[0], tuple) else (found[0],)
        yield from (Figure(*pair) for pair in zip(words[1::2], numbers, strict=True) if pair[0])


def _plain(text: str) -> str:
    """Without marks for bold and code, and with single spaces."""
    return " ".join(re.sub(r"[*`]", "", text).split())


def compare(measured: Measured, document: Any) -> Iterator[tuple[Figure, float | None, bool]]:
    """Each figure of a command with what it is now, and whether the page is right."""
    for figure in figures_of(measured):
        now = figure.now(document)
        yield figure, now, figure.holds(now, measured.tolerance)


def _measure(command: str) -> Any:
    """The JSON of a `converse` command."""
    arguments = [sys.executable, "-m", "bot.cli", *command.split(), "--json"]
    return orjson.loads(subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout)


def _by_mode(converse: Path, folder: Path) -> dict[str, Path]:
    """A folder for each mode, with links to its files of all domains."""
    for file in converse.glob("*/messages_*.json"):
        link = folder / file.stem.removeprefix("messages_") / file.parent.name / file.name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file.resolve())
    return {mode: folder / mode for mode in ("nl", "mixed")}


def main() -> int:
    """Prints a table for each command; 1 when a figure differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the released data sets")
    parser.add_argument("--cases", type=Path, required=True, help="folder of the cases of polarity")
    parser.add_argument("--only", default="", help="commands or pages with these words in them")
    options = parser.parse_args()
    wanted = [each for each in read_passages() if options.only in f"{each.command} {each.page}"]
    console, wrong = Console(), 0
    with tempfile.TemporaryDirectory() as folder:
        places = {"data": options.data, "cases": options.cases}
        places |= _by_mode(options.data / "converse", Path(folder))
        for measured in wanted:
            table = Table("figure", "in docs", "now", "", title=f"{measured.page}: converse {measured.command}")
            for figure, now, holds in compare(measured, _measure(measured.command.format(**places))):
                table.add_row(
                    figure.place, figure.told, "-" if now is None else f"{round(now, 4):g}", "" if holds else "DIFFERS"
                )
                wrong += not holds
            console.print(table)
    console.print(f"{wrong} figures differ" if wrong else "all figures are as told")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
