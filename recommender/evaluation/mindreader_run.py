"""The measure on MindReader: tuned on the validation cases, told on the test cases."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recommender.evaluation.metrics import auc, bootstrap, hit_and_gain
from recommender.evaluation.mindreader import Case, LinkedData, measure
from recommender.evaluation.peers import ease, item_neighbours, latent_factors, rating_matrix
from recommender.evaluation.walks import EdgeList, NumberedGraph
from recommender.variants import VARIANTS

__all__ = ["evaluate_mindreader"]

Scores = NDArray[np.float64]
Progress = Callable[[str], None]

_GAMMAS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_LAMBDAS = (-0.5, -0.3, -0.1, 0.0, 0.25, 0.5)
_LIKE_EDGES = (0.0, 0.5, 1.0)
_DISLIKE_EDGES = (0.0, 0.5)
_COLD = (0, 1, 3, 5, 10)
_LAMBDA = VARIANTS["ppr"].dislikes
_GAMMA = 0.2
"""Weight of popularity where none is tuned; likes are counted here, while the product only knows their order."""
_HELD_OUT = 5
_PARTS = 5


@dataclass(frozen=True, slots=True)
class _Choice:
    """One configuration with what it gives."""

    name: str
    scores: Scores
    about: Mapping[str, float]


def evaluate_mindreader(linked: LinkedData, progress: Progress) -> dict[str, Any]:
    """HR@10 and NDCG@10 among 101 films, with peers, intervals, the full ranking, AUC and cold start.

    Args:
        linked: the split joined with facts.
        progress: takes a line about each step.
    """
    data = linked.data
    prior = _prior(linked)
    ours = _best(linked, _joint_choices(linked, prior, progress))
    progress(f"chosen on the validation cases: {ours.about}")
    everyone = np.broadcast_to(prior, ours.scores.shape)
    peers = {name: _best(linked, _with_popularity(name, scores, prior)) for name, scores in _peers(linked, progress)}
    tested = {"ours": ours, "popularity": _Choice("popularity", everyone, {}), **peers}
    results = {name: measure(choice.scores, data.testing) for name, choice in tested.items()}
    return {
        "dataset": "mindreader",
        "n": len(data.testing),
        "films_with_facts": linked.covered,
        "films": len(data.films),
        "ours": _means(results["ours"]),
        "validation": _means(measure(ours.scores, data.validation)),
        "chosen": dict(ours.about),
        "peers": {name: _means(found) for name, found in results.items() if name != "ours"},
        "peers_chosen": {name: dict(choice.about) for name, choice in peers.items()},
        "intervals": _intervals(results["ours"]),
        "ours_minus_popularity": _intervals(results["ours"] - results["popularity"]),
        "full_ranking": _full_rankings(linked, {name: choice.scores for name, choice in tested.items()}),
        "auc_liked_disliked": _opinions(linked, progress),
        "cold_start": _cold_start(linked, ours.about, prior, progress),
    }


def _prior(linked: LinkedData) -> Scores:
    popularity = linked.data.popularity
    normalised: Scores = popularity / popularity[linked.data.films].sum()
    return normalised


def _walks(linked: LinkedData, edges: EdgeList, seeds: Sequence[Sequence[int]]) -> Scores:
    """The x of every entity from every user's seeds."""
    graph = NumberedGraph(linked.count, edges)
    wanted = np.arange(len(linked.data.qids))
    return np.array([graph.walk(found, wanted) for found in seeds])


def _joint_choices(linked: LinkedData, prior: Scores, progress: Progress) -> Iterator[_Choice]:
    """The walk over facts and other people's ratings, for every setting on the grid."""
    data = linked.data
    for like in _LIKE_EDGES:
        for dislike in _DISLIKE_EDGES if like else (0.0,):
            progress(f"walks with {like} for a like and {dislike} for a dislike")
            edges = linked.facts + linked.ratings(data.likes, like) + linked.ratings(data.dislikes, dislike)
            likes, dislikes = _walks(linked, edges, data.likes), _walks(linked, edges, data.dislikes)
            for against in _LAMBDAS:
                for gamma in _GAMMAS:
                    about = {"like_edge": like, "dislike_edge": dislike, "lambda": against, "gamma": gamma}
                    scores = (1.0 - gamma) * (likes - against * dislikes) + gamma * prior
                    yield _Choice("ours", scores, about)


def _best(linked: LinkedData, choices: Iterator[_Choice]) -> _Choice:
    """The choice with the highest sum of HR@10 and NDCG@10 on the validation cases."""
    best, height = None, -1.0
    for choice in choices:
        found = float(measure(choice.scores, linked.data.validation).mean(axis=0).sum())
        if found > height:
            best, height = choice, found
    if best is None:
        raise ValueError("there is nothing to choose from")
    return best


