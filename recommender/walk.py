"""Personalised PageRank over the compiled graph: sparse by forward push, or exact for all nodes by sweeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recommender.compiled import CompiledGraph
from recommender.kernels import walk as kernels

__all__ = ["Seeds", "WalkConfig", "Walker", "make_seeds"]

_SLOT = np.dtype([("key", "<i4"), ("limit", "<f4"), ("residue", "<f4"), ("estimate", "<f4")])
"""What a push keeps of one touched node, in 16 bytes: the fewer, the more of them stay in the processor's cache."""


_USUAL_TOUCHES = 60_000
"""Room for the nodes that a push touches beyond the neighbours of its seeds."""


@dataclass(frozen=True, slots=True)
class WalkConfig:
    """How the walk is solved.

    Attributes:
        alpha: probability of walking on; quality is flat from .3 to .7.
        epsilon: residue that the push leaves, per unit of weighted degree.
        tolerance: total change at which the sweeps stop.
        sweeps: largest number of sweeps.
        exact_below: graphs of at most this many nodes are solved by sweeps, which are faster there.
    """

    alpha: float = 0.5
    epsilon: float = 3e-6
    tolerance: float = 1e-10
    sweeps: int = 200
    exact_below: int = 20_000

    @property
    def kept_residue(self) -> float:
        """Part of a residue that ends at its node: what stays at once, and about what returns later (measured)."""
        return (1.0 - self.alpha) * (1.0 + 0.6 * self.alpha)


@dataclass(frozen=True, slots=True)
class Seeds:
    """Signed seeds, each node once, in ascending order of index.

    Attributes:
        nodes: node indices.
        masses: seed mass of each.
    """

    nodes: NDArray[np.int64]
    masses: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.nodes)

    def dense(self, count: int) -> NDArray[np.float64]:
        """The mass of each of `count` nodes."""
        vector = np.zeros(count)
        vector[self.nodes] = self.masses
        return vector


def make_seeds(graph: CompiledGraph, groups: Sequence[tuple[float, Mapping[int, float]]], alpha: float) -> Seeds:
    """Joins groups of seeds into one signed vector.

    A node without edges has no D^-1: what the walk brings there returns to the seeds of its group, as networkx does
    it. That multiplies a group's masses by 1 / (1 - alpha · its share of such nodes), so the walk need not know.

    Args:
        graph: the graph.
        groups: for each its factor (1 for likes, -lambda for dislikes) and its nodes with weights, not negative. The
            weights are normalised to sum to 1; a group without weight is left out.
        alpha: probability of walking on.
    """
    total: dict[int, float] = {}
    for factor, weights in groups:
        known = {index: weight for index, weight in weights.items() if weight > 0}
        mass = sum(known.values())
        if not known:
            continue
        alone = sum(weight for index, weight in known.items() if graph.nodes["size"][index] == 0) / mass
        scale = factor / (mass * (1.0 - alpha * alone))
        for index, weight in known.items():
            total[index] = total.get(index, 0.0) + scale * weight
    order = sorted(total)
    return Seeds(np.array(order, dtype=np.int64), np.array([total[index] for index in order], dtype=np.float64))


class Walker:
    """Solves walks over one graph. Not safe for concurrent use: it owns one work space."""

    def __init__(self, graph: CompiledGraph, config: WalkConfig | None = None) -> None:
        self.graph = graph
        self.config = config or WalkConfig()
        self._spaces: dict[int, _Space] = {}
        self._count = 0
        self._use(_USUAL_TOUCHES)

    def values(self, seeds: Seeds, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """What a push finds for x at some nodes."""
        self.push(seeds)
        return self.pull(nodes, seeds, depth=0)

    @property
    def small(self) -> bool:
        """Whether sweeps over the whole graph are the faster way."""
        return self.graph.count <= self.config.exact_below

    def exact(self, seeds: Seeds) -> NDArray[np.float64]:
        """X for all nodes, by Gauss-Seidel sweeps."""
        graph, config = self.graph, self.config
        vector = seeds.dense(graph.count)
        found: NDArray[np.float64] = kernels.gauss_seidel(
            graph.nodes, graph.edges, graph.count, vector, config.alpha, config.tolerance, config.sweeps
        )
        return found

    def push(self, seeds: Seeds, epsilon: float | None = None) -> None:
        """Leaves a sparse approximation of x in the work space, until the next push.

        Args:
            seeds: where the walk starts.
            epsilon: the configured threshold when None.
        """
        graph, config = self.graph, self.config
        room = _USUAL_TOUCHES + int(graph.nodes["size"][seeds.nodes].sum(dtype=np.int64))
        while True:
            kernels.reset(self._table, self._touched, self._count)
            self._use(room)
            self._count = kernels.push(
                graph.nodes,
                graph.edges,
                self._table,
                self._touched,
                self._queue,
                seeds.nodes,
                seeds.masses,
                config.alpha,
                epsilon or config.epsilon,
                graph.least_degree,
            )
            if self._count >= 0:
                return
            self._count = -self._count
            room = 2 * len(self._touched)

    def shortlist(
        self,
        domain: int,
        barred: NDArray[np.int64],
        allowed: NDArray[np.bool_],
        gamma: float,
        prior_total: float,
        leaders: NDArray[np.int64],
        size: int,
    ) -> NDArray[np.int64]:
        """The most promising items after a push (see `kernels.shortlist`)."""
        found: NDArray[np.int64] = kernels.shortlist(
            self.graph.nodes,
            self._table,
            self._touched,
            self._count,
            self.config.kept_residue,
            domain,
            barred,
            allowed,
            gamma,
            prior_total,
            leaders,
            size,
        )
        return found

    def pull(self, nodes: NDArray[np.int64], seeds: Seeds, depth: int = 1) -> NDArray[np.float64]:
        """The x of some nodes after a push, each from what lies up to `depth` steps around it."""
        found: NDArray[np.float64] = kernels.pull(
            self.graph.nodes,
            self.graph.edges,
            self._table,
            nodes,
            seeds.nodes,
            seeds.masses,
            self.config.alpha,
            self.config.kept_residue,
            depth,
        )
        return found

    def _use(self, room: int) -> None:
        """Takes the empty work space that has room for so many touched nodes: a small one stays in the cache."""
        size = 1 << (2 * room - 1).bit_length()
        if size not in self._spaces:
            self._spaces[size] = _Space(size)
        space = self._spaces[size]
        self._table, self._touched, self._queue = space.table, space.touched, space.queue


class _Space:
    """A hash table of touched nodes, never more than half full, with the lists of its slots."""

    def __init__(self, size: int) -> None:
        self.table = np.zeros(size, dtype=_SLOT)
        self.table["key"] = kernels.EMPTY
        self.touched = np.empty(size // 2, dtype=np.int32)
        self.queue = np.empty(size, dtype=np.int32)
