"""Building a domain's catalogue from a SPARQL endpoint, in steps that can be interrupted and resumed."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.building.spool import Spool
from data.catalogue.genres import Genres, with_one_genre_a_name
from data.catalogue.names import as_value
from data.domains import DomainConfig
from data.errors import BackendError
from data.model import Entity, Qid
from data.sparql.endpoint import EndpointError
from data.sparql.patient import PatientEndpoint
from data.sparql.reader import CLASS, ENTITY, LANGUAGES, OCCUPATION, EntityReader, qid_of
from data.sparql.templates import describe_query, names_query, page_query, subclasses_query
from data.sparql.vocabulary import Vocabulary

__all__ = ["Harvest", "HarvestOptions", "Progress"]

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is (0: not known)."""


@dataclass(frozen=True, slots=True)
class HarvestOptions:
    """What to fetch.

    Attributes:
        languages: of names.
        limit: at most so many items; None for all.
        since: an ISO date: only items that changed on it or later.
        page: ids in a page.
        batch: entities described in one query.
        classes_at_once: classes in one query for ids.
    """

    languages: tuple[str, ...] = LANGUAGES
    limit: int | None = None
    since: str | None = None
    page: int = 5000
    batch: int = 50
    classes_at_once: int = 50


class Harvest:
    """Fetches ids in a stable order, then what is known of them, then the names of their values."""

    def __init__(
        self,
        endpoint: PatientEndpoint,
        config: DomainConfig,
        vocabulary: Vocabulary,
        genres: Genres,
        folder: Path,
        options: HarvestOptions,
        progress: Progress,
    ) -> None:
        """Makes it.

        Args:
            endpoint: where to ask.
            config: the domain.
            vocabulary: what properties and classes mean.
            genres: which genres are one.
            folder: for what was fetched so far; a harvest that finds its folder goes on where that one ended.
            options: what to fetch.
            progress: told how far it is.
        """
        self._endpoint = endpoint
        self._config = config
        self._vocabulary = vocabulary
        self._reader = EntityReader(config, vocabulary, genres, options.languages)
        self._spool = Spool(folder, key=f"{config.model_dump_json()} {options}")
        self._options = options
        self._progress = progress

    def run(self) -> list[Entity]:
        """Fetches everything that is not fetched yet.

        Returns:
            Items, best known first, and the values that they have.

        Raises:
            BackendError: the endpoint does not answer; what was fetched is kept for the next run.
        """
        try:
            items, values = self._items()
            wanted = {qid for item in items.values() for held in item.relations.values() for qid in held} - items.keys()
            needed = sorted(wanted, key=lambda qid: int(qid[1:]))
            self._spool.batches("values", needed, self._options.batch, self._name, self._told("values"))
        except EndpointError as error:
            raise BackendError(
                f"{error} What was fetched is kept: run the same command again to go on from there."
            ) from error
        named = {entity.qid: entity for entity in self._spool.entities("values")}
        known = [_best_known(values[qid], named.get(qid)) for qid in needed]
        fame = {entity.qid: entity.popularity for entity in (*items.values(), *known)}
        ordered = sorted(
            (_best_known_first(item, fame) for item in items.values()), key=lambda item: _rank(item.qid, fame)
        )
        return with_one_genre_a_name([*ordered, *known])

    def clear(self) -> None:
        """Forgets what was fetched; the catalogue is written."""
        self._spool.clear()

    def _told(self, what: str) -> Callable[[int, int], None]:
        return lambda done, total: self._progress(what, done, total)

    def _items(self) -> tuple[dict[Qid, Entity], dict[Qid, Entity]]:
        """Items by id, and the values that came with them."""
        ids = self._ids()
        self._spool.batches("items", ids, self._options.batch, self._describe, self._told("items"))
        items: dict[Qid, Entity] = {}
        values: dict[Qid, Entity] = {}
        for entity in self._spool.entities("items"):
            place = items if entity.is_item else values
            place.setdefault(entity.qid, entity)
        return items, values

    def _ids(self) -> list[Qid]:
        """Ids of the items, in the order of the classes and within them of the ids; each page is kept."""
        chunks = self._spool.lines("classes", self._classes)
        with self._spool.stage("ids", ("ids",)) as stage:
            kept = [line.split() for line in self._spool.file("ids").read_text(encoding="utf-8").splitlines()]
            ids = dict.fromkeys(qid for _, qid in kept)
            after = f"{ENTITY}{kept[-1][1]}" if kept and int(kept[-1][0]) == stage.done else ""
            for number, chunk in list(enumerate(chunks))[stage.done :]:
                for page in self._pages(chunk, after):
                    new = [qid for qid in page if qid not in ids]
                    ids |= dict.fromkeys(new)
                    stage.write("ids", "".join(f"{number} {qid}\n" for qid in page).encode())
                    stage.save()
                    self._progress("ids", len(ids), 0)
                    if self._options.limit is not None and len(ids) >= self._options.limit:
                        return list(ids)[: self._options.limit]
                after = ""
                stage.finish_piece()
        return list(ids)

    def _classes(self) -> Iterator[str]:
        """Classes and occupations with all below them, some to a line after the property that leads to them."""
        for pid, top in ((CLASS, self._config.classes), (OCCUPATION, self._config.occupations)):
            rows = self._endpoint.select(subclasses_query(top)) if top else ()
            below = [qid for qid in (qid_of(row.get("class")) for row in rows) if qid is not None]
            for start in range(0, len(below), self._options.classes_at_once):
                yield " ".join((pid, *below[start : start + self._options.classes_at_once]))

    def _pages(self, chunk: str, after: str) -> Iterator[list[Qid]]:
        pid, *classes = chunk.split()
        while True:
            query = page_query(pid, classes, after, self._options.page, self._options.since)
            iris = [row["item"] for row in self._endpoint.select(query) if "item" in row]
            yield [qid for qid in map(qid_of, iris) if qid is not None]
            if len(iris) < self._options.page:
                return
            after = iris[-1]

    def _describe(self, ids: Sequence[Qid]) -> list[Entity]:
        def query(some: Sequence[Qid]) -> str:
            return describe_query(some, self._options.languages, self._config, self._vocabulary)

        return list(self._reader.read(self._endpoint.select_batch(ids, query)).values())

    def _name(self, ids: Sequence[Qid]) -> list[Entity]:
        def query(some: Sequence[Qid]) -> str:
            return names_query(some, self._options.languages, self._vocabulary)

        return list(self._reader.read(self._endpoint.select_batch(ids, query)).values())


def _best_known(value: Entity, named: Entity | None) -> Entity:
    """A value with the names and fame of its own line, and the kind by its use when that tells none."""
    if named is None:
        return as_value(value)
    return as_value(named, value.kind if named.kind == "subject" else named.kind)


def _rank(qid: Qid, fame: Mapping[Qid, float]) -> tuple[float, int]:
    return -fame[qid], int(qid[1:])


def _best_known_first(item: Entity, fame: Mapping[Qid, float]) -> Entity:
    """An item with its values in the order of their fame: an endpoint gives them in none."""
    relations = {pid: tuple(sorted(values, key=lambda qid: _rank(qid, fame))) for pid, values in item.relations.items()}
    return dataclasses.replace(item, relations=relations)
