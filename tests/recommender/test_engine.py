import threading
from pathlib import Path

import numpy as np
import pytest

from data.catalogue import Catalogue
from data.domains import load_domains
from data.errors import UsageError
from data.model import Constraint, Entity
from recommender.engine import GraphRecommender
from recommender.model import Request, Result
from tests.recommender.conftest import (
    ALMA,
    BORIS,
    CARLA,
    COMEDY,
    DRAMA,
    FIFTH,
    FIRST,
    FOURTH,
    HORROR,
    LONE,
    NOVEL,
    SECOND,
    THIRD,
)


def ids(result: Result) -> list[str]:
    return [item.qid for item in result.items]


def test_likes_bring_related_items_first(recommender: GraphRecommender) -> None:
    result = recommender.recommend(Request("movie", liked=(FIRST,)))
    assert ids(result)[0] == SECOND
    assert result.fallback is None
    assert [item.score for item in result.items[:1]] > [0.0]


def test_what_is_known_is_never_shown_again(recommender: GraphRecommender) -> None:
    request = Request("movie", liked=(FIRST,), disliked=(THIRD,), excluded=frozenset({SECOND}), n=10)
    assert set(ids(recommender.recommend(request))) == {FOURTH, FIFTH, LONE}


def test_dislikes_count_against(recommender: GraphRecommender) -> None:
    liked = ids(recommender.recommend(Request("movie", liked=(ALMA, CARLA), n=6)))
    disliked = ids(recommender.recommend(Request("movie", liked=(ALMA, CARLA), disliked=(HORROR,), n=6)))
    assert disliked.index(FOURTH) > liked.index(FOURTH)


def test_only_dislikes_rank_by_popularity_away_from_them(recommender: GraphRecommender) -> None:
    result = recommender.recommend(Request("movie", disliked=(DRAMA, ALMA), n=6))
    assert result.fallback is None
    assert ids(result).index(THIRD) < ids(result).index(SECOND)
    assert ids(result).index(FIFTH) < ids(result).index(FIRST)


@pytest.mark.parametrize("seeds", [(), ("Q999999",), ("not an id",), ("Q0x1", "Q999")])
def test_without_usable_seed_the_best_known_items_and_says_so(
    recommender: GraphRecommender, seeds: tuple[str, ...]
) -> None:
    result = recommender.recommend(Request("movie", liked=seeds, disliked=seeds, n=3))
    assert (ids(result), result.fallback) == ([FIRST, SECOND, THIRD], "popularity")


def test_an_item_without_edges_is_a_usable_seed(recommender: GraphRecommender) -> None:
    result = recommender.recommend(Request("movie", liked=(LONE,), n=2))
    assert ids(result) == [FIRST, SECOND]
    assert result.fallback is None


def test_everything_filtered_out_gives_nothing(recommender: GraphRecommender) -> None:
    shown = frozenset({FIRST, SECOND, THIRD, FOURTH, FIFTH, LONE})
    request = Request("movie", liked=(ALMA,), excluded=shown, constraints=(Constraint("drama", values=(DRAMA,)),))
    assert recommender.recommend(request).items == ()


def test_a_preference_in_one_domain_informs_another(recommender: GraphRecommender) -> None:
    result = recommender.recommend(Request("movie", liked=(NOVEL,), n=3))
    assert FOURTH in ids(result)[:2]
    assert ids(recommender.recommend(Request("book", liked=(FOURTH,)))) == [NOVEL]


def test_constraints_apply_before_the_cut(recommender: GraphRecommender) -> None:
    request = Request("movie", liked=(ALMA,), constraints=(Constraint("comedy", "P136", (COMEDY,)),), n=1)
    assert ids(recommender.recommend(request)) == [THIRD]


def test_an_unmet_constraint_is_named(recommender: GraphRecommender) -> None:
    comedy, old = Constraint("comedy", "P136", (COMEDY,)), Constraint("from the fifties", "year", maximum=1959)
    result = recommender.recommend(Request("movie", liked=(ALMA,), constraints=(comedy, old)))
    assert (ids(result), result.unmet) == ([THIRD], (old,))


@pytest.mark.parametrize("variant", ["ppr", "original", "popularity", "item-knn", "random"])
def test_every_variant_gives_what_was_asked_for(recommender: GraphRecommender, variant: str) -> None:
    request = Request("movie", liked=(FIRST, BORIS), excluded=frozenset({FOURTH}), n=3, variant=variant, seed=4)
    found = ids(recommender.recommend(request))
    assert len(set(found)) == 3
    assert {FIRST, FOURTH}.isdisjoint(found)
    assert found == ids(recommender.recommend(request))


def test_random_draws_anew_with_another_seed(starter_recommender: GraphRecommender) -> None:
    draws = {tuple(ids(starter_recommender.recommend(Request("movie", variant="random", seed=n)))) for n in range(4)}
    assert len(draws) == 4


def test_unknown_names_say_what_exists(recommender: GraphRecommender) -> None:
    with pytest.raises(UsageError, match="item-knn"):
        recommender.recommend(Request("movie", variant="magic"))
    with pytest.raises(UsageError, match="movie, book, music"):
        recommender.recommend(Request("opera"))
    with pytest.raises(UsageError, match="at least 1"):
        recommender.recommend(Request("movie", n=0))


