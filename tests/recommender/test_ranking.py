import numpy as np
import pytest

from data.catalogue import Catalogue
from data.domains import load_domains
from data.model import Entity
from recommender.compiled import CompiledGraph
from recommender.engine import GraphRecommender
from recommender.model import Request
from recommender.ranking import DomainItems, Query, Ranked, WalkRanker, best, diversify
from recommender.variants import VARIANTS
from recommender.walk import WalkConfig
from tests.recommender.test_walk import item_graph


def twins() -> Catalogue:
    """Two pairs of films, alike within the pair, all by one director, and one that has nothing to do with them."""
    values = [Entity(qid, qid, "person") for qid in ("Q90", "Q91", "Q92", "Q93", "Q94")]
    shared = {"Q1": ("Q91", "Q92"), "Q2": ("Q91", "Q92"), "Q3": ("Q93", "Q94"), "Q4": ("Q93", "Q94")}
    films = [
        Entity(qid, qid, "film", "movie", 2000, 0.5, relations={"P57": ("Q90",), "P161": cast})
        for qid, cast in shared.items()
    ]
    return Catalogue([*values, *films, Entity("Q5", "Other", "film", "movie", 2000, 0.1)])


def test_diversity_alternates_between_what_is_alike() -> None:
    graph = GraphRecommender(twins(), load_domains()).compiled
    nodes = np.array([graph.find(qid) for qid in ("Q1", "Q2", "Q3", "Q4")], dtype=np.int64)
    ranked = Ranked(nodes, np.array([1.0, 0.99, 0.98, 0.0]))
    assert [graph.qid(node) for node in diversify(graph, ranked, 3, 0.5).nodes.tolist()] == ["Q1", "Q3", "Q2"]
    assert [graph.qid(node) for node in diversify(graph, ranked, 3, 0.0).nodes.tolist()] == ["Q1", "Q2", "Q3"]


def test_a_returning_user_gets_what_is_unlike_earlier_lists() -> None:
    recommender = GraphRecommender(twins(), load_domains())
    request = Request("movie", liked=("Q90",), excluded=frozenset({"Q1"}), n=1)
    assert [item.qid for item in recommender.recommend(request).items] == ["Q3"]


def test_equal_scores_are_ordered_by_id() -> None:
    graph = CompiledGraph.from_networkx(item_graph(), ("movie",))
    nodes = np.array([graph.find(f"Q{number}") for number in (31, 7, 120, 9)], dtype=np.int64)
    ranked = best(graph, nodes, np.array([1.0, 1.0, 2.0, 1.0]), 3)
    assert [graph.qid(node) for node in ranked.nodes.tolist()] == ["Q120", "Q7", "Q9"]


@pytest.fixture(scope="module")
def graph() -> CompiledGraph:
    return CompiledGraph.from_networkx(item_graph(3000, seed=8), ("movie",))


@pytest.mark.parametrize("limit", [None, 30, 900])
def test_the_push_ranks_as_the_exact_solution_does(graph: CompiledGraph, limit: int | None) -> None:
    """With dislikes, barred items and filters of different sizes."""
    items = DomainItems(graph, "movie")
    exact = WalkRanker(graph, VARIANTS["ppr"])
    config = VARIANTS["ppr"]
    pushed = WalkRanker(graph, type(config)("ppr", "ppr", "", walk=WalkConfig(exact_below=0)))
    rng = np.random.default_rng(3)
    everything = np.flatnonzero(graph.nodes["domain"][: graph.count] == items.code)
    same = 0
    for _ in range(40):
        seeds = rng.choice(graph.count, 8, replace=False).tolist()
        barred = np.sort(rng.choice(everything, 20, replace=False))
        allowed = None if limit is None else np.sort(rng.choice(everything, limit, replace=False))
        query = Query("movie", dict.fromkeys(seeds[:6], 1.0), dict.fromkeys(seeds[6:], 1.0), barred, allowed)
        one, other = exact.rank(query, items, 10), pushed.rank(query, items, 10)
        same += set(one.nodes.tolist()) == set(other.nodes.tolist())
        assert not np.isin(other.nodes, barred).any()
        assert allowed is None or np.isin(other.nodes, allowed).all()
    assert same >= 39


def test_nothing_known_at_all_gives_nothing() -> None:
    recommender = GraphRecommender(Catalogue(), load_domains())
    assert recommender.recommend(Request("movie", liked=("Q1",))).items == ()
