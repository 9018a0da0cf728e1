import pytest

from data.catalogue import Catalogue
from recommender.engine import GraphRecommender
from recommender.model import Reason, Request
from tests.recommender.conftest import ALMA, BORIS, CARLA, COMEDY, FIFTH, FIRST, FOURTH, HORROR, LONE, SECOND, THIRD


def reason(reasons: tuple[Reason, ...], value: str) -> Reason:
    return next(found for found in reasons if found.value == value)


def test_a_shared_value_names_the_liked_witness(recommender: GraphRecommender) -> None:
    told = reason(recommender.explain(Request("movie", liked=(FIRST,)), SECOND), ALMA)
    assert (told.kind, told.property, told.liked) == ("shared", "P57", (FIRST,))
    assert 0 < told.weight < 1


def test_a_liked_value_is_told_with_the_items_that_share_it(recommender: GraphRecommender) -> None:
    told = reason(recommender.explain(Request("movie", liked=(FIRST, ALMA)), SECOND), ALMA)
    assert (told.kind, told.property, told.liked) == ("liked", "P57", (FIRST,))


def test_a_relation_between_items_is_told_from_the_side_of_the_recommended_one(recommender: GraphRecommender) -> None:
    told = reason(recommender.explain(Request("movie", liked=(FIRST,)), SECOND), FIRST)
    assert (told.kind, told.property) == ("liked", "P155")


def test_a_value_in_another_role_is_no_shared_fact(recommender: GraphRecommender) -> None:
    """Boris acts in the liked film and directs the other."""
    assert BORIS not in {told.value for told in recommender.explain(Request("movie", liked=(FIRST,)), FIFTH)}


def test_a_value_in_two_roles_is_told_by_the_one_that_is_shared(recommender: GraphRecommender) -> None:
    assert reason(recommender.explain(Request("movie", liked=(SECOND,)), FOURTH), CARLA).property == "P161"
    assert reason(recommender.explain(Request("movie", liked=(THIRD,)), FOURTH), CARLA).property == "P57"


def test_what_a_disliked_item_has_is_no_reason(recommender: GraphRecommender) -> None:
    found = recommender.explain(Request("movie", liked=(FIRST,), disliked=(FOURTH,)), SECOND)
    assert CARLA not in {told.value for told in found}


def test_a_disliked_value_that_it_lacks_is_avoided(recommender: GraphRecommender) -> None:
    request = Request("movie", liked=(FIRST,), disliked=(HORROR,))
    assert Reason("avoids", "P136", HORROR) in recommender.explain(request, SECOND)
    assert all(told.kind != "avoids" for told in recommender.explain(request, FOURTH))


def test_popularity_is_called_so_only_when_true(recommender: GraphRecommender) -> None:
    assert [told.kind for told in recommender.explain(Request("movie"), FIRST)] == ["popularity"]
    assert recommender.explain(Request("movie"), LONE) == ()
    assert recommender.explain(Request("movie", liked=(COMEDY,)), LONE) == ()


def test_an_unknown_item_has_no_reasons(recommender: GraphRecommender) -> None:
    assert recommender.explain(Request("movie", liked=(FIRST,)), "Q424242") == ()


def test_strongest_first_and_shares_of_one_score(recommender: GraphRecommender) -> None:
    found = recommender.explain(Request("movie", liked=(FIRST, CARLA)), SECOND)
    weights = [told.weight for told in found if told.kind != "popularity"]
    assert weights == sorted(weights, reverse=True)
    assert 0 < sum(told.weight for told in found) <= 1 + 1e-9


@pytest.mark.parametrize("domain", ["movie", "book", "music"])
def test_every_reason_is_an_edge_of_the_shipped_catalogue(
    starter_recommender: GraphRecommender, starter: Catalogue, domain: str
) -> None:
    items = starter.items(domain)
    checked = 0
    for at in range(0, 120, 6):
        liked = (items[at].qid, items[at + 1].qid, *(values[0] for values in items[at + 2].relations.values()))
        request = Request(domain, liked=liked, disliked=(items[at + 3].qid,))
        for item in starter_recommender.recommend(request).items:
            for told in item.because:
                if told.kind in ("shared", "liked"):
                    checked += 1
                    assert holds(starter, item.qid, told.property, told.value)
                    assert set(told.liked) <= set(map(starter.canonical, liked))
                    assert all(holds(starter, witness, told.property, told.value) for witness in told.liked)
    assert checked > 100


def holds(catalogue: Catalogue, qid: str, pid: str | None, value: str | None) -> bool:
    """Whether the item has the value, stated at either end."""
    entity, other = catalogue.get(qid), catalogue.get(value or "")
    assert entity is not None
    assert other is not None
    inverse = {"P155": "P156", "P156": "P155", "P361": "P527", "P527": "P361"}
    own = {catalogue.canonical(known) for known in entity.relations.get(pid or "", ())}
    back = {known for pid_ in (inverse.get(pid or ""), "P463") for known in other.relations.get(pid_ or "", ())}
    return other.qid in own or entity.qid in {catalogue.canonical(known) for known in back}