def test_a_learned_item_is_recommended_at_once(recommender: GraphRecommender, catalogue: Catalogue) -> None:
    new = Entity("Q77", "New", "film", "movie", 2020, 0.95, relations={"P57": (ALMA,), "P161": ("Q78",)})
    recommender.learn(new)
    recommender.learn(new)
    assert catalogue.get("Q77") is not None
    assert "Q77" in ids(recommender.recommend(Request("movie", liked=(ALMA,))))
    assert "Q77" in ids(recommender.recommend(Request("movie", liked=("Q78",), n=1)))
    assert ids(recommender.recommend(Request("movie", n=1))) == ["Q77"]
    assert "Q77" in ids(recommender.recommend(Request("movie", liked=(ALMA,), variant="original")))


def test_learning_equals_building_anew(catalogue: Catalogue) -> None:
    """All but the popularity of the other items, which is told by rank."""
    new = Entity("Q77", "New", "film", "movie", 2020, 0.0, relations={"P57": (ALMA,), "P136": (DRAMA, COMEDY)})
    learner = GraphRecommender(catalogue, load_domains())
    learner.learn(new)
    rebuilt = GraphRecommender(catalogue, load_domains())
    assert learner.graph.edges == rebuilt.graph.edges
    request = Request("movie", liked=(FIRST,), disliked=(COMEDY,), n=7)
    one, other = learner.recommend(request), rebuilt.recommend(request)
    assert ids(one) == ids(other)
    reasons = {item.qid: [reason.value for reason in item.because] for item in one.items}
    assert reasons == {item.qid: [reason.value for reason in item.because] for item in other.items}


def test_scores_rank_as_the_recommendations_do(recommender: GraphRecommender) -> None:
    request = Request("movie", liked=(ALMA,), n=6)
    scores = recommender.scores(request, [FIRST, SECOND, THIRD, LONE, "Q4040"])
    assert set(scores) == {FIRST, SECOND, THIRD, LONE}
    shown = {item.qid: item.score for item in recommender.recommend(request).items}
    assert scores == pytest.approx({qid: shown[qid] for qid in scores})


def test_what_stands_first_in_a_list_counts_most(catalogue: Catalogue) -> None:
    leading = Entity("Q81", "Leading", "film", "movie", 2020, 0.4, relations={"P161": ("Q90", "Q91")})
    second = Entity("Q82", "Second", "film", "movie", 2020, 0.4, relations={"P161": ("Q92", "Q90")})
    catalogue.add(leading)
    catalogue.add(second)
    found = GraphRecommender(catalogue, load_domains()).scores(Request("movie", liked=("Q90",)), ["Q81", "Q82"])
    assert found["Q81"] > found["Q82"]


def test_merged_ids_count_as_the_one_they_were_merged_into() -> None:
    genre = Entity("Q10", "drama", "genre", merged=("Q11",))
    items = [Entity(f"Q{n}", "Film", "film", "movie", 2000, 0.1 * n, relations={"P136": ("Q11",)}) for n in (1, 2)]
    other = Entity("Q3", "Other", "film", "movie", 2000, 0.05)
    recommender = GraphRecommender(Catalogue([genre, *items, other]), load_domains())
    assert ids(recommender.recommend(Request("movie", liked=("Q11",), n=3)))[:2] == ["Q2", "Q1"]
    assert ids(recommender.recommend(Request("movie", liked=("Q1",), n=1))) == ["Q2"]


def test_the_compiled_graph_is_kept_until_the_catalogue_changes(catalogue: Catalogue, tmp_path: Path) -> None:
    folder = tmp_path / "graph"
    request = Request("movie", liked=(FIRST,), disliked=(COMEDY,), n=6)
    first = GraphRecommender(catalogue, load_domains(), folder=folder).recommend(request)
    stamp = (folder / "graph.json").stat().st_mtime_ns
    again = GraphRecommender(catalogue, load_domains(), folder=folder)
    assert isinstance(again.compiled.nodes, np.memmap)
    assert again.recommend(request) == first
    assert (folder / "graph.json").stat().st_mtime_ns == stamp
    catalogue.add(Entity("Q77", "New", "film", "movie", 2020, 1.0, relations={"P57": (ALMA,)}))
    assert "Q77" in ids(GraphRecommender(catalogue, load_domains(), folder=folder).recommend(request))


def test_a_damaged_or_closed_folder_costs_no_more_than_time(catalogue: Catalogue, tmp_path: Path) -> None:
    request = Request("movie", liked=(FIRST,))
    expected = GraphRecommender(catalogue, load_domains()).recommend(request)
    (tmp_path / "graph.json").write_text("nonsense")
    assert GraphRecommender(catalogue, load_domains(), folder=tmp_path).recommend(request) == expected
    (tmp_path / "file").write_text("")
    assert GraphRecommender(catalogue, load_domains(), folder=tmp_path / "file").recommend(request) == expected


def test_threads_do_not_disturb_each_other(starter_recommender: GraphRecommender) -> None:
    films = [item.qid for item in starter_recommender._catalogue.items("movie")[:40]]
    requests = [Request("movie", liked=tuple(films[at : at + 3])) for at in range(0, 40, 4)]
    expected = [ids(starter_recommender.recommend(request)) for request in requests]
    found: dict[int, list[str]] = {}

    def run(at: int) -> None:
        found[at] = ids(starter_recommender.recommend(requests[at]))

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[at] for at in range(len(requests))] == expected
