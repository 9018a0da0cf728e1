"""Catalogues of all domains from Wikidata's JSON dump, on one machine: two passes, all cores, bounded memory.

The first pass takes the class hierarchy and everything that may be an item; between the passes the items are chosen and
the ids of their values collected; the second pass takes the names of those values. What is kept in memory are ids.
"""

import functools
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.building.ancestry import Ancestry
from data.building.chunks import CHUNK_BYTES, chunks_of, worked
from data.building.passes import first_pass, number_of, second_pass_from
from data.building.selecting import Selection
from data.building.spool import Spool
from data.building.wikidata_json import Interest
from data.catalogue.genres import Genres
from data.domains import DomainConfig
from data.errors import MissingFileError
from data.model import Domain, Entity
from data.sparql.reader import LANGUAGES
from data.sparql.vocabulary import Vocabulary

__all__ = ["DumpBuild", "DumpOptions"]


@dataclass(frozen=True, slots=True)
class DumpOptions:
    """How to read a dump.

    Attributes:
        languages: of names.
        workers: processes; as many as there are cores when None.
        progress: told what is being done and how many lines are.
        piece: bytes that are worked on at a time, about.
    """

    languages: tuple[str, ...] = LANGUAGES
    workers: int | None = None
    progress: Callable[[str, int], None] = lambda _what, _lines: None
    piece: int = CHUNK_BYTES


class DumpBuild:
    """Builds from a dump; interrupted, it goes on from the last pieces that were saved."""

    def __init__(
        self,
        dump: Path,
        domains: Mapping[Domain, DomainConfig],
        vocabulary: Vocabulary,
        genres: Genres,
        folder: Path,
        options: DumpOptions,
    ) -> None:
        """Makes it.

        Args:
            dump: one entity a line, plain, `.gz` or `.bz2`.
            domains: what to build.
            vocabulary: what properties and classes mean.
            genres: which genres are one.
            folder: for what was taken so far.
            options: how to read.

        Raises:
            MissingFileError: there is no dump.
        """
        if not dump.is_file():
            raise MissingFileError(f"There is no dump {dump}; give the path of a Wikidata JSON dump.")
        self._dump = dump
        self._domains = domains
        self._vocabulary = vocabulary
        self._genres = genres
        self._options = options
        self._workers = options.workers or os.cpu_count() or 1
        self._interest = Interest.of(domains, vocabulary, options.languages)
        shape = dump.stat()
        this_dump = f"{dump.resolve()} {shape.st_size} {shape.st_mtime_ns} {options.piece}"
        self._spool = Spool(folder, f"{this_dump} {self._interest}")
        self.lines = 0
        self.malformed = 0

    def run(self) -> Mapping[Domain, Iterator[Entity]]:
        """Reads what is not read yet; `lines` and `malformed` then say how much that was in all.

        Returns:
            For each domain its items and the values that they have, read back from disk.

        Raises:
            DataError: the dump is damaged.
        """
        self._first_pass()
        selection = self._selection()
        wanted = self._spool.file("wanted.npy")
        np.save(wanted, selection.wanted)
        self._second_pass(wanted)
        selection.keep(self._lines("values"))
        return {
            name: selection.entities(name, self._lines("candidates"), self._lines("values")) for name in self._domains
        }

    def clear(self) -> None:
        """Forgets what was taken; the catalogues are written."""
        self._spool.clear()

    def _first_pass(self) -> None:
        work = functools.partial(first_pass, interest=self._interest)
        with self._spool.stage("first", ("candidates", "edges")) as stage:
            for found in worked(work, chunks_of(self._dump, stage.done, self._options.piece), self._workers):
                stage.write("candidates", _joined(found.candidates))
                stage.write("edges", found.edges.tobytes())
                stage.counts.update(lines=found.lines, malformed=found.malformed)
                stage.finish_piece()
                self._options.progress("first pass", stage.counts["lines"])
            self.lines, self.malformed = stage.counts["lines"], stage.counts["malformed"]

    def _second_pass(self, wanted: Path) -> None:
        work = functools.partial(second_pass_from, interest=self._interest, wanted=wanted)
        with self._spool.stage("second", ("values",)) as stage:
            for found in worked(work, chunks_of(self._dump, stage.done, self._options.piece), self._workers):
                stage.write("values", _joined(found.values))
                stage.counts.update(lines=found.lines)
                stage.finish_piece()
                self._options.progress("second pass", stage.counts["lines"])

    def _selection(self) -> Selection:
        edges = array("q")
        edges.frombytes(self._spool.file("edges").read_bytes())
        tops = {qid for config in self._domains.values() for qid in (*config.classes, *config.occupations)}
        ancestry = Ancestry(sorted({*tops, *self._vocabulary.kinds}, key=number_of), edges)
        selection = Selection(self._domains, self._vocabulary, self._genres, self._options.languages, ancestry.tops)
        selection.choose(self._lines("candidates"))
        return selection

    def _lines(self, name: str) -> Iterator[bytes]:
        with self._spool.file(name).open("rb") as stream:
            yield from stream


def _joined(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
