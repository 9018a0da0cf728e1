"""Titles and IMDb ids of the datasets, mapped to entities of the catalogue."""

import functools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from data.formats.model import Dialogue, EntityLabel, Mention
from data.model import Entity, Polarity, Qid

_TITLE_YEAR = re.compile(r"^(?P<title>.*?)\s*\((?P<year>\d{4})\)\s*$")
_ARTICLES = Path(__file__).with_name("articles.yaml")
_IMDB = re.compile(r"tt\d+")


@dataclass(slots=True)
class MappingReport:
    """What could not be mapped, with the reason, and how much could.

    Attributes:
        mapped: how many times an entity was mapped.
        unmapped: title, or id where there is none, to the reason.
        found: entity to its Wikidata id.
    """

    mapped: int = 0
    unmapped: dict[str, str] = field(default_factory=dict)
    found: dict[str, Qid] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, int]:
        """Reason to the number of entities that did not map for it, most frequent first."""
        return dict(Counter(self.unmapped.values()).most_common())


class EntityMapper:
    """Looks up "Title (year)" and IMDb ids (P345) among the items of a domain."""

    def __init__(self, entities: Iterable[Entity], domain: str = "movie") -> None:
        self._by_imdb: dict[str, Qid] = {}
        self._by_title: dict[str, list[Entity]] = defaultdict(list)
        for entity in entities:
            if entity.domain != domain:
                continue
            if "imdb" in entity.ids:
                self._by_imdb[entity.ids["imdb"]] = entity.qid
            for name in {_folded(name) for name in (entity.label, *entity.aliases, *entity.labels.values())}:
                self._by_title[name].append(entity)

    def find(self, entity: str, name: str | None) -> tuple[Qid | None, str]:
        """The Wikidata id of an entity, or None and the reason.

        Args:
            entity: the dataset's id; an IMDb id counts.
            name: "Title (year)", "Title", or None.
        """
        if _IMDB.fullmatch(entity) and entity in self._by_imdb:
            return self._by_imdb[entity], ""
        if not name:
            return None, "no name, and the id is not in the catalogue"
        parts = _TITLE_YEAR.match(name.strip())
        title, year = (parts["title"], int(parts["year"])) if parts else (name, None)
        found = self._by_title.get(_folded(title), [])
        if year is not None:
            exact = [made for made in found if made.year == year]
            found = exact or [made for made in found if made.year is not None and abs(made.year - year) == 1]
        if len(found) == 1:
            return found[0].qid, ""
        return None, "several items have this title" if found else "not in the catalogue"

    def map(self, titles: Mapping[str, str]) -> MappingReport:
        """Looks up many entities at once.

        Args:
            titles: the dataset's ids with "Title (year)", "Title" or nothing.
        """
        made = MappingReport()
        for entity, name in titles.items():
            qid, reason = self.find(entity, name)
            if qid is None:
                made.unmapped[name or entity] = reason
            else:
                made.found[entity] = qid
                made.mapped += 1
        return made

    def link(self, dialogue: Dialogue, report: MappingReport) -> Dialogue:
        """The dialogue with Wikidata ids wherever they can be told; the rest goes to the report."""
        labels = tuple(self._label(label, report) for label in dialogue.entities)
        known = {label.entity: label.qid for label in labels if label.qid}
        labelled = {label.entity for label in labels}

        def linked(mention: Mention) -> Mention:
            if mention.qid or not mention.entity:
                return mention
            qid = known.get(mention.entity)
            if mention.entity not in labelled:
                qid, reason = self.find(mention.entity, mention.text or None)
                if reason:
                    report.unmapped[mention.text or mention.entity] = reason
            return replace(mention, qid=qid, polarity=mention.polarity or _polarity(mention.entity, labels))

        utterances = tuple(
            replace(utterance, mentions=tuple(map(linked, utterance.mentions))) for utterance in dialogue.utterances
        )
        return replace(dialogue, entities=labels, utterances=utterances)

    def _label(self, label: EntityLabel, report: MappingReport) -> EntityLabel:
        if label.qid:
            return label
        qid, reason = self.find(label.entity, label.name)
        if qid is None:
            report.unmapped[label.name or label.entity] = reason
        else:
            report.mapped += 1
        return replace(label, qid=qid)


def _polarity(entity: str, labels: Iterable[EntityLabel]) -> Polarity | None:
    """What the seeker answered about the entity afterwards."""
    liked = next((label.liked.get("seeker") for label in labels if label.entity == entity), None)
    return None if liked is None else "+" if liked else "-"


def _folded(title: str) -> str:
    """Without case, accents, punctuation and the article, before or behind ("Thing, The")."""
    name, comma, last = title.rpartition(",")
    if comma and last.strip().casefold() in _articles():
        title = name
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode() or title
    words = re.sub(r"[^\w]+", " ", plain.replace("&", " and ").casefold()).split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in _articles() else words)


@functools.cache
def _articles() -> frozenset[str]:
    """Those that the titles of the datasets begin or end with."""
    return frozenset(yaml.safe_load(_ARTICLES.read_text(encoding="utf-8")))
