"""A catalogue in Wikidata's JSON, as a dump has it."""

from collections.abc import Iterable, Iterator
from typing import Any

from data.model import Entity
from data.sparql.vocabulary import load_vocabulary
from tests.endpoint.rdf import classes

TAXONOMY = {"Q202866": "Q11424", "Q24869": "Q202866", "Q177220": "Q639669"}
"""Classes below those of the domains."""


def item_value(qid: str) -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": int(qid[1:]), "id": qid}
    return {"value": value, "type": "wikibase-entityid"}


def statement(pid: str, datavalue: dict[str, Any] | None, rank: str = "normal") -> dict[str, Any]:
    snak = {"snaktype": "value" if datavalue else "somevalue", "property": pid}
    return {"mainsnak": {**snak, **({"datavalue": datavalue} if datavalue else {})}, "type": "statement", "rank": rank}


def year_value(year: int) -> dict[str, Any]:
    return {"value": {"time": f"+{year:04}-00-00T00:00:00Z", "precision": 9}, "type": "time"}


def entity_json(entity: Entity) -> dict[str, Any]:
    claims: dict[str, list[dict[str, Any]]] = {}
    kinds = classes()
    if entity.kind in kinds:
        pid, qid = kinds[entity.kind]
        below = next((sub for sub, above in TAXONOMY.items() if above == qid and int(entity.qid[1:]) % 3 == 0), qid)
        claims[pid] = [statement(pid, item_value(below))]
    if entity.year is not None and entity.year > 0:
        claims["P577"] = [statement("P577", year_value(entity.year))]
    for pid, values in entity.relations.items():
        claims[pid] = [statement(pid, item_value(value)) for value in values]
    pid_of = {name: pid for pid, name in load_vocabulary().ids.items()}
    for name, value in entity.ids.items():
        claims[pid_of[name]] = [statement(pid_of[name], {"value": value, "type": "string"})]
    names = {"en": entity.label, **entity.labels}
    return {
        "type": "item",
        "id": entity.qid,
        "labels": {language: {"language": language, "value": name} for language, name in names.items()},
        "descriptions": {"de": {"language": "de", "value": "nicht gebraucht"}},
        "aliases": {"en": [{"language": "en", "value": alias} for alias in entity.aliases]} if entity.aliases else [],
        "claims": claims or [],
        "sitelinks": {f"wiki{n}": {"site": f"wiki{n}", "title": "x"} for n in range(round(301**entity.popularity - 1))},
    }


def taxonomy_json() -> Iterator[dict[str, Any]]:
    for qid, above in TAXONOMY.items():
        yield {
            "type": "item",
            "id": qid,
            "labels": {"en": {"language": "en", "value": f"class {qid}"}},
            "aliases": [],
            "claims": {"P279": [statement("P279", item_value(above))]},
            "sitelinks": {},
        }


def everything(entities: Iterable[Entity]) -> Iterator[dict[str, Any]]:
    yield from taxonomy_json()
    yield from map(entity_json, entities)
