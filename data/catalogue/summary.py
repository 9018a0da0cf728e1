"""Counting what a catalogue holds, and finding entities in it by name."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from data.catalogue.catalogue import Catalogue
from data.model import Domain, Entity, PropertyId

__all__ = ["Summary", "search", "summarise"]


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a catalogue.

    Attributes:
        items: domain to number of items that can be recommended.
        kinds: kind to number of entities, most frequent first.
        properties: domain to property to (items that have it, values of them all).
    """

    entities: int
    items: Mapping[Domain, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    properties: Mapping[Domain, Mapping[PropertyId, tuple[int, int]]] = field(default_factory=dict)


def summarise(catalogue: Catalogue) -> Summary:
    """Counts entities by domain and kind, and relations by property."""
    items: Counter[Domain] = Counter()
    kinds: Counter[str] = Counter()
    holders: defaultdict[Domain, Counter[PropertyId]] = defaultdict(Counter)
    values: defaultdict[Domain, Counter[PropertyId]] = defaultdict(Counter)
    for entity in catalogue.entities():
        kinds[entity.kind] += 1
        if entity.domain is None:
            continue
        items[entity.domain] += 1
        for pid, found in entity.relations.items():
            holders[entity.domain][pid] += 1
            values[entity.domain][pid] += len(found)
    properties = {
        domain: {pid: (count, values[domain][pid]) for pid, count in counts.most_common()}
        for domain, counts in holders.items()
    }
    return Summary(len(catalogue), dict(items), dict(kinds.most_common()), properties)


def search(catalogue: Catalogue, text: str, domain: Domain | None = None, limit: int = 10) -> Sequence[Entity]:
    """Entities whose name or id is, starts with or contains a text; capitals and accents do not count.

    Args:
        catalogue: where to look.
        text: a part of a name, or an id.
        domain: only items of this domain.
        limit: at most so many.

    Returns:
        Exact names first, then beginnings, then parts; the best known first among equals.
    """
    wanted = _folded(text)
    if not wanted:
        return ()
    found: list[tuple[int, float, str, Entity]] = []
    for entity in catalogue.entities():
        if domain is not None and entity.domain != domain:
            continue
        best = min((_closeness(_folded(name), wanted) for name in _names(entity)), default=_NO_MATCH)
        if best < _NO_MATCH:
            found.append((best, -entity.popularity, entity.qid, entity))
    return tuple(row[-1] for row in sorted(found, key=lambda row: row[:3])[:limit])


_NO_MATCH = 3


def _names(entity: Entity) -> tuple[str, ...]:
    return (entity.qid, entity.label, *entity.aliases, *entity.labels.values(), *entity.merged)


def _closeness(name: str, wanted: str) -> int:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    return 2 if wanted in name else _NO_MATCH


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(letter for letter in plain if not unicodedata.combining(letter)).split())
