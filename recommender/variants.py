"""The ways of recommending that a study can choose from: one registry of documented configurations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from data.errors import UsageError
from recommender.walk import WalkConfig

__all__ = ["VARIANTS", "Variant", "find_variant"]

Method = Literal["ppr", "original", "popularity", "item-knn", "random"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of recommending.

    Attributes:
        name: what conditions and battles call it.
        method: how items are scored.
        about: one sentence for people who design a study.
        walk: how the walk is solved.
        gamma: weight of popularity beside the walk.
        gamma_few: the same with `few` seeds or fewer.
        few: what counts as few seeds.
        dislikes: lambda, how much the walk from the disliked seeds counts against an item.
        diversity: share of the rank that goes to being unlike the items ranked higher (MMR), 0 to 1.
        novelty: how much likeness to the items on the user's earlier lists counts against an item.
        shortlist: number of items that are ranked exactly and diversified.
    """

    name: str
    method: Method
    about: str
    walk: WalkConfig = field(default_factory=WalkConfig)
    gamma: float = 0.35
    gamma_few: float = 0.5
    few: int = 3
    dislikes: float = 0.25
    diversity: float = 0.2
    novelty: float = 0.1
    shortlist: int = 40


_KNOWN = (
    Variant("ppr", "ppr", "PageRank with priors from likes and dislikes, blended with popularity, diversified."),
    Variant(
        "original",
        "original",
        "PageRank with priors with the parameters of the original ConveRSE system; no popularity, no diversity.",
        walk=WalkConfig(alpha=0.85, sweeps=25, tolerance=1e-3),
        gamma=0.0,
        gamma_few=0.0,
        dislikes=0.0,
        diversity=0.0,
        novelty=0.0,
    ),
    Variant("popularity", "popularity", "The best known items, the same for everybody.", diversity=0.0, novelty=0.0),
    Variant(
        "item-knn",
        "item-knn",
        "Items whose properties are most like those of the liked items.",
        diversity=0.0,
        novelty=0.0,
    ),
    Variant("random", "random", "Items drawn at random.", diversity=0.0, novelty=0.0),
)

VARIANTS: Mapping[str, Variant] = MappingProxyType({variant.name: variant for variant in _KNOWN})
"""All variants by name."""


def find_variant(name: str, variants: Mapping[str, Variant] = VARIANTS) -> Variant:
    """The variant of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in variants:
        raise UsageError(f"There is no recommender variant {name!r}; choose one of {', '.join(variants)}.")
    return variants[name]