def _peers(linked: LinkedData, progress: Progress) -> Iterator[tuple[str, Scores]]:
    ratings = rating_matrix(linked.data.likes, len(linked.data.qids))
    ways: dict[str, Callable[[], Scores]] = {
        "item-knn": lambda: item_neighbours(ratings),
        "ease": lambda: ease(ratings),
        "pure-svd": lambda: latent_factors(ratings),
        "ppr over facts": lambda: _walks(linked, linked.facts, linked.data.likes),
        "ppr over likes": lambda: _walks(linked, linked.ratings(linked.data.likes, 1.0), linked.data.likes),
    }
    for name, way in ways.items():
        progress(name)
        yield name, way()


def _with_popularity(name: str, scores: Scores, prior: Scores) -> Iterator[_Choice]:
    """A peer's scores, brought to the prior's scale, with every weight of popularity."""
    scaled = scores * (prior.sum() / max(float(np.abs(scores).sum(axis=1).mean()), 1e-12))
    for gamma in _GAMMAS:
        yield _Choice(name, (1.0 - gamma) * scaled + gamma * prior, {"gamma": gamma})


def _means(found: NDArray[np.float64]) -> dict[str, float]:
    hit, gain = found.mean(axis=0).tolist()
    return {"hr@10": round(hit, 4), "ndcg@10": round(gain, 4)}


def _intervals(found: NDArray[np.float64]) -> dict[str, tuple[float, float]]:
    return {"hr@10": bootstrap(found[:, 0]), "ndcg@10": bootstrap(found[:, 1])}


def _full_rankings(linked: LinkedData, scores: Mapping[str, Scores]) -> dict[str, dict[str, float]]:
    """The same measures among all films that the user has not rated."""
    data = linked.data
    rated = [np.array(sorted({*one, *other})) for one, other in zip(data.likes, data.dislikes, strict=True)]

    def one(case: Case, table: Scores) -> tuple[float, float]:
        others = np.setdiff1d(data.films, np.append(rated[case.user], case.liked))
        return hit_and_gain(table[case.user, case.liked], table[case.user, others])

    return {name: _means(np.array([one(case, table) for case in data.testing])) for name, table in scores.items()}


def _opinions(linked: LinkedData, progress: Progress) -> dict[str, Any]:
    """Liked against disliked films, a fifth of each user's film ratings held out of seeds and graph."""
    progress("liked against disliked")
    data, films = linked.data, frozenset(linked.data.films.tolist())
    rng = np.random.default_rng(0)
    kept: list[list[tuple[int, ...]]] = [[], []]
    held: list[list[list[int]]] = [[], []]
    for part, ratings in enumerate((data.likes, data.dislikes)):
        for found in ratings:
            out = [node for node in found if node in films and rng.random() < 1 / _HELD_OUT]
            held[part].append(out)
            kept[part].append(tuple(set(found) - set(out)))
    counts = np.bincount([node for found in kept[0] for node in found], minlength=len(data.qids)).astype(float)
    prior = np.log1p(counts) / np.log1p(counts).sum()
    ways: dict[str, Scores] = {"popularity": np.broadcast_to(prior, (len(data.likes), len(data.qids)))}
    for name, weight in (("facts", 0.0), ("joint", 1.0)):
        toward = linked.facts + linked.ratings(kept[0], weight)
        away = linked.facts + linked.ratings(kept[1], weight)
        likes, dislikes = _walks(linked, toward, kept[0]), _walks(linked, away, kept[1])
        for against in (0.0, _LAMBDA, 1.0):
            ways[f"{name}, lambda {against}"] = (1 - _GAMMA) * (likes - against * dislikes) + _GAMMA * prior
    users = [user for user in range(len(data.likes)) if held[0][user] and held[1][user]]
    areas = {
        name: np.array([auc(table[user, held[0][user]], table[user, held[1][user]]) for user in users])
        for name, table in ways.items()
    }
    return {
        "users": len(users),
        "auc": {name: round(float(values.mean()), 4) for name, values in areas.items()},
        "intervals": {name: bootstrap(values) for name, values in areas.items()},
    }


def _cold_start(
    linked: LinkedData, chosen: Mapping[str, float], prior: Scores, progress: Progress
) -> dict[str, dict[str, float]]:
    """The test cases with only so many liked properties (no film) of each user as seeds.

    The users come in five parts; the graph for one part lacks all that its users have rated.
    """
    data, films = linked.data, frozenset(linked.data.films.tolist())
    scores = {number: np.zeros((len(data.likes), len(data.qids))) for number in _COLD}
    for part in range(_PARTS):
        progress(f"cold start, part {part + 1} of {_PARTS}")
        ratings = [
            [() if user % _PARTS == part else found for user, found in enumerate(known)]
            for known in (data.likes, data.dislikes)
        ]
        edges = linked.ratings(ratings[0], chosen["like_edge"]) + linked.ratings(ratings[1], chosen["dislike_edge"])
        graph, wanted = NumberedGraph(linked.count, linked.facts + edges), np.arange(len(data.qids))
        for user in range(part, len(data.likes), _PARTS):
            known = [node for node in data.likes[user] if node not in films]
            for number in _COLD:
                gamma = max(chosen["gamma"], 0.5 if number <= 3 else _GAMMA)
                scores[number][user] = (1.0 - gamma) * graph.walk(known[:number], wanted) + gamma * prior
    return {str(number): _means(measure(found, data.testing)) for number, found in scores.items()}
