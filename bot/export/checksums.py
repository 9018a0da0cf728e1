"""Checksums of the files of an export, as `sha256sum --check` reads them."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from bot.export import write_file

CHECKSUMS = "SHA256SUMS"


def write_checksums(out: Path, files: Iterable[Path]) -> None:
    """Writes the checksums of files below a folder."""
    lines = (f"{_digest(path)}  {path.relative_to(out).as_posix()}\n" for path in sorted(files))
    write_file(out / CHECKSUMS, "".join(lines).encode())


def remove_earlier(out: Path) -> None:
    """Removes the files of an earlier export, as its checksums name them, unless they were changed since."""
    listed = out / CHECKSUMS
    if not listed.is_file():
        return
    for line in listed.read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        path = (out / name).resolve()
        if name and path.is_relative_to(out.resolve()) and path.is_file() and _digest(path) == digest:
            path.unlink()
    listed.unlink()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
