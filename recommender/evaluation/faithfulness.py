"""Whether explanations name what really made the recommendation."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from data.catalogue import Catalogue
from data.model import Qid
from recommender.engine import GraphRecommender
from recommender.evaluation.metrics import bootstrap
from recommender.model import Reason, Request

__all__ = ["evaluate_faithfulness"]

_PROFILES = 500
_NAMED = 3


def evaluate_faithfulness(
    recommender: GraphRecommender, catalogue: Catalogue, profiles: Sequence[Sequence[Qid]], domain: str = "movie"
) -> dict[str, Any]:
    """How far the first item falls without the seeds that its reasons name, and without as many others.

    Args:
        recommender: the one that is measured.
        catalogue: the one it uses.
        profiles: liked things of many people; those with enough known ones are used, 500 at most.
        domain: of the items.

    Returns:
        Numbers of profiles, mean falls in ranks, the share of profiles in which the named seeds matter more, and an
        interval of the difference of the falls.
    """
    rng = random.Random(0)
    items = [item.qid for item in catalogue.items(domain)]
    falls = []
    for profile in profiles:
        liked = tuple(dict.fromkeys(catalogue.canonical(qid) for qid in profile if qid in catalogue))
        found = _falls(recommender, domain, liked, items, rng)
        if found is not None:
            falls.append(found)
        if len(falls) == _PROFILES:
            break
    table = np.array(falls, dtype=np.float64).reshape(-1, 2)
    if not len(table):
        return {"profiles": 0}
    difference = table[:, 0] - table[:, 1]
    return {
        "profiles": len(table),
        "fall_without_named": round(float(table[:, 0].mean()), 2),
        "fall_without_random": round(float(table[:, 1].mean()), 2),
        "named_matter_more": round(float((difference > 0).mean()), 4),
        "equal": round(float((difference == 0).mean()), 4),
        "difference_interval": bootstrap(difference),
    }


def _falls(
    recommender: GraphRecommender, domain: str, liked: tuple[Qid, ...], items: Sequence[Qid], rng: random.Random
) -> tuple[int, int] | None:
    best = recommender.recommend(Request(domain, liked, n=1)).items if liked else ()
    named = _named_seeds(best[0].because, liked) if best else []
    others = [qid for qid in liked if qid not in named]
    if not named or len(others) < len(named):
        return None
    drawn = set(rng.sample(others, len(named)))
    left = [qid for qid in liked if qid not in named], [qid for qid in liked if qid not in drawn]
    ranks = [_rank(recommender, domain, tuple(kept), best[0].qid, items, liked) for kept in left]
    return ranks[0], ranks[1]


def _named_seeds(reasons: Sequence[Reason], liked: Sequence[Qid]) -> list[Qid]:
    """The seeds that the strongest reasons name."""
    told = [qid for reason in reasons[:_NAMED] for qid in (reason.value, *reason.liked) if qid in liked]
    return [qid for qid in dict.fromkeys(told) if qid is not None]


def _rank(
    recommender: GraphRecommender,
    domain: str,
    kept: tuple[Qid, ...],
    wanted: Qid,
    items: Sequence[Qid],
    liked: Sequence[Qid],
) -> int:
    """Place of an item among those that the whole profile leaves, from 0."""
    scores = recommender.scores(Request(domain, kept), items)
    return sum(score > scores[wanted] for qid, score in scores.items() if qid not in liked)
