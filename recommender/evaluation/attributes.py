"""What is said of films in general: which attributes of films follow which words, entities and attributes.

A walk only reaches films that are near what was mentioned. Attributes reach all: after "scary", films with the genre
horror are recommended more often than else, also those that no training dialogue has.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from recommender.evaluation.conversations import KnowledgeGraph, Turn, Utterance, turns_of
from recommender.evaluation.titles import words_of

__all__ = ["Attributes"]

_PERIODS = (1, 1970, 1980, 1990, 2000, 2010, 2014, 2016, 2017, 2018)
"""First years of the periods that are attributes of films; films without year are a period of their own."""

_LEAST_FILMS = 8
"""An attribute has at least so many films."""

_LEAST_DIALOGUES = 3
"""A word or entity counts when more than so many training dialogues have it."""

_MOST_DIALOGUES = 0.3
"""And at most this share of them."""

_RARITY = 0.25
"""Power of an attribute's frequency by which it is divided."""

_SHRINKAGE = 0.02
"""Added to the spread of a cue, so that rare ones do not rule."""

_UNIT = 35.0
"""Brings the scores to the scale of the other experts."""

Cue = tuple[str, str | int]
"""Something that a context has: ("word", "scary"), ("entity", number) or ("attribute", column)."""


class Attributes:
    """Cross-covariance of what contexts have with the attributes of the films that are recommended next.

    With X the contexts of the training turns (one row a turn, each of length 1, every cue divided by its spread and
    centred) and Y the mean attributes of their targets (centred), a film with attributes a has the score x X^T Y a.
    """

    def __init__(self, graph: KnowledgeGraph, dialogues: Sequence[Sequence[Utterance]], decay: float) -> None:
        self._decay = decay
        self._places = {item: place for place, item in enumerate(graph.items)}
        films = _film_attributes(graph, self._places)
        self._of_film = [films.indices[one:other].tolist() for one, other in itertools.pairwise(films.indptr)]
        self._cues = self._known_cues(dialogues, films.shape[1])
        weighted = films.toarray() / (films.sum(axis=0) + 10.0) ** _RARITY
        turns = [turn for dialogue in dialogues for turn in turns_of(dialogue, "")]
        said = self._contexts(turns)
        count = max(len(turns), 1)
        self._spread = np.sqrt(said.multiply(said).sum(axis=0) / count) + _SHRINKAGE
        scaled = said.toarray() / self._spread
        self._mean = scaled.sum(axis=0) / count
        targets = self._targets(turns, weighted)
        self._follows = _UNIT * (scaled - self._mean).T @ (targets - targets.sum(axis=0) / count) / count
        self._films = weighted - weighted.mean(axis=0)

    def scores(self, turn: Turn) -> NDArray[np.float64]:
        """How much the attributes of every film are those that follow such a context, shape (films,)."""
        said = self._contexts([turn]).toarray()[0] / self._spread - self._mean
        scores: NDArray[np.float64] = self._films @ (said @ self._follows)
        return scores

    def _known_cues(self, dialogues: Sequence[Sequence[Utterance]], attributes: int) -> dict[Cue, int]:
        counts = Counter(
            cue for dialogue in dialogues for cue in {cue for said in dialogue for cue in self._cues_of(said)}
        )
        most = _MOST_DIALOGUES * len(dialogues)
        known = [cue for cue, count in counts.items() if _LEAST_DIALOGUES < count <= most and cue[0] != "attribute"]
        known.sort(key=str)
        return {cue: place for place, cue in enumerate([*known, *(("attribute", one) for one in range(attributes))])}

    def _cues_of(self, said: Utterance) -> Iterator[Cue]:
        yield from (("word", word) for word in set(words_of(said.text)))
        yield from (("entity", entity) for entity in said.entities)
        yield from (("attribute", one) for item in said.items for one in self._of_film[self._places[item]])

    def _contexts(self, turns: Sequence[Turn]) -> sparse.csr_array:
        """The cues of every turn, later utterances weighing more, each row of length 1."""
        rows, columns, weights = list[int](), list[int](), list[float]()
        for row, turn in enumerate(turns):
            found = defaultdict[int, float](float)
            for age, said in enumerate(reversed(turn.context)):
                for cue in self._cues_of(said):
                    if cue in self._cues:
                        found[self._cues[cue]] += self._decay**age
            length = float(np.linalg.norm(list(found.values()))) or 1.0
            rows += [row] * len(found)
            columns += found.keys()
            weights += [weight / length for weight in found.values()]
        return sparse.csr_array((weights, (rows, columns)), shape=(len(turns), len(self._cues)))

    def _targets(self, turns: Sequence[Turn], weighted: NDArray[np.float64]) -> NDArray[np.float64]:
        places = [[self._places[item] for item in turn.targets if item in self._places] for turn in turns]
        means = [weighted[found].mean(axis=0) if found else np.zeros(weighted.shape[1]) for found in places]
        return np.array(means).reshape(len(turns), weighted.shape[1])


def _film_attributes(graph: KnowledgeGraph, places: dict[int, int]) -> sparse.csr_array:
    """One row a film: its values in the knowledge graph, if enough films have them, and its period."""
    pairs = {
        (places[one], other)
        for ends in graph.edges.ends
        for one, other in (ends, ends[::-1])
        if one in places and other not in places
    }
    counts = Counter(value for _, value in pairs)
    columns = {value: place for place, value in enumerate(sorted(v for v, n in counts.items() if n >= _LEAST_FILMS))}
    cells = [(row, columns[value]) for row, value in sorted(pairs) if value in columns]
    years = np.array([graph.year(item) or 0 for item in graph.items])
    periods = len(columns) + np.searchsorted(_PERIODS, years, side="right")
    cells += enumerate(periods.tolist())
    rows, found = np.array(cells, dtype=np.int64).T
    return sparse.csr_array((np.ones(len(cells)), (rows, found)), shape=(len(places), len(columns) + len(_PERIODS) + 1))
