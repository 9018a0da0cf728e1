"""Entities in Wikidata's JSON, as in dumps and `Special:EntityData`, reduced to what a catalogue needs."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from data.domains import DomainConfig
from data.model import Domain, PropertyId, Qid
from data.sparql.reader import CLASS, OCCUPATION, Draft, EntityReader
from data.sparql.vocabulary import Vocabulary

__all__ = ["SUBCLASS", "Interest", "Reduced", "draft_of", "parse_line", "reduce_entity"]

SUBCLASS = "P279"
_QID = re.compile(r"Q[1-9][0-9]{0,11}")
TELLING = 0.5
"""Weight that a property must have to show that its holder may be an item: countries and awards show nothing."""

Reduced = dict[str, Any]
"""An entity with the statements and names that count: id, labels, aliases, sitelinks, claims (property to values)."""


@dataclass(frozen=True, slots=True)
class Interest:
    """What of an entity is kept.

    Attributes:
        languages: of names.
        properties: whose statements are kept.
        telling: properties of which a possible item has one.
        unrelated: classes of which no item is.
    """

    languages: tuple[str, ...]
    properties: frozenset[PropertyId]
    telling: frozenset[PropertyId]
    unrelated: frozenset[Qid]

    @classmethod
    def of(cls, domains: Mapping[Domain, DomainConfig], vocabulary: Vocabulary, languages: Iterable[str]) -> "Interest":
        """What these domains need."""
        used = [(pid, known) for config in domains.values() for pid, known in config.properties.items()]
        return cls(
            tuple(languages),
            frozenset((*(pid for pid, _ in used), *vocabulary.literals, CLASS, OCCUPATION)),
            frozenset(pid for pid, known in used if known.weight >= TELLING),
            vocabulary.unrelated,
        )

    def may_be_item(self, reduced: "Reduced") -> bool:
        """Whether an entity may be an item, as far as that shows without the class hierarchy."""
        claims = reduced["claims"]
        classes = claims.get(CLASS, ())
        return not self.telling.isdisjoint(claims) and not (classes and self.unrelated.issuperset(classes))


def parse_line(line: bytes) -> dict[str, Any] | None:
    """One line of a dump: an entity, or None for the brackets around them all and for empty lines.

    Raises:
        ValueError: it is no JSON object of an entity.
    """
    text = line.strip().rstrip(b",")
    if text in (b"", b"[", b"]"):
        return None
    entity = orjson.loads(text)
    if not isinstance(entity, dict) or not isinstance(entity.get("id"), str):
        raise ValueError("no entity")
    return entity


def reduce_entity(entity: Mapping[str, Any], interest: Interest) -> Reduced:
    """An entity with what counts of it.

    Raises:
        ValueError: it does not have the shape of an entity.
    """
    try:
        claims = _section(entity, "claims")
        return {
            "id": entity["id"],
            "labels": _labels(_section(entity, "labels"), interest.languages),
            "aliases": _aliases(_section(entity, "aliases"), interest.languages),
            "sitelinks": len(_section(entity, "sitelinks")),
            "claims": {
                pid: values
                for pid, found in claims.items()
                if pid in interest.properties and (values := _truthy(found))
            },
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no entity ({error})") from error


def superclasses(entity: Mapping[str, Any]) -> list[Qid]:
    """What it is a subclass of."""
    return [value for value in _truthy(_section(entity, "claims").get(SUBCLASS, [])) if _QID.fullmatch(value)]


def _section(entity: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of an entity; an empty one stands as a list in dumps."""
    return entity.get(name) or {}


def _labels(labels: Mapping[str, Any], languages: Iterable[str]) -> dict[str, str]:
    return {language: labels[language]["value"] for language in languages if language in labels}


def _aliases(aliases: Mapping[str, Any], languages: Iterable[str]) -> list[str]:
    return [alias["value"] for language in languages for alias in aliases.get(language, [])]


def _truthy(statements: Iterable[Mapping[str, Any]]) -> list[str]:
    """Values of the best rank: of the preferred statements if there are any, otherwise of the normal ones."""
    preferred = [found for found in statements if found.get("rank") == "preferred"]
    chosen = preferred or [found for found in statements if found.get("rank", "normal") == "normal"]
    values = (_value(found["mainsnak"]) for found in chosen)
    return list(dict.fromkeys(value for value in values if value is not None))


def _value(snak: Mapping[str, Any]) -> str | None:
    if snak.get("snaktype") != "value":
        return None
    value = snak["datavalue"]["value"]
    if isinstance(value, str):
        return value
    if "time" in value:
        return str(value["time"])
    if "id" in value:
        return str(value["id"])
    if value.get("entity-type") == "item":
        return f"Q{value['numeric-id']}"
    return None


def draft_of(
    reduced: Reduced, config: DomainConfig, vocabulary: Vocabulary, tops: Callable[[Qid], Collection[Qid]]
) -> Draft:
    """A reduced entity as a draft of the reader.

    Args:
        reduced: see `reduce_entity`.
        config: the domain, for its properties.
        vocabulary: for dates and external ids.
        tops: gives the classes of interest that a class is or is below of.
    """
    draft = Draft(
        labels=dict(reduced["labels"]), aliases=dict.fromkeys(reduced["aliases"]), sitelinks=reduced["sitelinks"]
    )
    for pid, values in reduced["claims"].items():
        if pid in vocabulary.years:
            for value in values:
                EntityReader.date(draft, pid, value)
        elif pid in vocabulary.ids:
            name, external = vocabulary.external(pid, values[0])
            draft.ids.setdefault(name, external)
        elif pid in config.properties:
            draft.relations[pid] = dict.fromkeys(value for value in values if _QID.fullmatch(value))
    draft.classes = {top for value in reduced["claims"].get(CLASS, ()) for top in tops(value)}
    draft.occupations = {top for value in reduced["claims"].get(OCCUPATION, ()) for top in tops(value)}
    return draft
