"""Which items may be recommended: constraints are applied before anything is ranked or cut."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from data.model import Constraint, Domain, Entity, PropertyId, Qid

__all__ = ["Facts", "meets", "select"]

_NUMBER = re.compile(r"\d+")
_RUNTIME = "P2047"
_SUBCLASS = "P279"
_STEPS = (5, 10, 20, 40, 80)
"""By how much a range that nothing meets is widened in turn (years or minutes)."""


class Facts(Protocol):
    """What the selection reads of a catalogue."""

    def items(self, domain: Domain) -> Sequence[Entity]: ...

    def get(self, qid: Qid) -> Entity | None: ...

    def holders(self, qid: Qid, pid: PropertyId | None = None) -> Sequence[Qid]: ...


Test = Callable[[Entity], bool]


def select(
    facts: Facts, domain: Domain, constraints: Sequence[Constraint], barred: frozenset[Qid], wanted: int
) -> tuple[frozenset[Qid], tuple[Constraint, ...]]:
    """The items that meet the constraints, dropping as few as possible when none does.

    Of several equally small sets of constraints to drop, one of loose ones is dropped, else the one that leaves most
    items; on a draw, what was said last. A range is not simply forgotten: the items nearest to it are kept.

    Args:
        facts: the catalogue.
        domain: of the items.
        constraints: in the order in which they were said.
        barred: items that may not be shown in any case.
        wanted: how many items are needed once a range is widened.

    Returns:
        Ids of the allowed items and the constraints that had to be dropped.
    """
    items = [item for item in facts.items(domain) if item.qid not in barred]
    meeting = [{item.qid for item in items if test(item)} for test in map(_tester(facts), constraints)]
    everything = {item.qid for item in items}
    for dropped in _fewest(len(constraints)):
        left = {size: everything.intersection(*_without(meeting, size)) for size in dropped}
        best = max(
            left, key=lambda size: (bool(left[size]), all(constraints[index].loose for index in size), len(left[size]))
        )
        if left[best]:
            unmet = tuple(constraints[index] for index in best)
            return frozenset(_nearest(items, left[best], unmet, wanted)), unmet
    return frozenset(), ()


def meets(facts: Facts, item: Entity, constraint: Constraint) -> bool:
    """Whether an item meets a constraint; what is not known of it counts as not so."""
    return _tester(facts)(constraint)(item)


def _fewest(count: int) -> Iterator[list[tuple[int, ...]]]:
    """All sets of constraints to drop, by size; the last said come first."""
    for size in range(count + 1):
        yield list(itertools.combinations(range(count - 1, -1, -1), size))


def _without(meeting: Sequence[set[Qid]], dropped: Sequence[int]) -> list[set[Qid]]:
    return [found for index, found in enumerate(meeting) if index not in dropped]


def _tester(facts: Facts) -> Callable[[Constraint], Test]:
    """Makes the test of an item for a constraint."""

    def make(constraint: Constraint) -> Test:
        if constraint.property == "kind":
            test: Test = _kind_test(constraint)
        else:
            test = _range_test(constraint) if _is_range(constraint) else _value_test(facts, constraint)
        return (lambda item: not test(item)) if constraint.negated else test

    return make


def _is_range(constraint: Constraint) -> bool:
    return constraint.property in ("year", "runtime") or not constraint.values


def _kind_test(constraint: Constraint) -> Test:
    return lambda item: item.kind in constraint.values


def _value_test(facts: Facts, constraint: Constraint) -> Test:
    values = {narrower for value in constraint.values for narrower in _narrower(facts, value)}
    pid = None if constraint.property == "age" else constraint.property
    holders = {holder for value in values for holder in facts.holders(value, pid)}

    def test(item: Entity) -> bool:
        return item.qid in holders or (pid is None and item.qid in values)

    return test


def _narrower(facts: Facts, value: Qid) -> set[Qid]:
    """A value and, where the catalogue knows them, its subclasses ("comedy" finds romantic comedies)."""
    found, waiting = {value}, [value]
    while waiting:
        for holder in facts.holders(waiting.pop(), _SUBCLASS):
            if holder not in found:
                found.add(holder)
                waiting.append(holder)
    return found


def _range_test(constraint: Constraint, margin: int = 0) -> Test:
    low = -(10**6) if constraint.minimum is None else constraint.minimum - margin
    high = 10**6 if constraint.maximum is None else constraint.maximum + margin

    def test(item: Entity) -> bool:
        value = _measure(item, constraint)
        return value is not None and low <= value <= high

    return test


def _measure(item: Entity, constraint: Constraint) -> int | None:
    if constraint.property != "runtime":
        return item.year
    found = _NUMBER.search(" ".join(item.facts.get(_RUNTIME, ())))
    return int(found.group()) if found else None


def _nearest(items: Sequence[Entity], left: set[Qid], unmet: Sequence[Constraint], wanted: int) -> set[Qid]:
    """Narrows what is left to the items nearest to the ranges that were dropped."""
    for constraint in unmet:
        if constraint.negated or not _is_range(constraint):
            continue
        for margin in _STEPS:
            test = _range_test(constraint, margin)
            near = {item.qid for item in items if item.qid in left and test(item)}
            if len(near) >= wanted:
                left = near
                break
    return left
