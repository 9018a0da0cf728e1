"""Conversion of a dataset from one format to another, with an account of what the target cannot hold."""

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data.errors import DataError, UsageError
from data.formats import WRITERS, Dataset
from data.formats.base import DialogueWriter
from data.formats.mapping import EntityMapper, MappingReport
from data.formats.model import Dialogue, not_held
from data.formats.problems import Problem, Report
from data.formats.reddit_movie import NAMES_FILE

SIDE_FILE = "conversion.json"
_STAGE = ".converting-"


class NothingReadError(DataError):
    """No record of the source could be read in its format."""


@dataclass(slots=True)
class Conversion:
    """What a conversion did.

    Attributes:
        lost: field of the source to the number of values that the target has no field for.
        left_out: files of the source that have no counterpart in the target.
        unread: records of the source that could not be read, with the reason.
        mapping: what could be mapped to Wikidata ids, when the target needs them.
    """

    source: str
    target: str
    dialogues: int = 0
    files: list[Path] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)
    mapping: MappingReport = field(default_factory=MappingReport)
    unread: list[str] = field(default_factory=list)

    def account(self) -> dict[str, Any]:
        """For the side file and `--json`."""
        return {
            "from": self.source,
            "to": self.target,
            "dialogues": self.dialogues,
            "files": len(self.files),
            "lost": dict(sorted(self.lost.items())),
            "left_out": self.left_out,
            "unread": self.unread,
            "mapped_entities": self.mapping.mapped,
            "unmapped_entities": dict(sorted(self.mapping.unmapped.items())),
        }

    @property
    def complete(self) -> bool:
        """Whether nothing was lost."""
        return not (self.lost or self.left_out or self.mapping.unmapped or self.unread)


def convert(
    dataset: Dataset,
    target: str,
    out: Path,
    report: Report,
    *,
    mapper: EntityMapper | None = None,
    advance: Callable[[], None] = lambda: None,
) -> Conversion:
    """Converts a dataset; within one format, files are written byte for byte.

    Args:
        dataset: file or folder, as opened.
        target: name of the target format.
        out: file or folder; a folder keeps the source's layout.
        report: gets every problem of the source.
        mapper: for targets that need Wikidata ids.
        advance: called after each file.

    Returns:
        What was done; a side file `conversion.json` lists what was lost, if anything was.

    Raises:
        UsageError: unknown target.
        NothingReadError: there is no record that could be read.
        DataError: `out` lies in the source, or cannot be written.
    """
    _check(dataset, target, out)
    out = out.resolve()
    try:
        with tempfile.TemporaryDirectory(prefix=_STAGE, dir=_existing(out)) as stage:
            work = _Work(dataset, target, out, Path(stage), report, mapper)
            for path, kind in dataset.files.items():
                work.convert(path, kind)
                advance()
            work.finish()
    except OSError as error:
        named = out if error.filename is None or _STAGE in str(error.filename) else error.filename
        raise DataError(f"{named}: cannot be written ({error.strerror})") from error
    return work.made


def _existing(out: Path) -> Path:
    """The folder on the way to `out` that is there already, so that files can be moved from it into place."""
    return next(folder for folder in (out, *out.parents) if folder.is_dir())


def _check(dataset: Dataset, target: str, out: Path) -> None:
    """Refuses what cannot be done, before anything is written."""
    if target not in WRITERS:
        raise UsageError(f"unknown format {target!r}; known are {', '.join(WRITERS)}")
    source, destination = dataset.root.resolve(), out.resolve()
    if source == destination or (source.is_dir() and destination.is_relative_to(source)):
        raise DataError(f"{out}: lies in the source; choose another --out")


def _write_account(made: Conversion, folder: Path) -> None:
    text = json.dumps(made.account(), indent=2, ensure_ascii=False)
    (folder / SIDE_FILE).write_text(text + "\n", encoding="utf-8", errors="replace")


class _Work:
    """Converts the files of a dataset one by one, keeps the account, and puts all in place when it is complete."""

    def __init__(
        self, dataset: Dataset, target: str, out: Path, stage: Path, report: Report, mapper: EntityMapper | None
    ) -> None:
        self.made = Conversion(dataset.format.name, target)
        self._dataset = dataset
        self._target = target
        self._out = out
        self._stage = stage
        self._report = report
        self._mapper = mapper

    def convert(self, path: Path, kind: str) -> None:
        """Writes what stands for one file in the target, if anything does."""
        dataset, made = self._dataset, self.made
        if self._target == dataset.format.name:
            goal = self._goal(path, path.suffix)
            records = dataset.format.copy(path, kind, self._staged(goal), self._told)
            made.dialogues += records if kind == "dialogues" else 0
            made.files.append(goal)
        elif kind == "dialogues":
            writer = WRITERS[self._target]
            goal = self._goal(path, "" if writer.one_file_each else writer.suffix)
            made.dialogues += writer.write_dialogues(self._staged(goal), self._dialogues(path, writer))
            made.files.append(goal)
        elif kind != "votes":
            made.left_out.append(f"{path.name} ({kind})")

    def finish(self) -> None:
        """Moves what was written to its place."""
        made, out = self.made, self._out
        if made.unread and not made.dialogues:
            raise NothingReadError(
                f"{self._dataset.root}: nothing in it can be read as {made.source}; {made.unread[0]}."
            )
        if not made.complete:
            _write_account(made, self._stage / out.name if self._is_folder() else self._stage)
        for path in sorted(self._stage.rglob("*")):
            goal = out.parent / path.relative_to(self._stage)
            if path.is_dir():
                goal.mkdir(parents=True, exist_ok=True)
            else:
                goal.parent.mkdir(parents=True, exist_ok=True)
                path.replace(goal)

    def _is_folder(self) -> bool:
        return self._out.is_dir() or (self._stage / self._out.name).is_dir()

    def _staged(self, goal: Path) -> Path:
        """Where a file is written first; the names that an earlier conversion left beside its goal are there, too."""
        staged = self._stage / goal.relative_to(self._out.parent)
        staged.parent.mkdir(parents=True, exist_ok=True)
        names = goal.with_name(NAMES_FILE)
        if names.is_file() and not staged.with_name(NAMES_FILE).exists():
            shutil.copyfile(names, staged.with_name(NAMES_FILE))
        return staged

    def _told(self, problem: Problem) -> None:
        if problem.lost:
            self.made.unread.append(str(problem))
        self._report(problem)

    def _goal(self, path: Path, suffix: str) -> Path:
        """Where the converted file goes."""
        root, out = self._dataset.root, self._out
        if root.is_file():
            return out if suffix and out.suffix == suffix else out / path.with_suffix(suffix).name
        return (out / path.relative_to(root)).with_suffix(suffix)

    def _dialogues(self, path: Path, writer: DialogueWriter) -> Iterator[Dialogue]:
        """The dialogues of a file with ids where they can be told; what the writer has no field for is counted."""
        for dialogue in self._dataset.format.dialogues(path, self._told):
            linked = self._mapper.link(dialogue, self.made.mapping) if self._mapper else dialogue
            self.made.lost += not_held(linked, writer.held)
            yield linked
