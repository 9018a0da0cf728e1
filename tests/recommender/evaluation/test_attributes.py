import numpy as np
import pytest

from recommender.evaluation.attributes import Attributes
from recommender.evaluation.conversations import KnowledgeGraph, Turn, Utterance
from recommender.evaluation.walks import EdgeList, NumberedGraph, UnitWalks

HORROR, COMEDY = 24, 25
UNSEEN = 11
"""A horror film that no training dialogue has."""


@pytest.fixture
def graph() -> KnowledgeGraph:
    """Twelve horror films, then twelve comedies, all of 1995, and the two genres."""
    edges = EdgeList()
    for film in range(24):
        edges.add(film, HORROR if film < 12 else COMEDY, 1.0)
    names = (*(f"Film {film} (1995)" for film in range(24)), "horror", "comedy")
    return KnowledgeGraph(names, tuple(range(24)), edges)


def dialogue(word: str, film: int) -> tuple[Utterance, ...]:
    return Utterance(True, f"something {word} please"), Utterance(False, "try this", items=(film,))


@pytest.fixture
def attributes(graph: KnowledgeGraph) -> Attributes:
    scary = [dialogue("scary", film) for film in range(10)]
    funny = [dialogue("funny", film) for film in range(12, 22)]
    other = [dialogue("nice", film) for film in (0, 12) for _ in range(10)]
    return Attributes(graph, scary + funny + other, decay=0.8)


def scores(attributes: Attributes, *said: Utterance) -> np.ndarray:
    return attributes.scores(Turn("1", said, ()))


def test_a_word_speaks_for_all_films_of_a_kind(attributes: Attributes) -> None:
    found = scores(attributes, Utterance(True, "a scary one"))
    assert found[UNSEEN] == pytest.approx(found[0])
    assert found[UNSEEN] > found[12:24].max()


def test_the_last_word_counts_most(attributes: Attributes) -> None:
    scary, funny = Utterance(True, "scary"), Utterance(True, "funny")
    assert scores(attributes, scary, funny)[13] > scores(attributes, scary, funny)[UNSEEN]
    assert scores(attributes, funny, scary)[13] < scores(attributes, funny, scary)[UNSEEN]


def test_what_is_unknown_says_nothing(attributes: Attributes) -> None:
    nothing = scores(attributes)
    assert scores(attributes, Utterance(True, "zorglub")) == pytest.approx(nothing)
    assert np.isfinite(nothing).all()


def test_without_training_nothing_is_preferred(graph: KnowledgeGraph) -> None:
    assert scores(Attributes(graph, [], 0.8), Utterance(True, "scary")) == pytest.approx(np.zeros(24))


def test_pooled_walks_are_the_weighted_mean_of_single_ones(graph: KnowledgeGraph) -> None:
    numbered = NumberedGraph(len(graph.names), graph.edges)
    wanted = np.arange(24)
    walks = UnitWalks(numbered, wanted)
    one, other = numbered.walk([0], wanted), numbered.walk([HORROR], wanted)
    assert walks.pooled({0: 3.0, HORROR: 1.0}) == pytest.approx(0.75 * one + 0.25 * other, abs=1e-6)
    assert walks.pooled({}) == pytest.approx(np.zeros(24))
