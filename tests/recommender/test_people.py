from pathlib import Path

import numpy as np
import pytest

from data.catalogue import Catalogue
from data.domains import load_domains
from recommender.compiled import PERSON
from recommender.engine import GraphRecommender
from recommender.model import Request
from tests.recommender.conftest import ALMA, COMEDY, FIFTH, FIRST, FOURTH, LONE, SECOND, THIRD


def score(recommender: GraphRecommender, liked: str, wanted: str) -> float:
    return recommender.scores(Request("movie", liked=(liked,)), [wanted])[wanted]


def test_what_the_same_person_likes_becomes_neighbours(recommender: GraphRecommender) -> None:
    """The film has nothing in common with any other: only people can lead to it."""
    before = score(recommender, FIRST, LONE)
    recommender.follow({7: [FIRST, LONE]})
    assert score(recommender, FIRST, LONE) > before


def test_forgetting_gives_back_the_graph_of_before(recommender: GraphRecommender, catalogue: Catalogue) -> None:
    untouched = GraphRecommender(catalogue, load_domains())
    recommender.follow({1: [FIRST, LONE], 2: [FIRST, SECOND, THIRD, COMEDY], 3: [FOURTH, FIFTH]})
    recommender.follow({3: [FOURTH, FIFTH]})
    recommender.follow({})
    wanted = [FIRST, SECOND, THIRD, FOURTH, FIFTH, LONE]
    for seed in (FIRST, COMEDY, LONE):
        request = Request("movie", liked=(seed,))
        assert recommender.scores(request, wanted) == pytest.approx(untouched.scores(request, wanted))


def test_changed_likes_take_the_place_of_the_old_ones(recommender: GraphRecommender, catalogue: Catalogue) -> None:
    other = GraphRecommender(catalogue, load_domains())
    recommender.follow({1: [FIRST, LONE], 2: [THIRD, FOURTH]})
    recommender.follow({1: [FIFTH, LONE], 2: [THIRD, FOURTH]})
    other.follow({5: [FIFTH, LONE], 2: [THIRD, FOURTH]})
    for seed in (FIRST, THIRD, FIFTH):
        assert score(recommender, seed, LONE) == pytest.approx(score(other, seed, LONE))
    assert (recommender.compiled.nodes["domain"] == PERSON).sum() == 2


def test_one_like_alone_and_unknown_ones_join_nothing(recommender: GraphRecommender) -> None:
    recommender.follow({1: [FIRST], 2: ["Q999999", FIRST, "no id"], 3: []})
    assert not (recommender.compiled.nodes["domain"] == PERSON).any()


@pytest.mark.parametrize("variant", ["ppr", "item-knn", "random", "popularity", "original"])
def test_people_are_never_recommended_found_or_named(recommender: GraphRecommender, variant: str) -> None:
    recommender.follow({1: [FIRST, LONE, ALMA], 2: [FIRST, LONE]})
    assert recommender.compiled.find("Q0") is None
    result = recommender.recommend(Request("movie", liked=(FIRST,), n=20, variant=variant))
    assert {item.qid for item in result.items} == {SECOND, THIRD, FOURTH, FIFTH, LONE}
    named = {qid for item in result.items for reason in item.because for qid in (reason.value, *reason.liked)}
    assert "Q0" not in named


@pytest.mark.parametrize("variant", ["original", "item-knn"])
def test_variants_that_know_no_people_rank_as_without_them(
    recommender: GraphRecommender, catalogue: Catalogue, variant: str
) -> None:
    request = Request("movie", liked=(FIRST, COMEDY), n=20, variant=variant)
    untouched = GraphRecommender(catalogue, load_domains()).recommend(request)
    recommender.follow({1: [FIRST, LONE, THIRD], 2: [FIRST, FIFTH]})
    found = recommender.recommend(request)
    if variant == "original":
        assert [item.score for item in found.items] == pytest.approx([item.score for item in untouched.items])
    assert [item.qid for item in found.items] == [item.qid for item in untouched.items]


def test_no_file_ever_holds_people(catalogue: Catalogue, tmp_path: Path) -> None:
    one = GraphRecommender(catalogue, load_domains(), folder=tmp_path)
    content = (tmp_path / "nodes.npy").read_bytes()
    shared = GraphRecommender(catalogue, load_domains(), folder=tmp_path)
    one.follow({1: [FIRST, LONE]})
    assert (tmp_path / "nodes.npy").read_bytes() == content
    assert not (shared.compiled.nodes["domain"] == PERSON).any()
    with pytest.raises(ValueError, match="not written"):
        one.compiled.save(tmp_path)


def test_many_people_come_and_go(starter_recommender: GraphRecommender, starter: Catalogue) -> None:
    """After hundreds of changes, every list of edges is what it was, in some order."""
    graph = starter_recommender.compiled
    count = graph.count
    before = [sorted(graph.neighbours(node)[0].tolist()) for node in range(count)]
    degrees = graph.nodes["degree"][:count].copy()
    rng = np.random.default_rng(1)
    films = [item.qid for item in starter.items("movie")[:50]]
    for _ in range(20):
        starter_recommender.follow({int(one): rng.choice(films, 6).tolist() for one in rng.choice(100, 30)})
    starter_recommender.follow({})
    assert [sorted(graph.neighbours(node)[0].tolist()) for node in range(count)] == before
    assert graph.nodes["degree"][:count] == pytest.approx(degrees)
