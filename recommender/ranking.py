"""Scores by the walk and popularity, and the order in which items are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.model import Domain
from recommender.compiled import CompiledGraph
from recommender.kernels import walk as kernels
from recommender.variants import Variant
from recommender.walk import Seeds, Walker, make_seeds

__all__ = ["DomainItems", "Query", "Ranked", "WalkRanker", "best", "diversify"]


_REFINEMENTS = ((2, 0.4, 8), (3, 0.02, 2))
"""Depth of a further pull for items near the cut; how near, in units of epsilon (about four times the error so far);
largest number of items."""

_TOO_CLOSE = 0.005
"""A cut that is nearer than this, in units of epsilon, is decided by a finer push."""

_FINER = 4.0
"""How much finer."""

_FEW_ALLOWED = 400
"""Up to so many allowed items are all ranked by a pull."""

_NO_FLAGS = np.empty(0, dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Query:
    """One request in terms of the compiled graph.

    Attributes:
        domain: name of the wanted domain.
        liked: node index to weight.
        disliked: node index to weight.
        barred: sorted indices of items never to be shown.
        allowed: sorted indices of the items that meet the constraints; None when all do.
    """

    domain: Domain
    liked: Mapping[int, float]
    disliked: Mapping[int, float]
    barred: NDArray[np.int64]
    allowed: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Items by descending score, ties by ascending id."""

    nodes: NDArray[np.int64]
    scores: NDArray[np.float64]


class DomainItems:
    """The items of one domain by descending popularity.

    Attributes:
        code: the domain's code in the graph.
        total: sum of the items' priors.
    """

    def __init__(self, graph: CompiledGraph, domain: Domain) -> None:
        self.code = graph.code(domain)
        self._graph = graph
        used = graph.nodes[: graph.count]
        items = np.flatnonzero(used["domain"] == self.code)
        order = np.lexsort((used["id"][items], -used["prior"][items]))
        self._leaders = items[order].astype(np.int64)
        self._fresh: list[int] = []
        self.total = float(used["prior"][items].sum(dtype=np.float64))

    def add(self, index: int) -> None:
        """Takes in a node that has just become an item; its place is found when the list is next read."""
        self._fresh.append(index)
        self.total += float(self._graph.nodes["prior"][index])

    @property
    def leaders(self) -> NDArray[np.int64]:
        """Indices of all items, best known first."""
        for index in self._fresh:
            priors = self._graph.nodes["prior"]
            place = np.searchsorted(-priors[self._leaders], -priors[index], side="right")
            self._leaders = np.insert(self._leaders, place, index)
        self._fresh.clear()
        return self._leaders

    def eligible(self, query: Query) -> NDArray[np.int64]:
        """Indices of the items that may be shown, best known first."""
        leaders = self.leaders
        keep = ~np.isin(leaders, query.barred)
        if query.allowed is not None:
            keep &= np.isin(leaders, query.allowed)
        return leaders[keep]


