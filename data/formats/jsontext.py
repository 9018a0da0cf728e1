"""JSON files as the datasets publish them: tolerant reading with every fault reported, and writing to the byte."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from data.formats.encoding import mended, open_text
from data.formats.problems import Problem, Report

MAX_RECORD = 32 * 1024 * 1024
"""Characters; a longer line, element or file of one record is reported, not parsed."""

_BLOCK = 1 << 16
_NEAR = 16
"""An error so near to the end of what is read so far may only mean that the element goes on."""
_BLANK = re.compile(r"[ \t\r\n]*")
_NEXT_RECORD = re.compile(r"\}\s*,?\s*(?=\{)")


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """How a file is laid out.

    Attributes:
        indent: spaces a level, None for one line.
        ascii_only: whether other characters are escaped.
        line_end: between lines.
        final_newline: whether the file ends with one.
    """

    indent: int | None = None
    ascii_only: bool = True
    line_end: str = "\n"
    final_newline: bool = False

    def dump(self, value: Any) -> bytes:
        """The value in this layout, as UTF-8, without a final newline."""
        text = json.dumps(value, indent=self.indent, ensure_ascii=self.ascii_only)
        return text.replace("\n", self.line_end).encode("utf-8", errors="surrogatepass")

    def write_array(self, target: Path, values: Iterable[Any]) -> int:
        """Writes a list in this (indented) layout while its values stream by: the bytes of `dump` for the whole list.

        Returns:
            The number of values.
        """
        end, margin = self.line_end.encode(), b" " * (self.indent or 0)
        count = 0
        with target.open("wb") as file:
            file.write(b"[")
            for count, value in enumerate(values, 1):
                lines = self.dump(value).split(end)
                file.write((b"," if count > 1 else b"") + b"".join(end + margin + line for line in lines))
            file.write((end if count else b"") + b"]" + (end if self.final_newline else b""))
        return count


def styled_like(path: Path, published: JsonStyle) -> JsonStyle:
    """The published layout with the variations that a file shows (escapes, final newline, line ends).

    Args:
        path: the file to look at.
        published: the format's usual layout.
    """
    has_escape = has_other = has_crlf = False
    last = b""
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            has_escape = has_escape or b"\\u" in block
            has_other = has_other or not block.isascii()
            has_crlf = has_crlf or b"\r\n" in block
            last = block[-1:]
    return JsonStyle(
        indent=published.indent,
        ascii_only=not has_other if (has_other or has_escape) else published.ascii_only,
        line_end="\r\n" if has_crlf else "\n",
        final_newline=last == b"\n",
    )


def read_document(path: Path, report: Report) -> Any | None:
    """The one JSON document of a file; None, reported, when it holds none.

    NaN, Infinity and repeated keys are reported too, but the value is kept.
    """
    with open_text(path, report) as file:
        text = file.read(MAX_RECORD + 1)
    if len(text) > MAX_RECORD:
        report(_too_long(path, ""))
        return None
    return next(iter(_parsed(text, path, "", report)), None)


def read_lines(path: Path, report: Report) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file; one line is in memory at a time."""
    with open_text(path, report) as file:
        number = 0
        while line := file.readline(MAX_RECORD + 1):
            number += 1
            if len(line) > MAX_RECORD:
                report(_too_long(path, str(number)))
                while line and not line.endswith("\n"):
                    line = file.readline(MAX_RECORD)
                continue
            found = _parsed(line, path, str(number), report) if line.strip() else []
            yield from _objects(found, path, number, report)


def _parsed(text: str, path: Path, record: str, report: Report) -> list[Any]:
    """The one value of a text; none, reported, when it cannot be read."""
    text = mended(text, lambda message: report(Problem(path.name, record, "", message)))
    try:
        return [_decoder(path, record, report).decode(text)]
    except (ValueError, RecursionError) as error:
        report(_unreadable(path, record, error))
    return []


def read_array(path: Path, report: Report) -> Iterator[dict[str, Any]]:
    """The objects in a JSON array, in bounded memory.

    After a broken element reading goes on with the next.
    """
    with open_text(path, report) as file:
        for number, found in _Array(file, path, report).elements():
            yield from _objects(found, path, number, report)


