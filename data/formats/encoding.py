"""Text of files as it really is encoded, with every deviation from plain UTF-8 reported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from data.formats.problems import Problem, Report


def head_of(path: Path, size: int) -> str:
    """The beginning of a file as text, for telling formats apart.

    Args:
        path: any file, text or not.
        size: bytes to look at.
    """
    with path.open("rb") as file:
        head = file.read(size)
    return head.decode(json.detect_encoding(head), errors="replace")


def open_text(path: Path, report: Report) -> TextIO:
    """Opens a file for reading in the encoding that its first bytes show; a byte order mark is reported and left out.

    Bytes that cannot be decoded become lone surrogates, for `mended` to report with their record. Line ends are kept.
    """
    encoding = encoding_of(path, report)
    return path.open(encoding=encoding, errors="surrogateescape" if "8" in encoding else "replace", newline="\n")


def mended(text: str, say: Callable[[str], object]) -> str:
    """The text with U+FFFD for what could not be decoded; says so.

    Args:
        text: as `open_text` reads it.
        say: told what is wrong, if anything is.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        say(f"not UTF-8 at character {error.start}")
        return text.encode(errors="surrogateescape").decode(errors="replace")
    return text


def encoding_of(path: Path, report: Report) -> str:
    """The encoding that the first bytes of a file show; anything else than plain UTF-8 is reported."""
    with path.open("rb") as file:
        encoding = json.detect_encoding(file.read(4))
    if encoding != "utf-8":
        found = "begins with a byte order mark" if encoding == "utf-8-sig" else f"encoded in {encoding.upper()}"
        report(Problem(path.name, "", "", f"{found}; expected plain UTF-8"))
    return encoding