class WalkRanker:
    """Ranks items by (1 - gamma) [x(likes) - lambda x(dislikes)] + gamma log1p(popularity) / sum.

    Small graphs are solved for all nodes; on large ones the candidates are what the push touched and the best known
    items, and the most promising are ranked again by one pull.
    """

    def __init__(self, graph: CompiledGraph, variant: Variant) -> None:
        self._graph = graph
        self._variant = variant
        self.walker = Walker(graph, variant.walk)
        self._flags = _NO_FLAGS

    def gamma(self, query: Query) -> float:
        """Weight of popularity: more of it for a profile of few seeds."""
        seeds = len(query.liked) + len(query.disliked)
        return self._variant.gamma_few if seeds <= self._variant.few else self._variant.gamma

    @property
    def alpha(self) -> float:
        """Probability of walking on."""
        return self._variant.walk.alpha

    def likes(self, query: Query, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """X of some nodes from the liked seeds alone."""
        return self.walker.values(make_seeds(self._graph, ((1.0, query.liked),), self.alpha), nodes)

    def seeds(self, query: Query) -> Seeds:
        """Likes and dislikes as one signed vector; dislikes count in full when nothing is liked."""
        against = self._variant.dislikes if query.liked else 1.0
        groups = ((1.0, query.liked), (-against, query.disliked))
        return make_seeds(self._graph, groups, self.alpha)

    def rank(self, query: Query, items: DomainItems, size: int) -> Ranked:
        """The best items.

        Args:
            query: the request.
            items: of its domain.
            size: number of items wanted.
        """
        seeds, gamma = self.seeds(query), self.gamma(query)
        if self.walker.small:
            nodes = items.eligible(query)
            x = self.walker.exact(seeds)[nodes]
            return best(self._graph, nodes, self.blend(x, nodes, gamma, items.total), size)
        for epsilon in (self._variant.walk.epsilon, self._variant.walk.epsilon / _FINER):
            self.walker.push(seeds, epsilon)
            nodes = self._candidates(query, items, gamma, max(size, self._variant.shortlist))
            scores = self._pulled(seeds, nodes, size, gamma, items.total, epsilon)
            if not 0.0 < _gap(scores, size) < _TOO_CLOSE * epsilon:
                break
        return best(self._graph, nodes, scores, size)

    def _pulled(
        self, seeds: Seeds, nodes: NDArray[np.int64], size: int, gamma: float, total: float, epsilon: float
    ) -> NDArray[np.float64]:
        """Scores of the candidates by one pull, and by deeper ones for those near the cut."""
        scores = self.blend(self.walker.pull(nodes, seeds), nodes, gamma, total)
        for depth, margin, most in _REFINEMENTS:
            near = _near_cut(scores, size, margin * epsilon)[:most]
            if not len(near):
                break
            scores[near] = self.blend(self.walker.pull(nodes[near], seeds, depth), nodes[near], gamma, total)
        return scores

    def scores(self, query: Query, items: DomainItems, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Scores of given items, whether they may be shown or not."""
        seeds = self.seeds(query)
        x = self.walker.exact(seeds)[nodes] if self.walker.small else self.walker.values(seeds, nodes)
        return self.blend(x, nodes, self.gamma(query), items.total)

    def _candidates(self, query: Query, items: DomainItems, gamma: float, size: int) -> NDArray[np.int64]:
        flags = _NO_FLAGS
        if query.allowed is not None:
            if len(query.allowed) <= _FEW_ALLOWED:
                domain = self._graph.nodes["domain"][query.allowed] == items.code
                left: NDArray[np.int64] = query.allowed[domain & ~np.isin(query.allowed, query.barred)]
                return left
            flags = self._raised(query.allowed)
        found = self.walker.shortlist(items.code, query.barred, flags, gamma, items.total, items.leaders, size)
        if query.allowed is not None:
            kernels.mark(flags, query.allowed, False)
        return found

    def _raised(self, allowed: NDArray[np.int64]) -> NDArray[np.bool_]:
        """One flag a node, raised for the allowed ones: kept from query to query, since clearing all takes long."""
        if len(self._flags) < self._graph.count:
            self._flags = np.zeros(self._graph.count, dtype=np.bool_)
        kernels.mark(self._flags, allowed, True)
        return self._flags

    def blend(
        self, x: NDArray[np.float64], nodes: NDArray[np.int64], gamma: float, total: float
    ) -> NDArray[np.float64]:
        """Scores of nodes from their x and their popularity."""
        known = gamma / total if total > 0 else 0.0
        blended: NDArray[np.float64] = (1.0 - gamma) * x + known * self._graph.nodes["prior"][nodes].astype(np.float64)
        return blended


def best(graph: CompiledGraph, nodes: NDArray[np.int64], scores: NDArray[np.float64], size: int) -> Ranked:
    """The nodes with the highest scores, ties by ascending id."""
    if len(nodes) > size:
        least = np.partition(scores, len(scores) - size)[len(scores) - size]
        keep = scores >= least
        nodes, scores = nodes[keep], scores[keep]
    order = np.lexsort((graph.nodes["id"][nodes], -scores))[:size]
    return Ranked(nodes[order], scores[order])


def _gap(scores: NDArray[np.float64], size: int) -> float:
    """Distance between the last item on the list and the first one that is not."""
    if len(scores) <= size:
        return np.inf
    ordered = np.partition(scores, (len(scores) - size - 1, len(scores) - size))
    return float(ordered[len(scores) - size] - ordered[len(scores) - size - 1])


def _near_cut(scores: NDArray[np.float64], size: int, margin: float) -> NDArray[np.int64]:
    """Places of the scores that are so near the cut that they may be on the wrong side; none when the cut is clear."""
    if _gap(scores, size) > margin:
        return np.empty(0, dtype=np.int64)
    cut = np.partition(scores, len(scores) - size)[len(scores) - size]
    distance = np.abs(scores - cut)
    order: NDArray[np.int64] = np.argsort(distance, kind="stable")
    return order[: int((distance <= margin).sum())]


def diversify(
    graph: CompiledGraph,
    ranked: Ranked,
    n: int,
    strength: float,
    shown: Sequence[int] = (),
    novelty: float = 0.0,
) -> Ranked:
    """Re-orders by maximal marginal relevance (Carbonell and Goldstein 1998).

    Likeness is the Jaccard coefficient of two items' neighbours.

    Args:
        graph: the graph.
        ranked: candidates, best first.
        n: number of items to choose.
        strength: share of the rank that goes to being unlike the items chosen before, 0 to 1.
        shown: items that the user has seen on earlier lists.
        novelty: how much likeness to them counts against a candidate.
    """
    shown = shown if novelty > 0 else ()
    if len(ranked.nodes) <= 1 or (strength <= 0 and not shown):
        return Ranked(ranked.nodes[:n], ranked.scores[:n])
    values = [_values(graph, node) for node in ranked.nodes.tolist()]
    earlier = [_values(graph, node) for node in shown]
    spread = float(ranked.scores[0] - ranked.scores[-1]) or 1.0
    relevance = (1.0 - strength) * (ranked.scores - ranked.scores[-1]) / spread
    relevance -= novelty * np.array([max((_jaccard(own, old) for old in earlier), default=0.0) for own in values])
    likeness = np.zeros(len(values))
    chosen: list[int] = []
    while len(chosen) < min(n, len(values)):
        rank = relevance - strength * likeness
        rank[chosen] = -np.inf
        chosen.append(int(np.argmax(rank)))
        likeness = np.maximum(likeness, [_jaccard(values[chosen[-1]], other) for other in values])
    return Ranked(ranked.nodes[chosen], ranked.scores[chosen])


def _values(graph: CompiledGraph, node: int) -> frozenset[int]:
    return frozenset(graph.neighbours(node)[0].tolist())


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0
