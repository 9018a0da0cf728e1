"""Which classes of interest a class is below of."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from data.model import Qid

__all__ = ["Ancestry"]


class Ancestry:
    """The classes of interest, and everything below them."""

    def __init__(self, tops: Iterable[Qid], edges: "array[int]") -> None:
        """Walks down from the classes of interest.

        Args:
            tops: the classes of interest.
            edges: numbers of subclass and superclass in turn, Q prefix removed.
        """
        pairs = np.frombuffer(edges, dtype=np.int64).reshape(-1, 2)
        order = np.argsort(pairs[:, 1], kind="stable")
        subclasses, superclasses = pairs[order, 0], pairs[order, 1]
        above: defaultdict[int, set[Qid]] = defaultdict(set)
        for top in tops:
            waiting = [int(top[1:])]
            while waiting:
                number = waiting.pop()
                if top in above[number]:
                    continue
                above[number].add(top)
                first, last = np.searchsorted(superclasses, [number, number + 1])
                waiting.extend(subclasses[first:last].tolist())
        self._above: Mapping[int, frozenset[Qid]] = {number: frozenset(found) for number, found in above.items()}

    def tops(self, qid: Qid) -> frozenset[Qid]:
        """The classes of interest that a class is, or is below of."""
        return self._above.get(int(qid[1:]), frozenset()) if qid[1:].isdigit() else frozenset()
