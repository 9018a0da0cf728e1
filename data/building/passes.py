"""What is done with the lines of a dump. Plain functions of lines: one machine and a cluster run the same ones."""

import contextlib
import functools
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from data.building.wikidata_json import SUBCLASS, Interest, parse_line, reduce_entity, superclasses
from data.model import Qid

__all__ = ["Gathered", "Named", "Numbers", "first_pass", "number_of", "second_pass", "second_pass_from"]

_ID = re.compile(rb'\{"type":"item","id":"(Q[1-9][0-9]{0,11})"')


@dataclass(slots=True)
class Gathered:
    """What the first pass takes from some lines.

    Attributes:
        candidates: reduced entities that may be items, as JSON.
        edges: numbers of subclass and superclass in turn.
        lines: how many there were.
        malformed: how many could not be read.
    """

    candidates: list[bytes] = field(default_factory=list)
    edges: "array[int]" = field(default_factory=lambda: array("q"))
    lines: int = 0
    malformed: int = 0


@dataclass(slots=True)
class Named:
    """What the second pass takes from some lines: reduced entities that are wanted as values, as JSON."""

    values: list[bytes] = field(default_factory=list)
    lines: int = 0


def first_pass(lines: Iterable[bytes], interest: Interest) -> Gathered:
    """Takes possible items and the class hierarchy from some lines. Most lines are not even parsed."""
    found = Gathered()
    telling = _telling(interest)
    for line in lines:
        found.lines += 1
        if telling.search(line) is None:
            found.malformed += not _looks_whole(line)
            continue
        entity = _parsed(line)
        try:
            if entity is None:
                raise ValueError("no entity")
            if not entity["id"].startswith("Q"):
                continue
            reduced = reduce_entity(entity, interest)
            number = number_of(entity["id"])
            for above in superclasses(entity):
                found.edges.extend((number, number_of(above)))
            if interest.may_be_item(reduced):
                found.candidates.append(orjson.dumps(reduced))
        except ValueError:
            found.malformed += 1
    return found


def second_pass(lines: Sequence[bytes], interest: Interest, wanted: NDArray[np.int64]) -> Named:
    """Takes names and kind of the wanted entities from some lines.

    Args:
        lines: of the dump.
        interest: what to keep.
        wanted: sorted numbers of the entities.
    """
    found = Named(lines=len(lines))
    numbers = np.array([_number_in(line) for line in lines], dtype=np.int64)
    for place in np.flatnonzero(np.isin(numbers, wanted)).tolist():
        entity = _parsed(lines[place])
        if entity is not None:
            with contextlib.suppress(ValueError):
                found.values.append(orjson.dumps(reduce_entity(entity, interest)))
    return found


def second_pass_from(lines: Sequence[bytes], interest: Interest, wanted: Path) -> Named:
    """The second pass with the wanted numbers in a file (`numpy.save`), read once a process."""
    return second_pass(lines, interest, _numbers(wanted))


class Numbers:
    """A set of item ids in little memory."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        """Makes it of numbers, which must be sorted."""
        self._numbers = numbers

    def __contains__(self, qid: object) -> bool:
        number = number_of(str(qid))
        place = int(np.searchsorted(self._numbers, number))
        return place < len(self._numbers) and int(self._numbers[place]) == number


def number_of(qid: Qid) -> int:
    """The number in an item id."""
    return int(qid[1:])


@functools.cache
def _telling(interest: Interest) -> re.Pattern[bytes]:
    return re.compile(b'"(?:' + b"|".join(pid.encode() for pid in sorted({*interest.telling, SUBCLASS})) + b')":')


@functools.lru_cache(maxsize=1)
def _numbers(path: Path) -> NDArray[np.int64]:
    numbers: NDArray[np.int64] = np.load(path, mmap_mode="r")
    return numbers


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        return parse_line(line)
    except ValueError:
        return None


def _looks_whole(line: bytes) -> bool:
    """Whether a line that is not parsed is an entity, a bracket or empty."""
    text = line.strip().rstrip(b",")
    return text in (b"", b"[", b"]") or (text.startswith(b"{") and text.endswith(b"}"))


def _number_in(line: bytes) -> int:
    """Number of the item on a line, -1 for anything else; a line in another order than dumps have is parsed."""
    if match := _ID.match(line):
        return int(match.group(1)[1:])
    entity = _parsed(line) if line.startswith(b"{") else None
    qid = entity["id"] if entity else ""
    return int(qid[1:]) if qid.startswith("Q") and qid[1:].isdigit() else -1
