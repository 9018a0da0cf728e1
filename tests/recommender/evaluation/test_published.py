from data.catalogue import Catalogue
from data.domains import load_domains
from recommender.engine import GraphRecommender
from recommender.evaluation.faithfulness import evaluate_faithfulness
from recommender.evaluation.published import Opinion, evaluate_published, opinions
from tests.recommender.conftest import ALMA, FIRST, FOURTH, HORROR, SECOND, THIRD


def test_opinions_are_read_in_order_and_once() -> None:
    found = opinions(["", "Q1+, Q2-", "Q1-", "Q3+"])
    assert found == (Opinion("Q1", "+"), Opinion("Q2", "-"), Opinion("Q3", "+"))


def test_a_user_is_predicted_from_what_was_said_before(catalogue: Catalogue) -> None:
    user = [Opinion(ALMA, "+"), Opinion(HORROR, "-"), Opinion(SECOND, "+"), Opinion(FOURTH, "-")]
    one_sided = [Opinion(ALMA, "+"), Opinion(FIRST, "+")]
    unknown = [Opinion("Q9999", "+"), Opinion("Q9998", "-"), Opinion("Q9997", "+"), Opinion("Q9996", "-")]
    recommender = GraphRecommender(catalogue, load_domains())
    document = evaluate_published({"movie": [user, one_sided, unknown], "book": []}, catalogue, recommender)
    assert document["ours"]["auc"] == 1.0
    assert document["by_domain"]["movie"]["users"] == 1
    assert document["by_domain"]["movie"]["coverage"] == 0.6
    assert document["by_domain"]["book"]["users"] == 0
    assert THIRD not in str(document)


def test_named_seeds_matter_more_than_random_ones(starter: Catalogue, starter_recommender: GraphRecommender) -> None:
    films = [item.qid for item in starter.items("movie")]
    profiles = [films[at : at + 60 : 7] for at in range(0, 300, 10)]
    document = evaluate_faithfulness(starter_recommender, starter, profiles)
    assert document["profiles"] >= 25
    assert document["fall_without_named"] > document["fall_without_random"] + 1
    assert document["difference_interval"][0] > 0
    assert evaluate_faithfulness(starter_recommender, starter, [["Q4040"], []]) == {"profiles": 0}
