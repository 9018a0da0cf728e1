"""Measures of rankings, and how sure they are."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["auc", "bootstrap", "hit_and_gain", "recalls"]

_SAMPLES = 1000


def hit_and_gain(target: float, others: NDArray[np.float64], k: int = 10) -> tuple[float, float]:
    """HR@k and NDCG@k of one item among others, expected over random orders of ties.

    Args:
        target: score of the wanted item.
        others: scores of the others.
        k: length of the list.
    """
    better = int((others > target).sum())
    ranks = np.arange(better, better + int((others == target).sum()) + 1)
    inside = ranks < k
    return float(inside.mean()), float(np.where(inside, 1.0 / np.log2(ranks + 2.0), 0.0).mean())


def recalls(target: float, scores: NDArray[np.float64], cuts: Sequence[int]) -> list[float]:
    """Whether one item is among the first k, for each k, expected over random orders of ties.

    Args:
        target: score of the wanted item.
        scores: scores of all items, its own included.
        cuts: the k.
    """
    better, tied = int((scores > target).sum()), int((scores == target).sum())
    return [min(max(k - better, 0), tied) / tied for k in cuts]


def auc(liked: NDArray[np.float64], disliked: NDArray[np.float64]) -> float:
    """Share of the pairs in which the liked one scores higher; a tie counts half."""
    difference = np.asarray(liked)[:, None] - np.asarray(disliked)[None, :]
    return float((difference > 0).mean() + 0.5 * (difference == 0).mean())


def bootstrap(
    values: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], float] = lambda sample: float(sample.mean()),
    seed: int = 0,
) -> tuple[float, float]:
    """95 % interval of a statistic over units (users, dialogues) drawn with replacement.

    Args:
        values: one row a unit.
        statistic: of the rows.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    draws = [statistic(values[rng.integers(0, len(values), len(values))]) for _ in range(_SAMPLES)]
    low, high = np.percentile(draws, [2.5, 97.5])
    return round(float(low), 4), round(float(high), 4)
