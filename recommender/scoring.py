"""The other ways of ranking that studies compare with: the original's, popularity, nearest neighbours, chance."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recommender.compiled import PERSON, CompiledGraph
from recommender.ranking import DomainItems, Query, Ranked, WalkRanker, best
from recommender.variants import Variant

__all__ = ["Ranker", "make_ranker"]


class Ranker(Protocol):
    """Ranks the items of a domain for a query."""

    def rank(self, query: Query, items: DomainItems, size: int) -> Ranked: ...


def make_ranker(
    graph: CompiledGraph, variant: Variant, parallel: NDArray[np.int64] | None = None, seed: int = 0
) -> Ranker:
    """The ranker of a variant.

    Args:
        graph: the compiled graph.
        variant: its configuration.
        parallel: pairs of nodes once for every further property that joins them, shape (pairs, 2); for `original`.
        seed: for the variant that draws at random.
    """
    if variant.method == "original":
        return OriginalRanker(graph, variant, np.empty((0, 2), dtype=np.int64) if parallel is None else parallel)
    if variant.method == "popularity":
        return PopularityRanker(graph)
    if variant.method == "item-knn":
        return NeighbourRanker(graph)
    if variant.method == "random":
        return RandomRanker(graph, seed)
    return WalkRanker(graph, variant)


class PopularityRanker:
    """The best known items."""

    def __init__(self, graph: CompiledGraph) -> None:
        self._graph = graph

    def rank(self, query: Query, items: DomainItems, size: int) -> Ranked:
        nodes = items.eligible(query)[:size]
        return Ranked(nodes, self._graph.nodes["prior"][nodes].astype(np.float64))


class RandomRanker:
    """Items in an order drawn at random."""

    def __init__(self, graph: CompiledGraph, seed: int) -> None:
        self._graph = graph
        self._seed = seed

    def rank(self, query: Query, items: DomainItems, size: int) -> Ranked:
        nodes = np.sort(items.eligible(query))
        return best(self._graph, nodes, np.random.default_rng(self._seed).random(len(nodes)), size)


class NeighbourRanker:
    """Items whose property values are most like those of the liked items.

    Likeness is the cosine of the property vectors, each value weighted by its edge and by the logarithm of its rarity.
    A liked value counts like an item that has nothing else. Disliked seeds count against, at a quarter.
    """

    def __init__(self, graph: CompiledGraph) -> None:
        self._graph = graph

    def rank(self, query: Query, items: DomainItems, size: int) -> Ranked:
        nodes = items.eligible(query)
        profile = np.zeros(self._graph.count)
        for factor, seeds in ((1.0, query.liked), (-0.25, query.disliked)):
            for index, weight in seeds.items():
                self._add(profile, index, factor * weight)
        scores = np.array([self._cosine(profile, node) for node in nodes.tolist()], dtype=np.float64)
        return best(self._graph, nodes, scores, size)

    def _vector(self, index: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        targets, weights = self._graph.neighbours(index)
        values = self._graph.nodes["domain"][targets] != PERSON
        targets, weights = targets[values], weights[values]
        rarity = np.log1p(self._graph.count / (1.0 + self._graph.nodes["size"][targets]))
        vector = weights.astype(np.float64) * rarity
        length = float(np.linalg.norm(vector))
        return targets, vector / length if length > 0 else vector

    def _add(self, profile: NDArray[np.float64], index: int, factor: float) -> None:
        if self._graph.nodes["domain"][index] == 0:
            profile[index] += factor
            return
        targets, vector = self._vector(index)
        profile[targets] += factor * vector

    def _cosine(self, profile: NDArray[np.float64], index: int) -> float:
        targets, vector = self._vector(index)
        return float(profile[targets] @ vector)


class OriginalRanker:
    """PageRank with priors exactly as the original ConveRSE system ran it.

    It walks a multigraph: two nodes have an edge for every property that joins them, each of weight 1. One user node
    joins the liked items; disliked nodes are taken out; .85 of the prior is shared by the liked nodes and .15 by all
    others, over a denominator that counts the disliked ones twice, so that it does not sum to 1; the walk stops after
    25 rounds or as soon as no score changes by more than .001. Ties go by id. What other people like is left out.
    """

    def __init__(self, graph: CompiledGraph, variant: Variant, parallel: NDArray[np.int64]) -> None:
        self._graph = graph
        self._walk = variant.walk
        self._parallel = parallel

    def rank(self, query: Query, items: DomainItems, size: int) -> Ranked:
        nodes = items.eligible(query)
        return best(self._graph, nodes, self._solve(query)[nodes], size)

    def _solve(self, query: Query) -> NDArray[np.float64]:
        count = self._graph.count + 1
        present = np.ones(count, dtype=bool)
        present[list(query.disliked)] = False
        present[:-1] &= self._graph.nodes["domain"][: count - 1] != PERSON
        sources, targets = self._edges(query, present)
        degrees = np.bincount(sources, minlength=count)
        prior = self._prior(query, present)
        spread = np.divide(1.0, degrees, out=np.zeros(count), where=degrees > 0)
        dangling = (degrees == 0) & present
        x = prior
        for _ in range(self._walk.sweeps):
            flow = np.bincount(targets, (x * spread)[sources], count) + x[dangling].sum() * prior
            step = self._walk.alpha * flow + (1.0 - self._walk.alpha) * prior
            change = float(np.abs(step - x).max())
            x = step
            if change < self._walk.tolerance:
                break
        return x

    def _prior(self, query: Query, present: NDArray[np.bool_]) -> NDArray[np.float64]:
        liked = [index for index in query.liked if present[index]]
        others = int(present.sum()) - len(liked) - len(query.disliked)
        prior = np.full(len(present), 0.15 / max(others, 1))
        prior[liked] = 0.85 / max(len(liked), 1)
        prior[~present] = 0.0
        return prior

    def _edges(self, query: Query, present: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both ends of all directed edges between nodes that are present, the user node's included."""
        graph = self._graph
        sizes = graph.nodes["size"][: graph.count].astype(np.int64)
        starts = graph.nodes["start"][: graph.count].astype(np.int64)
        places = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        items = np.array([index for index in query.liked if graph.nodes["domain"][index] > 0], dtype=np.int64)
        user = np.full(len(items), graph.count)
        one, other = self._parallel[:, 0], self._parallel[:, 1]
        sources = np.concatenate([np.repeat(np.arange(graph.count), sizes), one, other, user, items])
        targets = np.concatenate([graph.edges["target"][places], other, one, items, user])
        keep = present[sources] & present[targets]
        return sources[keep], targets[keep]
