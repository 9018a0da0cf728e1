"""What a look-up brings, and remembering it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

import orjson

from data.catalogue.format import dump_entity, parse_entity
from data.model import Entity, Qid

__all__ = ["LookupCache", "LookupResult", "MemoryCache", "decoded", "encoded"]


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What a look-up brought.

    Attributes:
        entities: those found, best known first, then the values they have and the works that came along.
        failed: whether something could not be looked up; not set when Wikidata merely knows no such name.
        found: name to the ids of the entities called so, best known first.
    """

    entities: tuple[Entity, ...] = ()
    failed: bool = False
    found: Mapping[str, tuple[Qid, ...]] = field(default_factory=dict)


class LookupCache(Protocol):
    """Remembers answers across restarts; the database is one."""

    async def lookup(self, key: str) -> Any | None:
        """The remembered answer (JSON data), None when there is none or it has expired."""
        ...

    async def remember_lookup(self, key: str, answer: Any, lifetime: timedelta) -> None:
        """Remembers an answer for so long."""
        ...


class MemoryCache:
    """Remembers answers as long as the process lives."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = 1000) -> None:
        self._clock = clock
        self._most = most
        self._answers: dict[str, tuple[float, Any]] = {}

    async def lookup(self, key: str) -> Any | None:
        """The remembered answer, None when there is none or it has expired."""
        expires, answer = self._answers.get(key, (0.0, None))
        return answer if expires > self._clock() else None

    async def remember_lookup(self, key: str, answer: Any, lifetime: timedelta) -> None:
        """Remembers an answer; the oldest goes when there are too many."""
        self._answers.pop(key, None)
        if len(self._answers) >= self._most:
            del self._answers[next(iter(self._answers))]
        self._answers[key] = (self._clock() + lifetime.total_seconds(), answer)


def encoded(name: str, result: LookupResult) -> Any:
    """The answer for one name as JSON data."""
    return {
        "entities": [orjson.loads(dump_entity(entity)) for entity in result.entities],
        "found": list(result.found.get(name, ())),
    }


def decoded(name: str, answer: Any) -> LookupResult:
    """The answer for one name from its JSON data.

    Raises:
        ValueError, KeyError, TypeError: it is no such data.
    """
    entities = tuple(parse_entity(orjson.dumps(entity)) for entity in answer["entities"])
    found = tuple(map(str, answer["found"]))
    return LookupResult(entities, found={name: found} if found else {})
