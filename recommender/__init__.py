"""Ranks items for a profile over the item graph and says why."""

from collections.abc import Mapping
from pathlib import Path

from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.model import Domain
from recommender.engine import GraphRecommender
from recommender.model import Recommender
from recommender.variants import VARIANTS

__all__ = ["VARIANTS", "Recommender", "build_recommender"]


def build_recommender(
    catalogue: Catalogue, domains: Mapping[Domain, DomainConfig], folder: Path | None = None
) -> Recommender:
    """The recommender over a catalogue, warm and ready.

    Args:
        catalogue: items and property values; what it learns later must be told by `Recommender.learn`.
        domains: say which properties are edges, and how strong.
        folder: keeps the compiled graph from start to start, and lets several processes share it.
    """
    recommender = GraphRecommender(catalogue, domains, folder=folder)
    recommender.warm_up()
    return recommender
