"""Log-linear pooling: the few weights with which experts' opinions make one ranking."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_pool"]

_RIDGE = 1e-4
_ROUNDS = 12


def fit_pool(features: Sequence[NDArray[np.float32]], targets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Weights that make the targets most likely, by Newton's method with halved steps.

    The chance of an item is the softmax of the weighted sum of the experts' opinions on it; the loss is convex.

    Args:
        features: per case the opinions on every item, shape (experts, items).
        targets: per case the positions of the right items.

    Returns:
        One weight an expert.
    """
    weights = np.zeros(features[0].shape[0])
    loss, slope, curve = _loss(features, targets, weights)
    for _ in range(_ROUNDS):
        step, size = np.linalg.solve(curve, slope), 1.0
        while size > 1e-3:
            following = _loss(features, targets, weights - size * step)
            if following[0] < loss:
                break
            size /= 2
        else:
            return weights
        weights = weights - size * step
        loss, slope, curve = following
        if float(np.abs(size * step).max()) < 1e-3:
            return weights
    return weights


def _loss(
    features: Sequence[NDArray[np.float32]], targets: Sequence[Sequence[int]], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mean loss of the targets, with its gradient and Hessian."""
    count, loss = sum(map(len, targets)), 0.0
    slope, curve = np.zeros(len(weights)), np.zeros((len(weights), len(weights)))
    for opinions, right in zip(features, targets, strict=True):
        scores = weights @ opinions
        chances = np.exp(scores - scores.max())
        total = float(chances.sum())
        loss -= float((scores[list(right)] - scores.max()).sum()) - len(right) * float(np.log(total))
        chances /= total
        mean = opinions @ chances
        slope -= opinions[:, list(right)].sum(axis=1) - len(right) * mean
        curve += len(right) * ((opinions * chances) @ opinions.T - np.outer(mean, mean))
    return (
        loss / count + _RIDGE * float(weights @ weights),
        slope / count + 2 * _RIDGE * weights,
        curve / count + 2 * _RIDGE * np.eye(len(weights)),
    )
