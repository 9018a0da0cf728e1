"""The catalogue's own format: JSON lines, a header and then one entity a line, defaults left out.

The keys are those of `data.model.Entity`. docs/catalogue.md describes the format for other programs.
"""

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping

import orjson
from pydantic import TypeAdapter, ValidationError

from data.model import Entity

__all__ = ["FORMAT_VERSION", "HEADER_KEY", "LineError", "dump_entity", "parse_entity"]

HEADER_KEY = "converse_catalogue"
FORMAT_VERSION = 1

_QID = re.compile(r"Q[1-9][0-9]{0,11}")
_PROPERTY = re.compile(r"P[1-9][0-9]{0,7}")
_KEYS = frozenset(known.name for known in dataclasses.fields(Entity))


class LineError(ValueError):
    """One line that is no entity; the message says why."""


@functools.cache
def _adapter() -> TypeAdapter[Entity]:
    return TypeAdapter(Entity)


def parse_entity(line: bytes) -> Entity:
    """Reads one line.

    Raises:
        LineError: it is no JSON in UTF-8, or a key is unknown, missing or holds a wrong value.
    """
    try:
        raw = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise LineError(f"no JSON in UTF-8 ({error})") from error
    if not isinstance(raw, dict):
        raise LineError("no JSON object")
    if unknown := sorted(set(raw) - _KEYS):
        raise LineError(f"unknown key {unknown[0]!r}")
    try:
        entity = _adapter().validate_json(line, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        raise LineError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    for problem in _problems(entity):
        raise LineError(problem)
    return entity


def _problems(entity: Entity) -> Iterator[str]:
    if not _QID.fullmatch(entity.qid):
        yield f"qid: {entity.qid!r} is no Wikidata item id"
    if not entity.label.strip() or not entity.kind.strip():
        yield "label and kind must not be empty"
    if not 0 <= entity.popularity <= 1:
        yield f"popularity: {entity.popularity} is outside 0 to 1"
    for pid in (*entity.relations, *entity.facts):
        if not _PROPERTY.fullmatch(pid):
            yield f"{pid!r} is no Wikidata property id"
    for qid in (*entity.merged, *(value for values in entity.relations.values() for value in values)):
        if not _QID.fullmatch(qid):
            yield f"{qid!r} is no Wikidata item id"


def dump_entity(entity: Entity) -> bytes:
    """One line for an entity, without the line break."""
    raw: dict[str, object] = {"qid": entity.qid, "label": entity.label, "kind": entity.kind}
    for known in dataclasses.fields(Entity)[3:]:
        value = getattr(entity, known.name)
        if value or (known.name == "year" and value is not None):
            raw[known.name] = dict(value) if isinstance(value, Mapping) else value
    return orjson.dumps(raw)
