"""What people like as edges of the item graph: who likes the same films brings others that they like.

A person is a node of its own without an id: it cannot be asked for, shown or named, and no file ever holds it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from data.model import Qid
from recommender.compiled import CompiledGraph

__all__ = ["People"]

_WEIGHT = 0.5
"""Of the edge between a person and what they like; chosen on MindReader's validation cases."""

_LEAST = 2
"""Who likes less than this joins nothing."""


class People:
    """The people in a graph, each joined to what they like."""

    def __init__(self, graph: CompiledGraph, find: Callable[[Qid], int | None]) -> None:
        """Takes the graph, and how to find the node of something liked."""
        self._graph = graph
        self._find = find
        self._nodes: dict[int, int] = {}
        self._liked: dict[int, frozenset[int]] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._nodes)

    def follow(self, likes: Mapping[int, Sequence[Qid]]) -> None:
        """Makes the graph hold these people with these likes, and nobody else.

        Args:
            likes: what every person likes; the keys only tell people apart.
        """
        known = {person: self._usable(qids) for person, qids in likes.items()}
        wanted = {person: nodes for person, nodes in known.items() if len(nodes) >= _LEAST}
        for person in [one for one in self._nodes if self._liked[one] != wanted.get(one)]:
            node = self._nodes.pop(person)
            del self._liked[person]
            self._graph.disconnect(node)
            self._free.append(node)
        for person, nodes in wanted.items():
            if person not in self._nodes:
                node = self._free.pop() if self._free else self._graph.insert_person()
                self._graph.connect(node, sorted(nodes), [_WEIGHT] * len(nodes))
                self._nodes[person], self._liked[person] = node, nodes

    def _usable(self, qids: Iterable[Qid]) -> frozenset[int]:
        return frozenset(node for node in map(self._find, qids) if node is not None)
