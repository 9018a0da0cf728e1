"""Reading and writing catalogue files."""

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import orjson

from data.catalogue.format import FORMAT_VERSION, HEADER_KEY, LineError, dump_entity, parse_entity
from data.errors import DataError, MissingFileError
from data.model import Entity, Qid

__all__ = ["read_entities", "read_header", "write_entities"]

SHOWN_PROBLEMS = 20
LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of one entity; a packed file may claim to hold any number of them."""


def read_entities(path: Path) -> list[Entity]:
    """Reads a catalogue file and checks all of it.

    Args:
        path: a catalogue file, plain or ending in `.gz`.

    Raises:
        MissingFileError: there is no such file.
        DataError: lines are broken, ids are given twice, or relations name ids that the file lacks; the message
            names the lines (the first twenty).
    """
    lines: dict[Qid, int] = {}
    entities: list[Entity] = []
    problems: list[str] = []
    for number, line in _lines(path):
        try:
            entity = parse_entity(line)
        except LineError as error:
            problems.append(f"line {number}: {error}")
            continue
        for qid in (entity.qid, *entity.merged):
            if qid in lines:
                problems.append(f"line {number}: {qid} is also on line {lines[qid]}")
            lines.setdefault(qid, number)
        entities.append(entity)
    problems.extend(_unknown_values(entities, lines))
    if problems:
        raise DataError(_report(path, problems))
    return entities


def read_header(path: Path) -> Mapping[str, Any]:
    """What the first line says of the file: its version, and how it was built.

    Raises:
        MissingFileError: there is no such file.
        DataError: it is no catalogue, or one of another version.
    """
    with _open(path) as stream:
        try:
            header = orjson.loads(stream.readline(LONGEST_LINE))
        except (orjson.JSONDecodeError, OSError, EOFError, zlib.error) as error:
            raise DataError(_no_catalogue(path)) from error
    if not isinstance(header, dict) or HEADER_KEY not in header:
        raise DataError(_no_catalogue(path))
    if header[HEADER_KEY] != FORMAT_VERSION:
        raise DataError(
            f"{path} is a catalogue of version {header[HEADER_KEY]}, this program reads version {FORMAT_VERSION}; "
            "build it again with `converse catalog build` or update the program."
        )
    return header


def write_entities(path: Path, entities: Iterable[Entity], header: Mapping[str, Any] | None = None) -> None:
    """Writes a catalogue file: at once or not at all.

    Args:
        path: plain, or gzip when it ends in `.gz`.
        entities: items and the values they name.
        header: more to say of the file in its first line.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.part")
    first = orjson.dumps({HEADER_KEY: FORMAT_VERSION, **(header or {})})
    with half.open("wb") as raw:
        stream = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if path.suffix == ".gz" else raw
        for line in chain((first,), map(dump_entity, entities)):
            stream.write(line + b"\n")
        if stream is not raw:
            stream.close()
        raw.flush()
        os.fsync(raw.fileno())
    half.replace(path)


def _open(path: Path) -> IO[bytes]:
    try:
        return cast("IO[bytes]", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")
    except FileNotFoundError as error:
        raise MissingFileError(
            f"There is no catalogue {path}; give another path or make one with `converse catalog build`."
        ) from error
    except OSError as error:
        raise DataError(f"The catalogue {path} cannot be read ({error.strerror}); check the path.") from error


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    read_header(path)
    with _open(path) as stream:
        try:
            for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), start=1):
                if len(line) == LONGEST_LINE:
                    raise DataError(f"{path}: line {number} is longer than {LONGEST_LINE} bytes; correct or remove it.")
                if number > 1 and line.strip():
                    yield number, line
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path} is damaged ({error}); copy or build it again.") from error


def _unknown_values(entities: Iterable[Entity], lines: Mapping[Qid, int]) -> Iterator[str]:
    for entity in entities:
        for pid, values in entity.relations.items():
            for qid in values:
                if qid not in lines:
                    yield f"line {lines[entity.qid]}: {pid} names {qid}, which has no line of its own"


def _report(path: Path, problems: list[str]) -> str:
    more = f"; and {len(problems) - SHOWN_PROBLEMS} more" if len(problems) > SHOWN_PROBLEMS else ""
    return (
        f"{path} is no valid catalogue: {'; '.join(problems[:SHOWN_PROBLEMS])}{more}. "
        "Correct or remove these lines, or build the file again with `converse catalog build`."
    )


def _no_catalogue(path: Path) -> str:
    return f'{path} is no catalogue: line 1 must be {{"{HEADER_KEY}": {FORMAT_VERSION}}}; see docs/catalogue.md.'
