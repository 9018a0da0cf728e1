"""From rows of a query to entities."""

import dataclasses
import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from data.catalogue.genres import Genres
from data.domains import DomainConfig
from data.model import Entity, PropertyId, Qid
from data.sparql.endpoint import Binding
from data.sparql.vocabulary import Vocabulary

__all__ = ["LANGUAGES", "Draft", "EntityReader", "popularity"]

_ENTITY = re.compile(r"https?://www\.wikidata\.org/entity/(Q[1-9][0-9]{0,11})")
_DIRECT = re.compile(r"https?://www\.wikidata\.org/prop/direct/(P[1-9][0-9]{0,7})")
_YEAR = re.compile(r"\+?(-?[0-9]{1,6})-")
ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
_SITELINKS = "http://wikiba.se/ontology#sitelinks"
MOST_ALIASES = 30
CLASS, OCCUPATION = "P31", "P106"
ANY_LANGUAGE = "mul"
"""Wikidata's code for a name that is the same in all languages."""
LANGUAGES = ("en", "it", ANY_LANGUAGE)
"""Those of the names that catalogues are built with."""


@dataclass(slots=True)
class Draft:
    """What is known of an entity while its rows are read."""

    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)
    sitelinks: int = 0
    years: dict[PropertyId, int] = field(default_factory=dict)
    classes: set[Qid] = field(default_factory=set)
    occupations: set[Qid] = field(default_factory=set)
    relations: dict[PropertyId, dict[Qid, None]] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    facts: dict[PropertyId, dict[str, None]] = field(default_factory=dict)
    kind: str | None = None


def popularity(sitelinks: int) -> float:
    """How well known something is, 0 to 1, by the number of Wikipedias that have an article on it.

    A logarithm: 5 articles make 0.31, 50 make 0.69, 300 and more make 1.
    """
    return round(min(1.0, math.log2(1 + max(0, sitelinks)) / math.log2(301)), 2)


