"""Why an item is recommended, read off the walk: never a fact that is not an edge of the graph."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from data.domains import DomainConfig
from data.model import Domain, Entity, PropertyId, Qid
from data.sparql.vocabulary import load_vocabulary
from recommender.model import Reason

__all__ = ["Explainer", "Knowledge", "Profile"]

_WELL_KNOWN = 0.25
"""Share of a domain's items, from the top, that may be called well known."""


class Knowledge(Protocol):
    """What explanations read of a catalogue."""

    def get(self, qid: Qid) -> Entity | None: ...

    def items(self, domain: Domain) -> Sequence[Entity]: ...

    def holders(self, qid: Qid, pid: PropertyId | None = None) -> Sequence[Qid]: ...

    def roles(self, qid: Qid, domain: Domain) -> tuple[tuple[PropertyId, int], ...]: ...


@dataclass(frozen=True, slots=True)
class Profile:
    """The usable seeds of a request, as ids of the catalogue."""

    liked: frozenset[Qid]
    disliked: frozenset[Qid]


@dataclass(frozen=True, slots=True)
class Strand:
    """What one neighbour of the item brings to its score.

    Attributes:
        value: id of the neighbour.
        share: part of the item's score that comes through it, 0 to 1.
        witnesses: liked items next to the neighbour, the most contributing first.
    """

    value: Qid
    share: float
    witnesses: tuple[Qid, ...]


class Explainer:
    """Turns strands of the walk into reasons."""

    def __init__(self, knowledge: Knowledge, domains: Mapping[Domain, DomainConfig]) -> None:
        self._knowledge = knowledge
        self._domains = domains
        self._inverses = load_vocabulary().inverses

    def reasons(self, item: Entity, profile: Profile, strands: Sequence[Strand], popular: float) -> tuple[Reason, ...]:
        """The reasons for an item: values by strength, then what it avoids, then fame (first when there is no value).

        Args:
            item: the recommended item.
            profile: the seeds.
            strands: of the item's neighbours, by descending share.
            popular: share of the score that is popularity, 0 to 1.
        """
        told = [reason for strand in strands for reason in self._told(item, profile, strand)]
        told.sort(key=lambda reason: -reason.weight)
        avoided = list(self._avoided(item, profile))
        known = self._well_known(item) and (popular >= 0.5 or not told)
        fame = [Reason("popularity", weight=popular)] if known else []
        return tuple(told + avoided + fame) if told else tuple(fame + avoided)

    def _told(self, item: Entity, profile: Profile, strand: Strand) -> Iterator[Reason]:
        property_ids = self._properties(item, strand.value)
        if not property_ids:
            return
        if strand.value in profile.liked:
            witnesses = self._with_property(strand, property_ids[0])
            yield Reason("liked", property_ids[0], strand.value, witnesses, strand.share)
            return
        for pid in property_ids:
            witnesses = self._with_property(strand, pid)
            if witnesses:
                yield Reason("shared", pid, strand.value, witnesses, strand.share)
                return

    def _with_property(self, strand: Strand, pid: PropertyId) -> tuple[Qid, ...]:
        """Witnesses that have the value for the very same property."""
        known = ((qid, self._knowledge.get(qid)) for qid in strand.witnesses)
        return tuple(qid for qid, entity in known if entity and pid in self._properties(entity, strand.value))

    def _properties(self, item: Entity, value: Qid) -> list[PropertyId]:
        """Properties by which the item has the value and that explanations may name, strongest first."""
        config = self._domains.get(item.domain or "")
        entity = self._knowledge.get(value)
        if config is None or entity is None:
            return []
        names = {value, entity.qid, *entity.merged}
        found = [pid for pid, values in item.relations.items() if not names.isdisjoint(values)]
        mine = {item.qid, *item.merged}
        found += [
            self._inverses[pid]
            for pid, values in entity.relations.items()
            if pid in self._inverses and not mine.isdisjoint(values) and self._inverses[pid] not in found
        ]
        usable = [pid for pid in found if pid in config.properties and config.properties[pid].in_explanations]
        return sorted(usable, key=lambda pid: -config.properties[pid].weight)

    def _avoided(self, item: Entity, profile: Profile) -> Iterator[Reason]:
        for value in sorted(profile.disliked):
            entity = self._knowledge.get(value)
            if entity is None or entity.is_item or item.qid in self._knowledge.holders(value):
                continue
            roles = self._knowledge.roles(value, item.domain or "")
            if roles:
                yield Reason("avoids", roles[0][0], value)

    def _well_known(self, item: Entity) -> bool:
        items = self._knowledge.items(item.domain or "")
        if not items or item.popularity <= 0:
            return False
        return item.popularity >= items[int(_WELL_KNOWN * (len(items) - 1))].popularity
