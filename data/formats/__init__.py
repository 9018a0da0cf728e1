"""The published dataset formats: which there are, and which one a file or folder is in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data.errors import DataError, MissingFileError, UsageError
from data.formats.base import DatasetFormat, DialogueWriter
from data.formats.converse import ConverseFormat
from data.formats.crsarena import CrsArenaFormat
from data.formats.dialoguekit import DialogueKitFormat
from data.formats.recommind import RecomMindFormat
from data.formats.reddit_movie import RedditMovieFormat
from data.formats.redial import RedialFormat

FORMATS: Mapping[str, DatasetFormat] = {
    made.name: made
    for made in (ConverseFormat(), RedialFormat(), RecomMindFormat(), CrsArenaFormat(), RedditMovieFormat())
}
"""Formats that can be read, by name."""

WRITERS: Mapping[str, DialogueWriter] = {**FORMATS, "dialoguekit": DialogueKitFormat()}
"""Formats that can be written, by name."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """The files of one dataset.

    Attributes:
        root: the file or folder that was named.
        files: file to its kind within the format, in order of name.
        others: files in the folder that are not of the format.
    """

    format: DatasetFormat
    root: Path
    files: Mapping[Path, str]
    others: tuple[Path, ...] = ()


def open_dataset(root: Path, name: str | None = None) -> Dataset:
    """Finds out the format of a file or folder and which files belong to it.

    Args:
        root: a file or a folder.
        name: the format's name; None to detect it. With a name, a single file is taken for that format's dialogues.

    Raises:
        MissingFileError: there is nothing at `root`.
        UsageError: `name` is no format.
        DataError: no file is in a known format, or files are in several.
    """
    if not root.exists():
        raise MissingFileError(f"{root}: no such file or folder")
    if name is not None and name not in FORMATS:
        raise UsageError(f"unknown format {name!r}; known are {', '.join(FORMATS)}")
    paths = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
    candidates = [FORMATS[name]] if name else list(FORMATS.values())
    kinds = {made.name: _kinds(paths, made) for made in candidates}
    if name and root.is_file() and not kinds[name]:
        kinds[name] = {root: "dialogues"}
    found = [made for made in candidates if "dialogues" in kinds[made.name].values()] or [
        made for made in candidates if kinds[made.name]
    ]
    if not found:
        wanted = f"the {name} format" if name else f"a known format ({', '.join(FORMATS)})"
        raise DataError(f"{root}: no file in {wanted}")
    if len(found) > 1:
        names = ", ".join(made.name for made in found)
        raise DataError(f"{root}: holds files of several formats ({names}); name a file or folder of one of them")
    files = kinds[found[0].name]
    return Dataset(found[0], root, files, tuple(path for path in paths if path not in files))


def _kinds(paths: list[Path], made: DatasetFormat) -> dict[Path, str]:
    kinds = {path: made.kind(path) for path in paths}
    return {path: kind for path, kind in kinds.items() if kind}