class EntityReader:
    """Reads the rows of `describe_query` and makes entities of them, with the values that they have."""

    def __init__(self, config: DomainConfig, vocabulary: Vocabulary, genres: Genres, languages: Sequence[str]) -> None:
        self._config = config
        self._vocabulary = vocabulary
        self._genres = genres
        self._languages = languages

    def read(self, rows: Iterable[Binding]) -> dict[Qid, Entity]:
        """Entities by id: those described, the values they have, and the works that came along.

        What has no name in any of the languages is left out, as a value too.
        """
        return self.entities(self.drafts(rows))

    def drafts(self, rows: Iterable[Binding]) -> dict[Qid, Draft]:
        """What the rows say of each entity, by id."""
        drafts: dict[Qid, Draft] = {}
        for row in rows:
            item = qid_of(row.get("item"))
            if item is None or "property" not in row or "value" not in row:
                continue
            if "holder" in row:
                self._read_work(drafts, item, row)
            else:
                self._read_row(drafts, drafts.setdefault(item, Draft()), row)
        return drafts

    def _read_row(self, drafts: dict[Qid, Draft], draft: Draft, row: Binding) -> None:
        source, value = row["property"], row["value"]
        if source == _LABEL:
            draft.labels.setdefault(row.get("language", "en"), value)
        elif source == _ALIAS:
            draft.aliases[value] = None
        elif source == _SITELINKS and value.isdigit():
            draft.sitelinks = int(value)
        elif (pid := _pid_of(source)) is not None:
            self._read_statement(drafts, draft, pid, row)

    def _read_statement(self, drafts: dict[Qid, Draft], draft: Draft, pid: PropertyId, row: Binding) -> None:
        value = row["value"]
        target = qid_of(value)
        if pid in self._vocabulary.years:
            self.date(draft, pid, value)
        elif pid in self._vocabulary.ids:
            name, external = self._vocabulary.external(pid, value)
            draft.ids.setdefault(name, external)
        elif target is not None and pid == CLASS:
            draft.classes.add(target)
        elif target is not None and pid == OCCUPATION:
            draft.occupations.add(target)
        elif target is not None and pid in self._config.properties:
            draft.relations.setdefault(pid, {})[target] = None
            self._name_value(drafts, target, pid, row)

    def _name_value(self, drafts: dict[Qid, Draft], qid: Qid, pid: PropertyId, row: Binding) -> None:
        value = drafts.setdefault(qid, Draft())
        if "label" in row:
            value.labels.setdefault(row.get("language", "en"), row["label"])
        value.kind = value.kind or self._config.properties[pid].values

    def _read_work(self, drafts: dict[Qid, Draft], item: Qid, row: Binding) -> None:
        holder, pid = qid_of(row["holder"]), _pid_of(row["property"])
        if holder is None or pid is None or pid not in self._config.properties:
            return
        work = drafts.setdefault(holder, Draft())
        work.relations.setdefault(pid, {})[item] = None
        if of := qid_of(row.get("class")):
            work.classes.add(of)
        work.sitelinks = int(row["value"]) if row["value"].isdigit() else 0
        if "label" in row:
            work.labels.setdefault(row.get("language", "en"), row["label"])
        maker = drafts.setdefault(item, Draft())
        maker.kind = maker.kind or self._config.properties[pid].values

    @staticmethod
    def date(draft: Draft, pid: PropertyId, value: str) -> None:
        """Reads a date; of several the earliest counts."""
        if match := _YEAR.match(value):
            year = int(match.group(1))
            draft.years[pid] = min(year, draft.years.get(pid, year))

    def entities(self, drafts: Mapping[Qid, Draft]) -> dict[Qid, Entity]:
        """Entities of the drafts that have a name, with relations among those only; variants of a genre are one."""
        kept: dict[Qid, Draft] = {}
        for qid, draft in drafts.items():
            if self.label(draft) is not None:
                kept.setdefault(self._genres.canonical(qid), draft)
        return {qid: self._genres.named(self.entity(qid, draft, kept)) for qid, draft in kept.items()}

    def label(self, draft: Draft) -> str | None:
        """Its name in English, or else one for all languages, or else in the first language that has one."""
        order = ("en", ANY_LANGUAGE, *self._languages)
        return next((draft.labels[language] for language in order if draft.labels.get(language, "").strip()), None)

    def entity(self, qid: Qid, draft: Draft, kept: Container[Qid]) -> Entity:
        """Makes an entity of a draft.

        Args:
            qid: its id.
            draft: what is known of it.
            kept: ids that its relations may name; those of genres stand for their variants.
        """
        label = self.label(draft) or qid
        kind, is_item = self.kind(draft)
        others = {language: name for language, name in draft.labels.items() if language not in ("en", ANY_LANGUAGE)}
        entity = Entity(
            qid=qid,
            label=label,
            kind=kind,
            domain=self._config.name if is_item else None,
            year=next((draft.years[pid] for pid in self._vocabulary.years if pid in draft.years), None),
            popularity=popularity(draft.sitelinks),
            aliases=tuple(name for name in draft.aliases if name.strip() and name != label)[:MOST_ALIASES],
            labels={language: name for language, name in others.items() if name != label},
            relations={pid: tuple(values) for pid, values in draft.relations.items()},
            facts={pid: tuple(names) for pid, names in draft.facts.items()},
            ids=draft.ids,
        )
        entity = self._genres.applied(entity) if is_item else entity
        return dataclasses.replace(entity, relations=dict(self._relations(entity, kept)))

    def _relations(self, entity: Entity, kept: Container[Qid]) -> Iterator[tuple[PropertyId, tuple[Qid, ...]]]:
        for pid, values in entity.relations.items():
            known = dict.fromkeys(map(self._genres.canonical, values))
            if found := tuple(qid for qid in known if qid in kept and qid != entity.qid):
                yield pid, found

    def kind(self, draft: Draft) -> tuple[str, bool]:
        """What it is, and whether it is an item of the domain."""
        for qid, kind in self._config.classes.items():
            if qid in draft.classes:
                return kind, True
        for qid, kind in self._config.occupations.items():
            if qid in draft.occupations:
                return kind, True
        stated = next((kind for qid, kind in self._vocabulary.kinds.items() if qid in draft.classes), None)
        return stated or draft.kind or "subject", False


def qid_of(iri: str | None) -> Qid | None:
    """The item id in an IRI of Wikidata; None for any other text."""
    match = _ENTITY.fullmatch(iri) if iri else None
    return match.group(1) if match else None


def _pid_of(iri: str) -> PropertyId | None:
    match = _DIRECT.fullmatch(iri)
    return match.group(1) if match else None
