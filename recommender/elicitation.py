"""Which items to ask a new user about: the original's strategies by name."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from data.errors import UsageError
from data.model import Domain, Entity, Qid
from recommender.model import ElicitationRequest, Recommender, Request

__all__ = ["STRATEGIES", "Elicitor", "find_strategy"]

_POPULAR = 36
"""Length of the list of popular items that `randPop` draws from."""

_NEIGHBOURS = 20
"""Number of similar items that `jaccard` draws from."""

_DISTANCE = 0.95
"""Jaccard distance from which an item is not similar any more."""

_FEW = 3
"""Fewer ratings than this, and `highPred` asks for popular items."""


class Knowledge(Protocol):
    """What elicitation reads of a catalogue."""

    def items(self, domain: Domain) -> Sequence[Entity]: ...

    def get(self, qid: Qid) -> Entity | None: ...


@dataclass(frozen=True, slots=True)
class Elicitor:
    """Chooses the items to ask about."""

    knowledge: Knowledge
    recommender: Recommender

    def choose(self, request: ElicitationRequest) -> tuple[Qid, ...]:
        """Items to ask about, best first.

        Raises:
            UsageError: for an unknown strategy.
        """
        strategy = find_strategy(request.strategy)
        known = request.excluded | {*request.liked, *request.disliked}
        items = [item for item in self.knowledge.items(request.domain) if item.qid not in known]
        return strategy(self, request, items)[: request.n]


def _nothing(elicitor: Elicitor, request: ElicitationRequest, items: Sequence[Entity]) -> tuple[Qid, ...]:
    """Asks about no item (the control condition)."""
    del elicitor, request, items
    return ()


def _pop(elicitor: Elicitor, request: ElicitationRequest, items: Sequence[Entity]) -> tuple[Qid, ...]:
    """The best known items."""
    del elicitor
    return tuple(item.qid for item in items[: request.n])


def _rand_pop(elicitor: Elicitor, request: ElicitationRequest, items: Sequence[Entity]) -> tuple[Qid, ...]:
    """With equal chances one of the best known items or any item."""
    del elicitor
    rng = random.Random(request.seed)
    left, chosen = list(items), list[Qid]()
    while left and len(chosen) < request.n:
        pool = left[:_POPULAR] if rng.random() < 0.5 else left
        item = rng.choice(pool)
        left.remove(item)
        chosen.append(item.qid)
    return tuple(chosen)


def _var_x_pop(elicitor: Elicitor, request: ElicitationRequest, items: Sequence[Entity]) -> tuple[Qid, ...]:
    """Well-known items on which opinions differ: sqrt(popularity) times variance.

    Without ratings by others the variance is that of a like whose chance is how far the item's values are the usual
    ones of its domain: an item that is like everything and one that is like nothing both tell little.
    """
    del elicitor, request
    counts: dict[Qid, int] = {}
    for item in items:
        for value in _values(item):
            counts[value] = counts.get(value, 0) + 1
    usual = {item.qid: _usual(item, counts) for item in items}
    most = max(usual.values(), default=0.0) or 1.0

    def rank(item: Entity) -> tuple[float, Qid]:
        chance = usual[item.qid] / most
        return -math.sqrt(item.popularity) * chance * (1.0 - chance), item.qid

    return tuple(item.qid for item in sorted(items, key=rank))


def _usual(item: Entity, counts: Mapping[Qid, int]) -> float:
    values = _values(item)
    return sum(math.log1p(counts[value]) for value in values) / len(values) if values else 0.0


def _jaccard(elicitor: Elicitor, request: ElicitationRequest, items: Sequence[Entity]) -> tuple[Qid, ...]:
    """Drawn from the items whose values are most like the profile's; any item when nothing is alike."""
    rng = random.Random(request.seed)
    profile: set[Qid] = set()
    for qid in request.liked:
        entity = elicitor.knowledge.get(qid)
        if entity is not None:
            profile |= _values(entity) if entity.is_item else {entity.qid}
    near = [(_distance(profile, _values(item)), item.qid) for item in items]
    similar = sorted(found for found in near if found[0] < _DISTANCE)[: max(_NEIGHBOURS, request.n)]
    pool = [qid for _, qid in similar] or [item.qid for item in items]
    return tuple(rng.sample(pool, min(request.n, len(pool))))


def _distance(profile: set[Qid], values: set[Qid]) -> float:
    return 1.0 - len(profile & values) / len(profile | values) if profile and values else 1.0


def _values(item: Entity) -> set[Qid]:
    return {value for values in item.relations.values() for value in values}


def _high_pred(elicitor: Elicitor, request: ElicitationRequest, items: Sequence[Entity]) -> tuple[Qid, ...]:
    """What the recommender expects to be liked most; popular items while the profile is small."""
    if len(request.liked) + len(request.disliked) < _FEW:
        return _pop(elicitor, request, items)
    found = elicitor.recommender.recommend(
        Request(request.domain, request.liked, request.disliked, request.excluded, n=request.n)
    )
    return tuple(item.qid for item in found.items)


Strategy = Callable[[Elicitor, ElicitationRequest, Sequence[Entity]], tuple[Qid, ...]]

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "pop": _pop,
        "randPop": _rand_pop,
        "varxPop": _var_x_pop,
        "jaccard": _jaccard,
        "highPred": _high_pred,
        "none": _nothing,
    }
)
"""All strategies by name."""


def find_strategy(name: str) -> Strategy:
    """The strategy of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in STRATEGIES:
        raise UsageError(f"There is no elicitation strategy {name!r}; choose one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]
