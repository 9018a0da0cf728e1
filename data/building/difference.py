"""What a new build changes."""

from collections.abc import Iterable
from dataclasses import dataclass

from data.model import Entity, Qid

__all__ = ["Difference", "compare"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Ids that a new build adds, drops and changes."""

    added: tuple[Qid, ...]
    removed: tuple[Qid, ...]
    changed: tuple[Qid, ...]


def compare(old: Iterable[Entity], new: Iterable[Entity]) -> Difference:
    """Compares two builds entity by entity; the order of values does not count."""
    before = {entity.qid: entity for entity in old}
    after = {entity.qid: entity for entity in new}
    return Difference(
        added=tuple(qid for qid in after if qid not in before),
        removed=tuple(qid for qid in before if qid not in after),
        changed=tuple(qid for qid in after if qid in before and _essence(before[qid]) != _essence(after[qid])),
    )


def _essence(entity: Entity) -> tuple[object, ...]:
    return (
        entity.label,
        entity.kind,
        entity.domain,
        entity.year,
        set(entity.aliases),
        dict(entity.labels),
        {pid: set(values) for pid, values in entity.relations.items()},
        {pid: set(names) for pid, names in entity.facts.items()},
        dict(entity.ids),
    )
