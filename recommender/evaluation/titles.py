"""What a film's name tells: its year, and the words that it shares with other names and with what people say."""

import re
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from recommender.evaluation.conversations import KnowledgeGraph, Turn

__all__ = ["Titles", "words_of"]

_WORD = re.compile(r"[a-z0-9']+")
_YEAR = re.compile(r"\(\d{4}\)\s*$")
_COMMON = 40
"""A word that so many titles have tells nothing."""

_FAR = 30.0
"""Years from which distance does not matter any more."""


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, single letters left out."""
    return [word for word in _WORD.findall(text.lower()) if len(word) > 1]


class Titles:
    """The names of all films of a graph."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._years = np.array([graph.year(item) or 0 for item in graph.items], dtype=np.float64)
        self._places = {item: place for place, item in enumerate(graph.items)}
        self._words = [frozenset(words_of(_YEAR.sub("", graph.names[item]))) for item in graph.items]
        having: defaultdict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(self._words):
            for word in words:
                having[word].append(place)
        self._having = {word: places for word, places in having.items() if len(places) < _COMMON}

    def likeness(self, turn: Turn) -> NDArray[np.float64]:
        """How near every film is to a context, one row for each measure.

        Returns:
            Minus the decades to the nearest mentioned film's year and to the mean year (at most three); the largest
            Jaccard coefficient of its title and a mentioned one's; one over the length of its title when the context
            has an uncommon word of it.
        """
        mentioned = [self._places[item] for item in turn.mentioned]
        nearest, mean = self._years_apart([self._years[place] for place in mentioned if self._years[place]])
        like, said = np.zeros(len(self._years)), np.zeros(len(self._years))
        for known in mentioned:
            for place in self._sharing(self._words[known]):
                shared = len(self._words[known] & self._words[place])
                like[place] = max(like[place], shared / len(self._words[known] | self._words[place]))
        for place in self._sharing(frozenset(word for part in turn.context for word in words_of(part.text))):
            said[place] = 1.0 / len(self._words[place])
        return np.array([nearest, mean, like, said])

    def _years_apart(self, years: list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if not years:
            return np.zeros(len(self._years)), np.zeros(len(self._years))
        own = np.maximum(self._years, 1900.0)
        nearest = np.abs(own[:, None] - np.array(years)[None, :]).min(axis=1)
        return -np.minimum(nearest, _FAR) / 10.0, -np.minimum(np.abs(own - np.mean(years)), _FAR) / 10.0

    def _sharing(self, words: frozenset[str]) -> set[int]:
        return {place for word in words for place in self._having.get(word, ())}
