"""Rankings of systems from pairwise votes: Elo ratings and Bradley-Terry strengths."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

Outcome = tuple[str, str, float]
"""First system, second system, score of the first: 1 win, 0.5 tie, 0 loss."""

_PRIOR_SD = 10.0
"""Of a weak normal prior on strengths (in logits); it keeps a system that never won, or never lost, finite."""


def elo(outcomes: Sequence[Outcome], start: float = 1000.0, k: float = 16.0) -> dict[str, float]:
    """Elo ratings after all votes in their order (Elo 1978; start and K as CRS Arena).

    Args:
        outcomes: votes in the order in which they were cast.
        start: rating of a system that has not been compared yet.
        k: largest change by one vote.

    Returns:
        System to rating, best first.
    """
    ratings: dict[str, float] = {}
    for first, second, score in outcomes:
        one, two = ratings.get(first, start), ratings.get(second, start)
        change = k * (score - 1 / (1 + 10 ** ((two - one) / 400)))
        ratings[first], ratings[second] = one + change, two - change
    return {name: round(rating, 1) for name, rating in sorted(ratings.items(), key=lambda pair: -pair[1])}


def bradley_terry(outcomes: Sequence[Outcome], z: float = 1.96) -> dict[str, dict[str, float]]:
    """Bradley-Terry strengths with intervals (Bradley and Terry 1952); a tie counts as half a win for each.

    Strengths are log-odds, centred on 0, at the maximum of the likelihood with a weak normal prior; intervals come from
    the inverse of the Hessian there.

    Args:
        outcomes: votes in any order.
        z: standard errors on either side; 1.96 for 95 %.

    Returns:
        System to its strength and interval, best first; empty without votes.
    """
    names = sorted({name for first, second, _ in outcomes for name in (first, second)})
    if not names:
        return {}
    index = {name: position for position, name in enumerate(names)}
    first = np.array([index[one] for one, _, _ in outcomes])
    second = np.array([index[two] for _, two, _ in outcomes])
    found = _strongest(first, second, np.array([score for _, _, score in outcomes]), len(names))
    strength = found - found.mean()
    error = z * np.sqrt(np.diag(_covariance(found, first, second)))
    return {
        names[i]: {
            "strength": round(float(strength[i]), 3),
            "low": round(float(strength[i] - error[i]), 3),
            "high": round(float(strength[i] + error[i]), 3),
        }
        for i in np.argsort(-strength)
    }


def _strongest(first: np.ndarray, second: np.ndarray, score: np.ndarray, systems: int) -> np.ndarray:
    """The strengths under which the votes are likeliest, the prior included."""

    def loss(strength: np.ndarray) -> float:
        margin = strength[first] - strength[second]
        data = np.logaddexp(0, -margin) * score + np.logaddexp(0, margin) * (1 - score)
        return float(data.sum() + (strength**2).sum() / (2 * _PRIOR_SD**2))

    def gradient(strength: np.ndarray) -> np.ndarray:
        error = 1 / (1 + np.exp(strength[second] - strength[first])) - score
        slope = strength / _PRIOR_SD**2
        np.add.at(slope, first, error)
        np.add.at(slope, second, -error)
        return slope

    found = minimize(loss, np.zeros(systems), jac=gradient, method="BFGS", options={"gtol": 1e-8})
    return np.asarray(found.x)


def _covariance(strength: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of centred strengths: the inverse Hessian seen through the centring."""
    n = len(strength)
    p = 1 / (1 + np.exp(strength[second] - strength[first]))
    weight = p * (1 - p)
    hessian = np.eye(n) / _PRIOR_SD**2
    for one, two, part in zip(first, second, weight, strict=True):
        hessian[one, one] += part
        hessian[two, two] += part
        hessian[one, two] -= part
        hessian[two, one] -= part
    centre = np.eye(n) - 1 / n
    return np.asarray(centre @ np.linalg.inv(hessian) @ centre.T)
