"""What the recommender takes and gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from data.model import Constraint, Domain, Entity, PropertyId, Qid

ReasonKind = Literal["shared", "liked", "avoids", "popularity"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request for recommendations.

    Attributes:
        liked: seeds, items and property values of any domain.
        disliked: seeds of the walk that counts against.
        excluded: items never to be shown: rated, skipped, already shown.
        constraints: conditions applied before the cut.
        n: number of items wanted.
        variant: name in the registry: "ppr", "original", "popularity", "item-knn", "random".
        seed: for variants that draw at random.
    """

    domain: Domain
    liked: tuple[Qid, ...] = ()
    disliked: tuple[Qid, ...] = ()
    excluded: frozenset[Qid] = frozenset()
    constraints: tuple[Constraint, ...] = ()
    n: int = 5
    variant: str = "ppr"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """One strand of an explanation; every value is an edge of the graph.

    Attributes:
        kind: "shared": the item has a property value in common with liked items; "liked": it has a liked value (or is
            related to it); "avoids": it lacks a disliked value; "popularity": it is well known.
        property: property id of the edge, None for "popularity".
        value: id of the value, None for "popularity".
        liked: witnesses among the liked items.
        weight: share of the item's score that flows through it, 0 to 1.
    """

    kind: ReasonKind
    property: PropertyId | None = None
    value: Qid | None = None
    liked: tuple[Qid, ...] = ()
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One recommended item, with its score and reasons, strongest first."""

    qid: Qid
    score: float
    because: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """Recommendations, best first.

    Attributes:
        fallback: "popularity" when no seed could be used.
        unmet: constraints that had to be dropped to find anything at all.
    """

    items: tuple[Recommendation, ...] = ()
    fallback: Literal["popularity"] | None = None
    unmet: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True)
class ElicitationRequest:
    """Which items to ask a new user about (see `recommender.elicitation`)."""

    domain: Domain
    strategy: str
    liked: tuple[Qid, ...] = ()
    disliked: tuple[Qid, ...] = ()
    excluded: frozenset[Qid] = field(default_factory=frozenset)
    n: int = 1
    seed: int = 0


class Recommender(Protocol):
    """Ranks items for a profile over the item graph."""

    def recommend(self, request: Request) -> Result:
        """Raises UsageError for an unknown variant or domain."""
        ...

    def explain(self, request: Request, qid: Qid) -> tuple[Reason, ...]:
        """Reasons for one item under the request's seeds, strongest first."""
        ...

    def elicit(self, request: ElicitationRequest) -> tuple[Qid, ...]:
        """Items to ask about, best first. Raises UsageError for an unknown strategy."""
        ...

    def learn(self, entity: Entity) -> None:
        """Inserts an entity with its edges, at once and without a rebuild."""
        ...

    def follow(self, likes: Mapping[int, Sequence[Qid]]) -> None:
        """Joins what the same person likes, in place of the likes that were given before.

        Args:
            likes: what every person likes who has agreed to it; the keys only tell people apart.
        """
        ...
