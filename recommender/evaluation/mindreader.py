"""MindReader (Brams et al. 2020): explicit likes and dislikes of films and of what films have."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.domains import DomainConfig
from data.errors import DataError, MissingFileError
from data.model import Entity, Qid
from recommender.evaluation.metrics import hit_and_gain
from recommender.evaluation.walks import EdgeList

__all__ = ["Case", "MindReader", "facts_of_catalogue", "read_facts", "read_mindreader"]

_FOLDER = "mr_ntp_all_entities"
_DECADE_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Case:
    """One held-out like among 100 films that the user has not rated."""

    user: int
    liked: int
    others: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MindReader:
    """The published split, with numbers for users and entities.

    Attributes:
        qids: id of each entity; decades have their own names.
        films: numbers of the entities that are films.
        likes: per user the liked entities.
        dislikes: per user the disliked ones.
        validation: cases to tune on.
        testing: cases for the final measure.
    """

    qids: tuple[Qid, ...]
    films: NDArray[np.int64]
    likes: tuple[tuple[int, ...], ...]
    dislikes: tuple[tuple[int, ...], ...]
    validation: tuple[Case, ...]
    testing: tuple[Case, ...]

    @property
    def popularity(self) -> NDArray[np.float64]:
        """log1p of the number of likes of every entity."""
        counts = np.bincount([node for found in self.likes for node in found], minlength=len(self.qids))
        return np.log1p(counts.astype(np.float64))


def read_mindreader(folder: Path) -> MindReader:
    """Reads the split over all entities.

    Args:
        folder: the one that holds `mr_ntp_all_entities`, or that one itself.

    Raises:
        MissingFileError: a file is missing.
        DataError: a file has another form.
    """
    place = folder / _FOLDER if (folder / _FOLDER).is_dir() else folder
    try:
        split = json.loads((place / "split.json").read_text(encoding="utf-8"))
        numbers: dict[str, int] = json.loads((place / "meta.json").read_text(encoding="utf-8"))["e_idx_map"]
        return _parse(split, numbers)
    except FileNotFoundError as error:
        raise MissingFileError(f"{error.filename} is missing; give the MindReader folder with {_FOLDER}.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{place} is no MindReader split ({error!r}); give the published files.") from error


def _parse(split: Mapping[str, Any], numbers: Mapping[str, int]) -> MindReader:
    qids = [""] * len(numbers)
    for uri, number in numbers.items():
        qids[number] = uri.rsplit("/", 1)[-1]
    users = {user: place for place, (user, _) in enumerate(split["training"])}
    rated = [ratings for _, ratings in split["training"]]
    cases = {
        part: tuple(Case(users[user], liked, np.array(others)) for user, (liked, others) in split[part])
        for part in ("validation", "testing")
    }
    films = {known["e_idx"] for ratings in rated for known in ratings if known["is_movie_rating"]}
    for found in (*cases["validation"], *cases["testing"]):
        films.update((found.liked, *found.others.tolist()))
    return MindReader(
        tuple(qids),
        np.array(sorted(films), dtype=np.int64),
        tuple(tuple(known["e_idx"] for known in ratings if known["rating"] == 1) for ratings in rated),
        tuple(tuple(known["e_idx"] for known in ratings if known["rating"] == -1) for ratings in rated),
        cases["validation"],
        cases["testing"],
    )


Fact = tuple[Qid, str, Qid]
"""Item, property, value; the property "decade" has values such as "Decade-1990"."""


def read_facts(folder: Path) -> Iterator[Fact]:
    """The facts about films in a folder of Wikidata extracts (`items_movie.jsonl`).

    Raises:
        MissingFileError: there is no such file.
        DataError: a line has another form.
    """
    path = folder / "items_movie.jsonl"
    if not path.is_file():
        raise MissingFileError(f"{path} is missing; give the folder of Wikidata facts with --facts.")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                item = json.loads(line)
                found = [(pid, qid) for pid, values in item["relations"].items() for qid, _ in values if qid]
                yield from ((item["qid"], pid, value) for pid, value in found if item["is_item"])
                if item["year"] and item["is_item"]:
                    yield item["qid"], "decade", f"Decade-{item['year'] // 10 * 10}"
            except (KeyError, TypeError, ValueError) as error:
                raise DataError(f"{path}, line {number}: {error!r}; give the published facts.") from error


def facts_of_catalogue(items: Sequence[Entity]) -> Iterator[Fact]:
    """The same facts from the catalogue in use."""
    for item in items:
        yield from ((item.qid, pid, value) for pid, values in item.relations.items() for value in values)
        if item.year:
            yield item.qid, "decade", f"Decade-{item.year // 10 * 10}"


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The split joined with facts.

    Attributes:
        data: the split.
        count: number of nodes: the entities, then the values that only the facts have, then the users.
        facts: edges of the facts.
        covered: number of films that have facts.
    """

    data: MindReader
    count: int
    facts: EdgeList
    covered: int

    def ratings(self, ratings: Sequence[Sequence[int]], weight: float) -> EdgeList:
        """Edges between users and what they rated."""
        first = self.count - len(self.data.likes)
        edges = EdgeList()
        for user, found in enumerate(ratings):
            for node in found:
                edges.add(first + user, node, weight)
        return edges


def link(data: MindReader, facts: Iterator[Fact], config: DomainConfig) -> LinkedData:
    """Joins the split with facts; each pair of nodes gets the sum of its properties' weights."""
    numbers = {qid: number for number, qid in enumerate(data.qids)}
    weights = {pid: known.weight for pid, known in config.properties.items()} | {"decade": _DECADE_WEIGHT}
    edges, seen = EdgeList(), set[Fact]()
    for item, pid, value in facts:
        weight = weights.get(pid, 0.0)
        if (item, pid, value) in seen or weight <= 0 or (pid == "decade" and value not in numbers):
            continue
        seen.add((item, pid, value))
        ends = [numbers.setdefault(qid, len(numbers)) for qid in (item, value)]
        edges.add(ends[0], ends[1], weight)
    films = {data.qids[number] for number in data.films.tolist()}
    covered = len(films & {item for item, _, _ in seen})
    return LinkedData(data, len(numbers) + len(data.likes), edges, covered)


def measure(scores: NDArray[np.float64], cases: Sequence[Case]) -> NDArray[np.float64]:
    """HR@10 and NDCG@10 of every case, shape (cases, 2).

    Args:
        scores: of every user and entity.
        cases: the held-out likes.
    """
    return np.array([hit_and_gain(scores[case.user, case.liked], scores[case.user, case.others]) for case in cases])