class _Array:
    """A JSON array that is read in pieces; `_text` from `_at` on is what is still to be parsed."""

    def __init__(self, file: TextIO, path: Path, report: Report) -> None:
        self._file = file
        self._path = path
        self._report = report
        self._text = ""
        self._at = 0
        self._number = 0
        self._is_after_gap = True
        self._next = _NEXT_RECORD

    def elements(self) -> Iterator[tuple[int, list[Any]]]:
        """Positions from 1, each with its value, or with none when that cannot be read."""
        if self._peek() != "[":
            self._problem("expected a JSON list", lost=True)
            return
        self._at += 1
        self._learn_indentation()
        while self._is_at_element():
            self._number += 1
            yield self._number, self._element()

    def _is_at_element(self) -> bool:
        """Goes to the next element; False, with what is odd reported, when there is none."""
        found = self._peek()
        if not self._is_after_gap and found not in {"", "]"}:
            if found == ",":
                self._at += 1
                found = self._peek()
            else:
                self._problem("no comma before the next one")
            if found in {",", "]"}:
                self._problem("a comma with nothing after it")
        while found == ",":
            self._at += 1
            found = self._peek()
        if found == "":
            self._problem("the file ends in the middle of the list", lost=True)
        elif found == "]":
            self._at += 1
            if self._peek():
                self._problem("more text after the end of the list", lost=True)
        return found not in {"", "]"}

    def _element(self) -> list[Any]:
        """One element; a broken one is reported and skipped up to where the next may start."""
        while True:
            found: list[Problem] = []
            try:
                value, end = _decoder(self._path, str(self._number), found.append).raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                place = getattr(error, "pos", self._at)
                if self._may_go_on(error, place) and self._more():
                    continue
                self._give_up(_unreadable(self._path, str(self._number), error, self._at), place)
                return []
            if end == len(self._text) and self._more():
                continue
            self._is_after_gap = False
            return [self._taken(value, end, found)]

    def _taken(self, value: Any, end: int, found: list[Problem]) -> Any:
        text = self._text[self._at : end]
        self._at = end
        for problem in found:
            self._report(problem)
        clean = mended(text, self._problem)
        return value if clean is text else json.loads(clean)

    def _may_go_on(self, error: Exception, place: int) -> bool:
        """Whether a fault may come from the end of what is read so far."""
        if len(self._text) - self._at > MAX_RECORD:
            return False
        return "Unterminated" in str(error) or place >= len(self._text) - _NEAR

    def _give_up(self, problem: Problem, place: int) -> None:
        """Reports the fault and goes to the next element."""
        is_long = len(self._text) - self._at > MAX_RECORD
        self._report(_too_long(self._path, str(self._number)) if is_long else problem)
        self._is_after_gap = True
        line = self._text.rfind("\n", self._at + 1, place + 1)
        self._at = line if line >= 0 else max(place - 1, self._at + 1)
        while not (found := self._next.search(self._text, self._at)):
            self._at = max(self._at, len(self._text) - _BLOCK)
            if not self._more():
                self._at = len(self._text)
                return
        self._at = found.end()

    def _learn_indentation(self) -> None:
        """Where elements begin on lines of their own, only such a line begins one: nested objects stand further in."""
        start = self._at
        if self._peek() == "{" and "\n" in self._text[start : self._at]:
            blank = self._text[start : self._at].rpartition("\n")[2]
            self._next = re.compile(rf"\n{blank}(?=\{{)")

    def _peek(self) -> str:
        """The next character that is not blank; "" at the end of the file."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _more(self) -> bool:
        """Reads on, as much again as there is; False, with nothing changed, at the end of the file."""
        block = self._file.read(max(_BLOCK, len(self._text) - self._at))
        if block:
            self._text = self._text[self._at :] + block
            self._at = 0
        return bool(block)

    def _problem(self, message: str, *, lost: bool = False) -> None:
        record = str(self._number) if self._number else ""
        self._report(Problem(self._path.name, record, "", message, lost))


def _objects(found: list[Any], path: Path, number: int, report: Report) -> Iterator[dict[str, Any]]:
    """Those of the values that are objects; the others are reported."""
    for value in found:
        if isinstance(value, dict):
            yield value
        else:
            report(Problem(path.name, str(number), "", "expected an object", lost=True))


def _too_long(path: Path, record: str) -> Problem:
    return Problem(path.name, record, "", f"longer than {MAX_RECORD} characters, not read", lost=True)


def _unreadable(path: Path, record: str, error: Exception, start: int = 0) -> Problem:
    if isinstance(error, RecursionError):
        return Problem(path.name, record, "", "nested too deeply", lost=True)
    if isinstance(error, json.JSONDecodeError):
        return Problem(path.name, record, "", f"not JSON: {error.msg} at character {error.pos - start}", lost=True)
    return Problem(path.name, record, "", f"not readable: {str(error).split(';')[0]}", lost=True)


def _decoder(path: Path, record: str, report: Report) -> json.JSONDecoder:
    def constant(name: str) -> float:
        report(Problem(path.name, record, "", f"{name} is not allowed in JSON"))
        return float(name.replace("Infinity", "inf"))

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) < len(items):
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    report(Problem(path.name, record, key, "repeated key"))
                seen.add(key)
        return made

    return json.JSONDecoder(parse_constant=constant, object_pairs_hook=pairs)
