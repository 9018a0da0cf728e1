import numpy as np
import pytest

from recommender.evaluation.metrics import auc, bootstrap, hit_and_gain, recalls
from recommender.evaluation.pool import fit_pool


def test_hits_without_ties() -> None:
    others = np.arange(100.0)
    assert hit_and_gain(99.5, others) == (1.0, 1.0)
    assert hit_and_gain(95.5, others) == (1.0, pytest.approx(1 / np.log2(6)))
    assert hit_and_gain(20.0, others[others != 20.0]) == (0.0, 0.0)


def test_ties_are_expected_over_random_orders() -> None:
    """Among 101 equal scores the target is in the first ten by a chance of 10 / 101."""
    hit, gain = hit_and_gain(1.0, np.ones(100))
    assert hit == pytest.approx(10 / 101)
    assert gain == pytest.approx(sum(1 / np.log2(rank + 2) for rank in range(10)) / 101)
    rng = np.random.default_rng(0)
    drawn = [int((rng.random(100) > rng.random()).sum()) < 10 for _ in range(4000)]
    assert hit == pytest.approx(np.mean(drawn), abs=0.02)


def test_recall_with_ties() -> None:
    scores = np.array([5.0, 3.0, 3.0, 3.0, 1.0])
    assert recalls(5.0, scores, (1, 2)) == [1.0, 1.0]
    assert recalls(3.0, scores, (1, 2, 3, 4)) == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3), 1.0]


def test_auc() -> None:
    assert auc(np.array([2.0, 3.0]), np.array([1.0])) == 1.0
    assert auc(np.array([1.0]), np.array([1.0, 0.0])) == 0.75


def test_the_interval_holds_the_mean_and_narrows_with_more_units() -> None:
    rng = np.random.default_rng(1)
    few, many = rng.random(50), rng.random(5000)
    low, high = bootstrap(few)
    assert low < few.mean() < high
    assert bootstrap(many)[1] - bootstrap(many)[0] < high - low
    assert bootstrap(few) == bootstrap(few)


def test_the_pool_trusts_the_expert_that_knows() -> None:
    rng = np.random.default_rng(2)
    cases, right = [], []
    for _ in range(300):
        wise, foolish = rng.normal(size=20), rng.normal(size=20)
        chances = np.exp(1.5 * wise)
        right.append([int(rng.choice(20, p=chances / chances.sum()))])
        cases.append(np.array([wise, foolish], dtype=np.float32))
    weights = fit_pool(cases, right)
    assert weights[0] == pytest.approx(1.5, abs=0.2)
    assert abs(weights[1]) < 0.2
