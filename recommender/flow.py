"""Where an item's score comes from: the neighbours that the walk reaches it through, and the seeds behind them."""

from collections.abc import Mapping

import numpy as np

from data.model import Qid
from recommender.compiled import PERSON, CompiledGraph
from recommender.explanation import Strand
from recommender.ranking import Query, WalkRanker

__all__ = ["strands"]

_STRANDS = 24
"""Largest number of neighbours that are looked at for one item."""

_WITNESSES = 3
"""Largest number of liked items that are named for one neighbour."""


def strands(
    graph: CompiledGraph, ranker: WalkRanker, query: Query, liked: Mapping[Qid, int], nodes: list[int], total: float
) -> list[tuple[list[Strand], float]]:
    """What the neighbours of some items bring to their scores, by alpha · w / d(u) · x(u) for each neighbour u.

    Dislikes are left out, since reasons tell what speaks for an item, and so are people: nobody is named.

    Args:
        graph: the compiled graph.
        ranker: whose walk is looked at.
        query: with the seeds.
        liked: the liked seeds by id.
        nodes: the items.
        total: sum of the priors of the domain's items.

    Returns:
        For each item its strands by descending share, and the share of its score that is popularity.
    """
    around = [graph.neighbours(node) for node in nodes]
    wanted = np.concatenate([*(found for found, _ in around), list(liked.values())]).astype(np.int64)
    x = dict(zip(wanted.tolist(), ranker.likes(query, wanted).tolist(), strict=True))
    gamma = ranker.gamma(query)
    told = []
    for node, (targets, weights) in zip(nodes, around, strict=True):
        pulls = weights / graph.nodes["degree"][targets] * [x[target] for target in targets.tolist()]
        score = (1.0 - gamma) * ranker.alpha * float(pulls.sum())
        popular = gamma / total * float(graph.nodes["prior"][node]) if total > 0 else 0.0
        shares = (1.0 - gamma) * ranker.alpha * pulls / ((score + popular) or 1.0)
        named = np.flatnonzero((shares > 0) & (graph.nodes["domain"][targets] != PERSON))
        first = named[np.argsort(-shares[named], kind="stable")][:_STRANDS].tolist()
        found = [
            Strand(graph.qid(targets[place]), float(shares[place]), _witnesses(graph, liked, int(targets[place]), x))
            for place in first
        ]
        told.append((found, popular / ((score + popular) or 1.0)))
    return told


def _witnesses(graph: CompiledGraph, liked: Mapping[Qid, int], value: int, x: Mapping[int, float]) -> tuple[Qid, ...]:
    """Liked items next to a value, the one that brings most to it first."""
    found = []
    for qid, node in liked.items():
        if graph.nodes["domain"][node] > 0 and (weight := graph.weight(node, value)) > 0:
            found.append((-weight * x[node] / float(graph.nodes["degree"][node]), qid))
    return tuple(qid for _, qid in sorted(found)[:_WITNESSES])
