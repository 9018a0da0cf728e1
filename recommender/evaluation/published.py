"""The released ConveRSE dialogues: items liked later against items disliked later, from what was said before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.catalogue import Catalogue
from data.model import Domain, Polarity, Qid
from recommender.engine import GraphRecommender
from recommender.evaluation.metrics import auc, bootstrap
from recommender.model import Request

__all__ = ["Opinion", "evaluate_published", "opinions"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """One thing that a user liked or disliked, in the order in which it was said."""

    qid: Qid
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class _Split:
    """One user: seeds and what came later.

    Attributes:
        known: opinions of the earlier half that the catalogue has.
        later: later opinions on items that the catalogue has.
    """

    domain: Domain
    known: tuple[Opinion, ...]
    later: tuple[Opinion, ...]


def opinions(objects: Iterable[str]) -> tuple[Opinion, ...]:
    """The opinions in a user's `recognizedObjects`, each on its first mention.

    Args:
        objects: the fields of the user's rows, in order, such as "Q47703+, Q25191-".
    """
    found: dict[Qid, Polarity] = {}
    for joined in objects:
        for part in joined.split(", "):
            if part.endswith("+"):
                found.setdefault(part[:-1], "+")
            elif part.endswith("-"):
                found.setdefault(part[:-1], "-")
    return tuple(Opinion(qid, polarity) for qid, polarity in found.items())


def evaluate_published(
    users: Mapping[Domain, Sequence[Sequence[Opinion]]], catalogue: Catalogue, recommender: GraphRecommender
) -> dict[str, Any]:
    """AUC by domain, with peers and with what the catalogue covers.

    Each user's opinions are cut in the middle: the earlier half are seeds, the items of the later half are ranked.
    Pairs of a liked and a disliked item count within a user.

    Args:
        users: by domain the opinions of every user, in order.
        catalogue: the one the recommender uses.
        recommender: the one that is measured.
    """
    domains = {}
    everything: list[dict[str, float]] = []
    for domain, found in users.items():
        splits = list(_splits(domain, found, catalogue))
        areas = [_areas(split, catalogue, recommender) for split in splits]
        everything += areas
        objects = [opinion.qid in catalogue for user in found for opinion in user]
        domains[domain] = {
            "users": len(areas),
            "coverage": round(sum(objects) / max(len(objects), 1), 4),
            **_summary(areas),
        }
    whole = _summary(everything)
    return {
        "dataset": "converse",
        "ours": {"auc": whole["auc"].get("ppr")},
        "peers": {name: {"auc": value} for name, value in whole["auc"].items() if name != "ppr"},
        "intervals": {"auc": whole["intervals"].get("ppr")},
        "by_domain": domains,
    }


def _splits(domain: Domain, users: Sequence[Sequence[Opinion]], catalogue: Catalogue) -> Iterator[_Split]:
    for found in users:
        middle = len(found) // 2
        known = tuple(opinion for opinion in found[:middle] if opinion.qid in catalogue)
        later = tuple(opinion for opinion in found[middle:] if _is_item(opinion.qid, domain, catalogue))
        if len({opinion.polarity for opinion in later}) == 2 and known:
            yield _Split(domain, known, later)


def _is_item(qid: Qid, domain: Domain, catalogue: Catalogue) -> bool:
    entity = catalogue.get(qid)
    return entity is not None and entity.domain == domain


def _areas(split: _Split, catalogue: Catalogue, recommender: GraphRecommender) -> dict[str, float]:
    liked = tuple(opinion.qid for opinion in split.known if opinion.polarity == "+")
    disliked = tuple(opinion.qid for opinion in split.known if opinion.polarity == "-")
    wanted = [opinion.qid for opinion in split.later]
    ways = {
        "ppr": recommender.scores(Request(split.domain, liked, disliked), wanted),
        "likes only": recommender.scores(Request(split.domain, liked), wanted),
        "popularity": {qid: entity.popularity for qid in wanted if (entity := catalogue.get(qid))},
    }
    return {
        name: auc(
            np.array([scores[opinion.qid] for opinion in split.later if opinion.polarity == "+"]),
            np.array([scores[opinion.qid] for opinion in split.later if opinion.polarity == "-"]),
        )
        for name, scores in ways.items()
    }


def _summary(areas: Sequence[Mapping[str, float]]) -> dict[str, dict[str, Any]]:
    names = list(areas[0]) if areas else []
    values = {name: np.array([found[name] for found in areas]) for name in names}
    return {
        "auc": {name: round(float(found.mean()), 4) for name, found in values.items()},
        "intervals": {name: bootstrap(found) for name, found in values.items()},
    }
