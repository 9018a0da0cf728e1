import pytest

from data.catalogue import Catalogue
from data.errors import UsageError
from recommender.engine import GraphRecommender
from recommender.model import ElicitationRequest

STRATEGIES = ["pop", "randPop", "varxPop", "jaccard", "highPred"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_known_is_asked_about_and_the_seed_decides(
    starter_recommender: GraphRecommender, starter: Catalogue, strategy: str
) -> None:
    films = [item.qid for item in starter.items("movie")]
    request = ElicitationRequest(
        "movie", strategy, (films[0], films[1]), (films[2],), frozenset(films[3:9]), n=5, seed=1
    )
    found = starter_recommender.elicit(request)
    assert len(set(found)) == 5
    assert set(found) <= set(films[9:])
    assert found == starter_recommender.elicit(request)


def test_popular_items_come_in_order(starter_recommender: GraphRecommender, starter: Catalogue) -> None:
    films = [item.qid for item in starter.items("movie")]
    request = ElicitationRequest("movie", "pop", excluded=frozenset(films[:2]), n=3)
    assert starter_recommender.elicit(request) == tuple(films[2:5])


def test_rand_pop_draws_half_from_the_popular_ones(starter_recommender: GraphRecommender, starter: Catalogue) -> None:
    popular = {item.qid for item in starter.items("movie")[:36]}
    drawn = [starter_recommender.elicit(ElicitationRequest("movie", "randPop", seed=seed))[0] for seed in range(300)]
    assert 120 < sum(qid in popular for qid in drawn) < 180


def test_jaccard_asks_for_items_like_the_liked_ones(starter_recommender: GraphRecommender, starter: Catalogue) -> None:
    liked = starter.items("movie")[0]
    values = {value for found in liked.relations.values() for value in found}
    request = ElicitationRequest("movie", "jaccard", (liked.qid,), n=5, seed=2)
    for qid in starter_recommender.elicit(request):
        entity = starter.get(qid)
        assert entity is not None
        assert values & {value for found in entity.relations.values() for value in found}


def test_high_pred_asks_for_popular_items_while_the_profile_is_small(
    starter_recommender: GraphRecommender, starter: Catalogue
) -> None:
    films = [item.qid for item in starter.items("movie")]
    few = ElicitationRequest("movie", "highPred", (films[900],), n=3)
    more = ElicitationRequest("movie", "highPred", (films[900], films[901], films[902]), n=3)
    assert starter_recommender.elicit(few) == tuple(films[:3])
    assert starter_recommender.elicit(more) != tuple(films[:3])


def test_var_x_pop_differs_from_popularity_but_keeps_to_known_items(
    starter_recommender: GraphRecommender, starter: Catalogue
) -> None:
    found = starter_recommender.elicit(ElicitationRequest("movie", "varxPop", n=20))
    assert found != starter_recommender.elicit(ElicitationRequest("movie", "pop", n=20))
    popularity = [item.popularity for qid in found if (item := starter.get(qid))]
    assert sum(popularity) / 20 > sum(item.popularity for item in starter.items("movie")) / len(starter.items("movie"))


def test_none_asks_nothing_and_an_unknown_name_says_what_exists(starter_recommender: GraphRecommender) -> None:
    assert starter_recommender.elicit(ElicitationRequest("movie", "none", n=5)) == ()
    with pytest.raises(UsageError, match="varxPop"):
        starter_recommender.elicit(ElicitationRequest("movie", "oracle"))
