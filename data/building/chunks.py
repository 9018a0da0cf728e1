"""Reading a dump in pieces and working on them with all cores, in order and with bounded memory."""

import bz2
import contextlib
import gzip
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import IO, TypeVar, cast

from data.errors import ConverseError, DataError, MissingFileError

__all__ = ["chunks_of", "lines_of", "open_dump", "undamaged", "worked"]

CHUNK_BYTES = 8 * 1024 * 1024
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one entity, far beyond Wikidata's largest; a packed file may claim to hold any number of them."""
_Result = TypeVar("_Result")


def open_dump(path: Path) -> IO[bytes]:
    """Opens a dump, packed (`.gz`, `.bz2`) or plain.

    Raises:
        MissingFileError: there is no such file.
    """
    try:
        if path.suffix == ".gz":
            return cast("IO[bytes]", gzip.open(path))
        return cast("IO[bytes]", bz2.open(path)) if path.suffix == ".bz2" else path.open("rb")
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no dump {path}; give the path of a Wikidata JSON dump.") from error


def chunks_of(path: Path, skip: int = 0, size: int = CHUNK_BYTES) -> Iterator[Sequence[bytes]]:
    """Lines of a dump, some megabytes at a time; the pieces are the same every time.

    Args:
        path: the dump.
        skip: pieces to leave out at the beginning.
        size: bytes of a piece, about.

    Raises:
        MissingFileError: there is no such file.
        DataError: the file is damaged.
    """
    with undamaged(path), open_dump(path) as stream:
        lines = lines_of(stream, path)
        number = 0
        while piece := _piece(lines, size):
            if number >= skip:
                yield piece
            number += 1


def lines_of(stream: IO[bytes], path: Path) -> Iterator[bytes]:
    """The lines of an open dump. Raises DataError at one that is too long to be an entity."""
    while line := stream.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise DataError(f"{path}: a line is longer than {LONGEST_LINE >> 20} MB; this is no Wikidata dump.")
        yield line


def _piece(lines: Iterator[bytes], size: int) -> list[bytes]:
    """The next lines, until they have so many bytes."""
    piece, taken = [], 0
    while taken < size and (line := next(lines, b"")):
        piece.append(line)
        taken += len(line)
    return piece


@contextlib.contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """Raises DataError when reading a file fails within it, packed or not."""
    try:
        yield
    except ConverseError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} is damaged ({error}); download it again.") from error


def worked(
    work: Callable[[Sequence[bytes]], _Result], pieces: Iterable[Sequence[bytes]], workers: int
) -> Iterator[_Result]:
    """Results of work on pieces, in their order.

    Args:
        work: what to do with a piece; must be picklable when there are several workers.
        pieces: read no further ahead than the workers need.
        workers: processes; with 1 the work is done in this one.
    """
    if workers <= 1:
        yield from map(work, pieces)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        under_way: deque[Future[_Result]] = deque()
        for piece in pieces:
            under_way.append(pool.submit(work, piece))
            if len(under_way) > 2 * workers:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
