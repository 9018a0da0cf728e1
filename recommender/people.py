"""What people like as edges of the item graph: who likes the same films brings others that they like.

A person is a node of its own without an id: it cannot be asked for, shown or named, and no file ever holds it.
"""

from collections.abc import Callable, Mapping, Sequence

from data.model import Qid
from recommender.compiled import CompiledGraph

__all__ = ["People"]

_WEIGHT = 0.5
"""Of the edge between a person and what they like: half of what the strongest property weighs."""

_LEAST = 2
"""Who likes less than this joins nothing."""


class People:
    """The people in a graph, each joined to what they like."""

    def __init__(self, graph: CompiledGraph, find: Callable[[Qid], int | None]) -> None:
        """Takes the graph, and how to find the node of something liked."""
        self._graph = graph
        self._find = find
        self._given: dict[int, tuple[Qid, ...]] = {}
        self._nodes: dict[int, int] = {}
        self._free: list[int] = []

    def follow(self, likes: Mapping[int, Sequence[Qid]]) -> None:
        """Makes the graph hold these people with these likes, and nobody else. What has not changed costs nothing.

        Args:
            likes: what every person likes; the keys only tell people apart.
        """
        given = {person: tuple(qids) for person, qids in likes.items()}
        for person in [one for one, before in self._given.items() if given.get(one) != before]:
            self._leave(person)
        for person in sorted(given.keys() - self._given.keys()):
            self._join(person, given[person])

    def _join(self, person: int, qids: tuple[Qid, ...]) -> None:
        self._given[person] = qids
        nodes = sorted({node for node in map(self._find, qids) if node is not None})
        if len(nodes) >= _LEAST:
            self._nodes[person] = node = self._free.pop() if self._free else self._graph.insert_person()
            self._graph.connect(node, nodes, [_WEIGHT] * len(nodes))

    def _leave(self, person: int) -> None:
        del self._given[person]
        node = self._nodes.pop(person, None)
        if node is not None:
            self._graph.disconnect(node)
            self._free.append(node)
