"""What the recommender is compared with, on the same split and with the same popularity option."""

import numpy as np
from numpy.typing import NDArray

from data.errors import ConfigError

__all__ = ["ease", "item_neighbours", "latent_factors", "rating_matrix"]

_EASE_RIDGE = 300.0
_NEIGHBOURS = 50
_FACTORS = 32


def rating_matrix(likes: tuple[tuple[int, ...], ...], entities: int) -> NDArray[np.float64]:
    """One row a user, 1 for every liked entity."""
    matrix = np.zeros((len(likes), entities))
    for user, found in enumerate(likes):
        matrix[user, list(found)] = 1.0
    return matrix


def ease(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """EASE (Steck 2019): a linear item-item model in closed form."""
    gram = ratings.T @ ratings
    gram[np.diag_indices_from(gram)] += _EASE_RIDGE
    inverse = np.linalg.inv(gram)
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    scores: NDArray[np.float64] = ratings @ weights
    return scores


def item_neighbours(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Item-kNN: the sum of the cosines to the liked items, over each item's nearest neighbours.

    Raises:
        ConfigError: scikit-learn is not installed.
    """
    try:
        from sklearn.neighbors import NearestNeighbors
    except ModuleNotFoundError as error:
        raise ConfigError("The comparison needs scikit-learn; install it with `make setup`.") from error
    rated = np.flatnonzero(ratings.any(axis=0))
    search = NearestNeighbors(n_neighbors=min(_NEIGHBOURS + 1, len(rated)), metric="cosine", algorithm="brute")
    distances, neighbours = search.fit(ratings.T[rated]).kneighbors(ratings.T[rated])
    likeness = np.zeros((ratings.shape[1], ratings.shape[1]))
    likeness[rated[:, None], rated[neighbours]] = 1.0 - distances
    np.fill_diagonal(likeness, 0.0)
    scores: NDArray[np.float64] = ratings @ likeness.T
    return scores


def latent_factors(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """PureSVD (Cremonesi et al. 2010): the likes rebuilt from a few factors.

    Raises:
        ConfigError: scikit-learn is not installed.
    """
    try:
        from sklearn.decomposition import TruncatedSVD
    except ModuleNotFoundError as error:
        raise ConfigError("The comparison needs scikit-learn; install it with `make setup`.") from error
    model = TruncatedSVD(_FACTORS, random_state=0)
    scores: NDArray[np.float64] = model.inverse_transform(model.fit_transform(ratings))
    return scores
