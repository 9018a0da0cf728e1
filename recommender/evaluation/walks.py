"""Walks over graphs that are made of numbered nodes, for measuring on other people's data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recommender.compiled import CompiledGraph
from recommender.walk import Seeds, WalkConfig, Walker, make_seeds

__all__ = ["EdgeList", "NumberedGraph", "UnitWalks"]

_EXACT = WalkConfig(tolerance=1e-6, exact_below=10**9)


@dataclass
class EdgeList:
    """Undirected weighted edges between numbered nodes; doubles are summed."""

    ends: list[tuple[int, int]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    def add(self, one: int, other: int, weight: float) -> None:
        """Adds an edge, unless it has no weight or is a loop."""
        if weight > 0 and one != other:
            self.ends.append((one, other))
            self.weights.append(weight)

    def __add__(self, other: "EdgeList") -> "EdgeList":
        return EdgeList(self.ends + other.ends, self.weights + other.weights)


class NumberedGraph:
    """A compiled graph whose node numbers are its indices."""

    def __init__(self, count: int, edges: EdgeList, config: WalkConfig = _EXACT) -> None:
        self.compiled = CompiledGraph.from_arrays(
            ("item",),
            ids=np.arange(count, dtype=np.uint32),
            domain=np.zeros(count, dtype=np.uint8),
            popularity=np.zeros(count),
            year=np.zeros(count, dtype=np.int16),
            ends=np.array(edges.ends, dtype=np.int64).reshape(-1, 2),
            weights=np.array(edges.weights, dtype=np.float32),
        )
        self._walker = Walker(self.compiled, config)

    def walk(self, nodes: Iterable[int], wanted: NDArray[np.int64]) -> NDArray[np.float64]:
        """The walk from equal seeds, at some nodes; zeros when there is no seed.

        Args:
            nodes: the seeds.
            wanted: where x is asked for.
        """
        seeds = make_seeds(self.compiled, [(1.0, dict.fromkeys(nodes, 1.0))], self._walker.config.alpha)
        return self._walker.exact(seeds)[wanted] if len(seeds) else np.zeros(len(wanted))

    def unit_walks(self, nodes: Sequence[int], wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        """The walk from each node alone, at some nodes, shape (nodes, wanted).

        The walk is linear in its seeds: that from any profile is a weighted sum of these rows.
        """
        found = np.empty((len(nodes), len(wanted)), dtype=np.float32)
        for row, node in enumerate(nodes):
            seeds = Seeds(np.array([node]), np.ones(1))
            found[row] = self._walker.exact(seeds)[wanted] if self._walker.small else self._walker.values(seeds, wanted)
        return found


class UnitWalks:
    """The walks from single nodes of a graph, each made when it is first asked for."""

    def __init__(self, graph: NumberedGraph, wanted: NDArray[np.int64]) -> None:
        self._graph = graph
        self._wanted = wanted
        self._known: dict[int, NDArray[np.float32]] = {}

    def pooled(self, seeds: Mapping[int, float]) -> NDArray[np.float64]:
        """The walk from weighted seeds, at the wanted nodes; zeros when there is no seed."""
        total = np.zeros(len(self._wanted))
        for node, weight in seeds.items():
            if node not in self._known:
                self._known[node] = self._graph.unit_walks([node], self._wanted)[0]
            total += weight * self._known[node]
        return total / (sum(seeds.values()) or 1.0)
