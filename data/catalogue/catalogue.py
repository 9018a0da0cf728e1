"""The catalogue in memory: entities with the indexes that linking, ranking and talking need."""

import bisect
import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from data.model import Domain, Entity, PropertyId, Qid

__all__ = ["Catalogue", "unite"]


class Catalogue:
    """Items that can be recommended and the values that they have, by id.

    An id that was merged into another (a variant of a genre) is as good as the other's own.
    """

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        self._entities: dict[Qid, Entity] = {}
        self._merged: dict[Qid, Qid] = {}
        self._items: defaultdict[Domain, list[Entity]] = defaultdict(list)
        self._holders: defaultdict[Qid, dict[PropertyId, list[Qid]]] = defaultdict(dict)
        entities = list(entities)
        for entity in entities:
            self._merged.update(dict.fromkeys(entity.merged, entity.qid))
        for entity in entities:
            self._insert(entity)
        for items in self._items.values():
            items.sort(key=_rank)

    def __contains__(self, qid: object) -> bool:
        return qid in self._entities or qid in self._merged

    def __len__(self) -> int:
        return len(self._entities)

    def canonical(self, qid: Qid) -> Qid:
        """The id of the node that stands for this one: itself, unless it was merged into another."""
        return self._merged.get(qid, qid)

    def get(self, qid: Qid) -> Entity | None:
        """The entity with this id, or the one that this id was merged into; None when unknown."""
        return self._entities.get(self.canonical(qid))

    def label(self, qid: Qid, language: str = "en") -> str:
        """Its name in that language, or in English; the id itself when it is unknown."""
        entity = self.get(qid)
        return entity.labels.get(language, entity.label) if entity else qid

    def entities(self) -> Iterable[Entity]:
        """Every entity, items and values."""
        return self._entities.values()

    def items(self, domain: Domain) -> Sequence[Entity]:
        """What can be recommended in a domain, best known first."""
        return self._items.get(domain, ())

    def holders(self, qid: Qid, pid: PropertyId | None = None) -> Sequence[Qid]:
        """Ids of the entities that have it as a value.

        Args:
            qid: the value.
            pid: only as a value of this property; any when None (each holder once).
        """
        by_property = self._holders.get(self.canonical(qid), {})
        if pid is not None:
            return by_property.get(pid, [])
        return list(dict.fromkeys(holder for holders in by_property.values() for holder in holders))

    def roles(self, qid: Qid, domain: Domain) -> tuple[tuple[PropertyId, int], ...]:
        """Properties in which it is a value of that domain's items, with their number, most frequent first."""
        by_property = self._holders.get(self.canonical(qid), {})
        counts = [
            (pid, sum(self._entities[holder].domain == domain for holder in holders))
            for pid, holders in by_property.items()
        ]
        return tuple(sorted((found for found in counts if found[1]), key=lambda found: (-found[1], found[0])))

    def add(self, entity: Entity) -> Entity:
        """Adds an entity, or what it brings to a known one (relations, names, ids), at once.

        Returns:
            The entity as it now stands.
        """
        relations = {
            pid: tuple(dict.fromkeys(self.canonical(value) for value in values))
            for pid, values in entity.relations.items()
        }
        entity = dataclasses.replace(entity, relations=relations, merged=())
        known = self.get(entity.qid)
        if known is not None:
            entity = _united(known, entity)
            self._remove(known)
        self._insert(entity)
        if entity.domain is not None:
            items = self._items[entity.domain]
            bisect.insort(items, items.pop(), key=_rank)
        return entity

    def _insert(self, entity: Entity) -> None:
        self._entities[entity.qid] = entity
        if entity.domain is not None:
            self._items[entity.domain].append(entity)
        for pid, values in entity.relations.items():
            for value in values:
                self._holders[self.canonical(value)].setdefault(pid, []).append(entity.qid)

    def _remove(self, entity: Entity) -> None:
        if entity.domain is not None:
            self._items[entity.domain].remove(entity)
        for pid, values in entity.relations.items():
            for value in values:
                self._holders[self.canonical(value)][pid].remove(entity.qid)


def _rank(entity: Entity) -> tuple[float, str]:
    return -entity.popularity, entity.qid


def unite(entities: Iterable[Entity]) -> list[Entity]:
    """Entities by id, each once: of several with one id the first stands, with what the others add."""
    merged: dict[Qid, Qid] = {}
    found: dict[Qid, Entity] = {}
    for entity in entities:
        known = found.get(merged.get(entity.qid, entity.qid))
        entity = _united(known, entity) if known is not None else entity
        found[entity.qid] = entity
        merged.update(dict.fromkeys(entity.merged, entity.qid))
    return list(found.values())


def _united(old: Entity, new: Entity) -> Entity:
    """The old entity with what the new one adds; where they differ, the old one stands."""
    return dataclasses.replace(
        old,
        domain=old.domain or new.domain,
        year=old.year if old.year is not None else new.year,
        popularity=max(old.popularity, new.popularity),
        aliases=tuple(name for name in dict.fromkeys((*old.aliases, *new.aliases, new.label)) if name != old.label),
        labels={**new.labels, **old.labels},
        relations=_joined(old.relations, new.relations),
        facts=_joined(old.facts, new.facts),
        ids={**new.ids, **old.ids},
    )


def _joined(
    old: Mapping[PropertyId, tuple[str, ...]], new: Mapping[PropertyId, tuple[str, ...]]
) -> dict[PropertyId, tuple[str, ...]]:
    return {pid: tuple(dict.fromkeys((*old.get(pid, ()), *new.get(pid, ())))) for pid in dict.fromkeys((*old, *new))}
