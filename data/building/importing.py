"""Catalogues from files: Wikidata's JSON, RDF, and tables with a mapping."""

import dataclasses
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from data.building.ancestry import Ancestry
from data.building.chunks import lines_of, open_dump, undamaged
from data.building.passes import number_of
from data.building.rdf import read_triples
from data.building.tables import TableMapping, read_table
from data.building.wikidata_json import Interest, Reduced, draft_of, parse_line, reduce_entity, superclasses
from data.catalogue.genres import Genres
from data.catalogue.names import as_value
from data.domains import DomainConfig
from data.errors import DataError, MissingFileError, UsageError
from data.model import Entity, Qid
from data.sparql.reader import Draft, EntityReader
from data.sparql.vocabulary import Vocabulary

__all__ = ["ENDINGS", "Imported", "Importer"]

ENDINGS: Mapping[str, str] = {
    ".jsonl": "json", ".json": "json", ".ndjson": "json",
    ".nt": "rdf", ".ttl": "rdf",
    ".csv": "table", ".tsv": "table",
}  # fmt: skip
PACKED = (".gz", ".bz2")
SHOWN_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file held.

    Attributes:
        entities: items and their values.
        skipped: entities of the file that are neither.
    """

    entities: tuple[Entity, ...]
    skipped: int = 0


class Importer:
    """Reads files into one domain."""

    def __init__(
        self,
        config: DomainConfig,
        vocabulary: Vocabulary,
        genres: Genres,
        languages: tuple[str, ...],
        known: Callable[[Qid], Entity | None],
    ) -> None:
        """Makes it.

        Args:
            config: the domain.
            vocabulary: what properties and classes mean.
            genres: which genres are one.
            languages: of names.
            known: gives what the catalogue in use knows of an id, for values that the file names by their id only.
        """
        self._config = config
        self._vocabulary = vocabulary
        self._languages = languages
        self._reader = EntityReader(config, vocabulary, genres, languages)
        self._known = known
        self._tops = dict.fromkeys((*config.classes, *config.occupations, *vocabulary.kinds))

    def read(self, path: Path, mapping: TableMapping | None = None) -> Imported:
        """Reads a file, by its ending.

        Args:
            path: `.jsonl`, `.json`, `.nt`, `.ttl`, `.csv` or `.tsv`; JSON also packed as `.gz` or `.bz2`.
            mapping: what the columns of a table are.

        Raises:
            UsageError: another ending, or a table without mapping.
            MissingFileError: there is no such file.
            DataError: lines are broken; the message names them.
        """
        if not path.is_file():
            raise MissingFileError(f"{path}: no such file; give Wikidata JSON lines, N-Triples, Turtle, CSV or TSV.")
        ending = path.with_suffix("").suffix if path.suffix in PACKED else path.suffix
        form = ENDINGS.get(ending)
        if form == "json":
            return self._made(self._drafts_of_json(path))
        if form == "rdf":
            return self._made(self._reader.drafts(read_triples(path, self._tops, self._languages)))
        if form == "table":
            if mapping is None:
                raise UsageError(f"{path.name} is a table: say with --mapping FILE what its columns are.")
            return self._made(read_table(path, mapping, self._config))
        raise UsageError(f"{path.name} is of no known kind; its name must end in {', '.join(ENDINGS)}.")

    def _drafts_of_json(self, path: Path) -> dict[Qid, Draft]:
        interest = Interest.of({self._config.name: self._config}, self._vocabulary, self._languages)
        reduced = []
        edges = array("q")
        for entity, above in _json_entities(path, interest):
            reduced.append(entity)
            for qid in above:
                edges.extend((number_of(entity["id"]), number_of(qid)))
        ancestry = Ancestry(self._tops, edges)
        drafts = {one["id"]: draft_of(one, self._config, self._vocabulary, ancestry.tops) for one in reduced}
        for draft in list(drafts.values()):
            for pid, values in draft.relations.items():
                for qid in values:
                    if value := drafts.get(qid):
                        value.kind = value.kind or self._config.properties[pid].values
        return drafts

    def _made(self, drafts: dict[Qid, Draft]) -> Imported:
        """Items and the values they have; a value that the file does not describe is taken from the catalogue."""
        known: dict[Qid, Entity] = {}
        for draft in list(drafts.values()):
            for pid, values in draft.relations.items():
                for qid in values:
                    entity = None if qid in drafts and self._reader.label(drafts[qid]) else self._known(qid)
                    if entity is not None:
                        known[entity.qid] = dataclasses.replace(as_value(entity), merged=())
                        drafts[qid] = Draft(labels={"en": entity.label}, kind=self._config.properties[pid].values)
        entities = self._reader.entities(drafts)
        items = {qid: entity for qid, entity in entities.items() if entity.is_item}
        held = {qid for item in items.values() for values in item.relations.values() for qid in values}
        others = [known.get(qid) or as_value(entities[qid]) for qid in sorted(held - items.keys(), key=number_of)]
        return Imported((*items.values(), *others), skipped=len(entities) - len(items) - len(others))


def _entities(line: bytes) -> Iterator[dict[str, Any]]:
    """The entity of a line as dumps have it, or those of an entity page (`{"entities": {…}}`)."""
    page = orjson.loads(line) if line.startswith(b'{"entities"') else None
    parts = page["entities"].values() if page and isinstance(page["entities"], dict) else ()
    for part in map(orjson.dumps, parts) if page else (line,):
        entity = parse_line(part)
        if entity is not None:
            yield entity


def _json_entities(path: Path, interest: Interest) -> Iterator[tuple[Reduced, list[Qid]]]:
    """Entities of a file in Wikidata's JSON, one a line, with what they are subclasses of."""
    problems: list[str] = []
    with undamaged(path), open_dump(path) as stream:
        for number, line in enumerate(lines_of(stream, path), start=1):
            try:
                for entity in _entities(line):
                    if entity["id"].startswith("Q"):
                        yield reduce_entity(entity, interest), superclasses(entity)
            except ValueError as error:
                problems.append(f"line {number}: {error}")
    if problems:
        more = f"; and {len(problems) - SHOWN_PROBLEMS} more" if len(problems) > SHOWN_PROBLEMS else ""
        raise DataError(
            f"{path} is no Wikidata JSON with one entity a line: {'; '.join(problems[:SHOWN_PROBLEMS])}{more}. "
            "Correct or remove these lines."
        )
