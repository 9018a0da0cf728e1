"""JSON files as the datasets publish them: tolerant reading with every fault reported, and writing to the byte."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.formats.problems import Problem, Report

MAX_RECORD_BYTES = 32 * 1024 * 1024
"""A longer line or file of one record is reported, not parsed."""

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


def read_text(path: Path, report: Report) -> str:
    """The file's text; bytes that are no UTF-8 are reported and replaced."""
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        report(Problem(path.name, "", "", f"not UTF-8 at byte {error.start}"))
        return raw.decode("utf-8", errors="replace")


def parse(text: str, path: Path, record: str, report: Report) -> Any | None:
    """One JSON document; None, reported, when it is none.

    NaN, Infinity and repeated keys are reported too, but the value is kept.
    """
    if len(text) > MAX_RECORD_BYTES:
        report(Problem(path.name, record, "", f"longer than {MAX_RECORD_BYTES} characters, not read"))
        return None
    try:
        return _decoder(path, record, report).decode(text)
    except json.JSONDecodeError as error:
        report(Problem(path.name, record, "", f"not JSON: {error.msg} at character {error.pos}"))
    except RecursionError:
        report(Problem(path.name, record, "", "nested too deeply"))
    return None


def read_lines(path: Path, report: Report) -> Iterator[tuple[int, Any]]:
    """The documents of a JSON Lines file with their line numbers from 1; one line is in memory at a time."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_RECORD_BYTES + 1):
            number += 1
            if len(line) > MAX_RECORD_BYTES:
                report(Problem(path.name, str(number), "", f"longer than {MAX_RECORD_BYTES} bytes, not read"))
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_RECORD_BYTES)
                continue
            value = _parse_line(line, path, str(number), report)
            if value is not None:
                yield number, value


def _parse_line(line: bytes, path: Path, record: str, report: Report) -> Any | None:
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        report(Problem(path.name, record, "", f"not UTF-8 at byte {error.start} of the line"))
        text = line.decode("utf-8", errors="replace").strip()
    return parse(text, path, record, report) if text else None


def read_array(path: Path, report: Report) -> Iterator[tuple[int, Any]]:
    """The elements of a JSON array with their positions from 1; after a broken one, reading goes on with the next."""
    text = read_text(path, report)
    cursor = _skip(text, 0)
    if text[cursor : cursor + 1] != "[":
        report(Problem(path.name, "", "", "expected a JSON list"))
        return
    cursor, number = _skip(text, cursor + 1), 0
    while cursor < len(text) and text[cursor] != "]":
        number += 1
        value, cursor = _element(text, cursor, path, number, report)
        if value is not None:
            yield number, value
        cursor = _skip(text, cursor)
    if cursor >= len(text):
        report(Problem(path.name, str(number), "", "the file ends in the middle of the list"))


def _element(text: str, cursor: int, path: Path, number: int, report: Report) -> tuple[Any | None, int]:
    """One element and the position after it; a broken one is reported and skipped up to where the next may start."""
    try:
        return _decoder(path, str(number), report).raw_decode(text, cursor)
    except json.JSONDecodeError as error:
        report(Problem(path.name, str(number), "", f"not JSON: {error.msg} at character {error.pos}"))
        found = _NEXT_RECORD.search(text, max(error.pos - 1, cursor))
        return None, found.end() if found else len(text)
    except RecursionError:
        report(Problem(path.name, str(number), "", "nested too deeply"))
        return None, len(text)


def _skip(text: str, cursor: int) -> int:
    while cursor < len(text) and text[cursor] in " \t\r\n,":
        cursor += 1
    return cursor


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
