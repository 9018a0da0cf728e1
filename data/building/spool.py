"""Results of long work on disk, step by step, so that the work can go on after an interruption."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import orjson

from data.catalogue.format import dump_entity, parse_entity
from data.model import Entity

__all__ = ["Spool", "Stage"]

SAVE_EVERY = 8


class Stage:
    """A step under way.

    Attributes:
        done: pieces that are done.
        counts: what was counted in them.
    """

    def __init__(self, state: Path, streams: Mapping[str, IO[bytes]], done: int, counts: Counter[str]) -> None:
        self.done = done
        self.counts = counts
        self._state = state
        self._streams = streams

    def write(self, file: str, content: bytes) -> None:
        """Adds to a file."""
        self._streams[file].write(content)

    def finish_piece(self) -> None:
        """Counts a piece as done; saved now and then."""
        self.done += 1
        if self.done % SAVE_EVERY == 0:
            self.save()

    def save(self) -> None:
        """Makes everything so far last."""
        for stream in self._streams.values():
            stream.flush()
        sizes = {file: stream.tell() for file, stream in self._streams.items()}
        half = self._state.with_suffix(".part")
        half.write_bytes(orjson.dumps({"done": self.done, "counts": dict(self.counts), "sizes": sizes}))
        half.replace(self._state)


class Spool:
    """A folder with one file for each step of the work, and how far each step is."""

    def __init__(self, folder: Path, key: str) -> None:
        """Opens the folder; what another kind of work (with another key) left there is dropped.

        Args:
            folder: made when it is missing.
            key: what the work is about.
        """
        self._folder = folder
        digest = hashlib.sha256(key.encode()).hexdigest()
        marker = folder / "key"
        if folder.exists() and (not marker.exists() or marker.read_text(encoding="utf-8") != digest):
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        marker.write_text(digest, encoding="utf-8")

    def lines(self, name: str, make: Callable[[], Iterable[str]]) -> list[str]:
        """Lines of a step that is done as a whole: read when it was done, otherwise made and kept."""
        path = self._folder / f"{name}.txt"
        if path.exists():
            return path.read_text(encoding="utf-8").splitlines()
        made = list(make())
        half = path.with_suffix(".part")
        half.write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
        half.replace(path)
        return made

    def batches(
        self,
        name: str,
        ids: Sequence[str],
        size: int,
        work: Callable[[Sequence[str]], Iterable[Entity]],
        progress: Callable[[int, int], None],
    ) -> None:
        """Does a step batch by batch, from the first batch that is not done.

        Args:
            name: of the step.
            ids: what to work on.
            size: of a batch.
            work: what to do with one.
            progress: told how many ids are done, of how many.
        """
        path, state = self._folder / f"{name}.jsonl", self._folder / f"{name}.state"
        done, length = orjson.loads(state.read_bytes()) if state.exists() else (0, 0)
        with path.open("ab") as stream:
            stream.truncate(length)
            for start in range(done, len(ids), size):
                for entity in work(ids[start : start + size]):
                    stream.write(dump_entity(entity) + b"\n")
                stream.flush()
                half = state.with_suffix(".part")
                half.write_bytes(orjson.dumps((start + size, path.stat().st_size)))
                half.replace(state)
                progress(min(start + size, len(ids)), len(ids))

    @contextmanager
    def stage(self, name: str, files: Sequence[str]) -> Iterator["Stage"]:
        """A step that takes pieces one after the other, and goes on after the last piece that was saved.

        Args:
            name: of the step.
            files: what it writes.
        """
        state = self._folder / f"{name}.state"
        saved: dict[str, Any] = (
            orjson.loads(state.read_bytes()) if state.exists() else {"done": 0, "counts": {}, "sizes": {}}
        )
        with ExitStack() as stack:
            streams: dict[str, IO[bytes]] = {}
            for file in files:
                streams[file] = stack.enter_context((self._folder / file).open("ab"))
                streams[file].truncate(saved["sizes"].get(file, 0))
            stage = Stage(state, streams, saved["done"], Counter(saved["counts"]))
            yield stage
            stage.save()

    def file(self, name: str) -> Path:
        """Where a file of the work is."""
        return self._folder / name

    def entities(self, name: str) -> Iterator[Entity]:
        """What a step made."""
        path = self._folder / f"{name}.jsonl"
        if path.exists():
            with path.open("rb") as stream:
                yield from map(parse_entity, stream)

    def clear(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)
