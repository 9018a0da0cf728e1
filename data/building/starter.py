"""Writes the starter catalogue from a folder of Wikidata facts: `python -m data.building.starter --facts DIR`."""

import argparse
import dataclasses
import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from data.building.facts import Facts, Item, StarterConfig, Value, italian_title, read_config, read_facts
from data.building.genres import GENRE, Genres, load_genres
from data.building.names import distinct_names
from data.building.selection import choose
from data.catalogue import STARTER, write_entities
from data.domains import DomainConfig, load_domains
from data.errors import DataError
from data.model import Domain, Entity, PropertyId, Qid

__all__ = ["KIND_OF_VALUE", "compile_entities", "main"]

KIND_OF_VALUE: Mapping[PropertyId, str] = {
    "P495": "country", "P27": "country", "P364": "language", "P407": "language", "P166": "award",
    "P272": "company", "P264": "company", "P123": "company", "P179": "series",
    "P57": "person", "P58": "person", "P161": "person", "P162": "person", "P86": "person", "P50": "person",
    "P725": "person", "P344": "person", "P1040": "person", "P676": "person", "P175": "artist", "P527": "person",
    "P136": "genre", "P840": "place", "P740": "place", "P463": "organisation", "P737": "person", "P674": "character",
    "P361": "work", "P144": "work", "P155": "work", "P156": "work", "P921": "subject",
}  # fmt: skip
"""What something is when all that is known of it is the property that it is a value of; the first that applies."""

_KIND_IN_FACTS = {
    "movie": "film", "book": "book", "album": "album", "song": "song", "band": "band", "genre": "genre",
    "company": "company", "tv": "TV series", "movie or tv": "TV series", "opera": "work",
}  # fmt: skip
_OPEN = frozenset({None, "work", "series", "artist", "organisation"})
"""Kinds by use that a value's own line may make more precise."""
_CAST = "P161"
MOST_VALUES = 12
"""Values kept of one property of one item: the best known of a long cast."""
_FIRST = 6
"""Casts up to this length stand in the order of the facts, which is that of the billing."""


def compile_entities(
    facts: Facts, config: StarterConfig, domains: Mapping[Domain, DomainConfig], genres: Genres
) -> list[Entity]:
    """The starter catalogue's entities: items, best known first, then the values that they have.

    Raises:
        DataError: the genre file names an id that the facts do not have.
    """
    known = {item.qid for items in facts.items.values() for item in items} | set(facts.values)
    if invented := sorted(genres.ids() - known):
        raise DataError(f"genres.yaml names ids that the facts do not have: {', '.join(invented)}; correct them.")
    chosen = choose(facts, config)
    items = [_item_entity(item, domains[item.domain], facts, genres) for item in chosen.values()]
    items.sort(key=lambda item: (item.domain or "", -item.popularity, item.qid))
    wanted = {qid for item in items for values in item.relations.values() for qid in values}
    wanted |= {genres.canonical(qid) for qid in _mentioned(facts)}
    rows: dict[Qid, list[Item]] = {}
    for item in (item for domain in facts.items.values() for item in domain):
        rows.setdefault(item.qid, []).append(item)
    left = sorted(wanted - set(chosen), key=_number)
    values = (_value_entity(qid, facts.values.get(qid), rows.get(qid, []), genres) for qid in left)
    entities = [*items, *(value for value in values if value is not None)]
    return _with_one_genre_a_name(entities)


def _with_one_genre_a_name(entities: Sequence[Entity]) -> list[Entity]:
    """Leaves a word to one genre: to the one it is the label of, then to the best known."""
    genres = sorted((found for found in entities if found.kind == "genre"), key=lambda found: -found.popularity)
    owner = {genre.label.casefold(): genre.qid for genre in reversed(genres)}
    for genre in genres:
        for alias in genre.aliases:
            owner.setdefault(alias.casefold(), genre.qid)
    return [
        dataclasses.replace(found, aliases=tuple(name for name in found.aliases if owner[name.casefold()] == found.qid))
        if found.kind == "genre"
        else found
        for found in entities
    ]


def _item_entity(item: Item, config: DomainConfig, facts: Facts, genres: Genres) -> Entity:
    relations: dict[PropertyId, tuple[Qid, ...]] = {}
    unnamed: dict[PropertyId, tuple[str, ...]] = {}
    for pid in config.properties:
        values = _ordered(pid, item.values(pid), facts)
        kept = tuple(qid for qid in values if qid in facts.values and qid != item.qid)[:MOST_VALUES]
        if pid == GENRE:
            kept = tuple(qid for qid in kept if _is_genre(qid, facts, genres))
        if kept:
            relations[pid] = kept
        if only_names := tuple(name for qid, name in item.relations.get(pid, ()) if qid is None):
            unnamed[pid] = only_names[:MOST_VALUES]
    aliases = distinct_names(item.label, item.aliases)
    italian = italian_title(aliases) if item.domain != "music" else None
    return genres.applied(
        Entity(
            qid=item.qid,
            label=item.label,
            kind=item.kind or item.domain,
            domain=item.domain,
            year=item.year,
            popularity=round(min(1.0, item.popularity), 2),
            aliases=tuple(alias for alias in aliases if alias != italian),
            labels={"it": italian} if italian else {},
            relations=relations,
            facts=unnamed,
            ids=item.ids,
        )
    )


def _ordered(pid: PropertyId, values: tuple[Qid, ...], facts: Facts) -> tuple[Qid, ...]:
    if pid != _CAST or len(values) <= _FIRST:
        return values
    return tuple(sorted(values, key=lambda qid: -facts.values[qid].used_as.get(_CAST, 0) if qid in facts.values else 0))


def _is_genre(qid: Qid, facts: Facts, genres: Genres) -> bool:
    """Whether a genre value is one: many countries and languages stand there by mistake."""
    if qid in genres or genres.canonical(qid) != qid:
        return True
    used_as = facts.values[qid].used_as
    elsewhere = max((used_as.get(pid, 0) for pid, kind in KIND_OF_VALUE.items() if kind in _NO_GENRES), default=0)
    return qid not in genres.not_genres and elsewhere == 0


_NO_GENRES = frozenset({"country", "language", "company", "person"})


def _mentioned(facts: Facts) -> Iterator[Qid]:
    """Those the dialogues mention that are no items: people, genres, franchises."""
    for items in facts.items.values():
        yield from (item.qid for item in items if item.mentioned and not item.is_item)


def _value_entity(qid: Qid, value: Value | None, rows: Sequence[Item], genres: Genres) -> Entity | None:
    if value is None:
        if not rows:
            return None
        value = Value(rows[0].label, rows[0].aliases)
    uses = sum(value.used_as.values())
    famous = max((row.popularity for row in rows), default=0.0)
    kind = _kind(value, rows)
    entity = Entity(
        qid=qid,
        label=_genre_name(value) if kind == "genre" else value.label,
        kind=kind,
        year=next((row.year for row in rows if row.year is not None), None),
        popularity=round(min(1.0, famous or math.log2(1 + uses) / 12), 2),
        aliases=distinct_names(value.label, value.aliases),
    )
    entity = genres.named(entity)
    return dataclasses.replace(entity, aliases=distinct_names(entity.label, entity.aliases))


def _kind(value: Value, rows: Iterable[Item]) -> str:
    """What a value is: by what it is used as, and by what its own line says when its use leaves that open."""
    kinds = Counter[str]()
    for pid, count in value.used_as.items():
        if pid in KIND_OF_VALUE:
            kinds[KIND_OF_VALUE[pid]] += count
    used = kinds.most_common(1)[0][0] if kinds else None
    stated = next((row.kind for row in rows if row.kind), None)
    if used not in _OPEN or stated is None:
        return used or "subject"
    return _KIND_IN_FACTS.get(stated, "person") if not (stated == "movie" and used == "series") else "series"


def _genre_name(value: Value) -> str:
    """A genre's name without needless capitals ("Slasher Film" is "slasher film")."""
    lower = value.label.lower()
    return lower if value.label.istitle() or lower in value.aliases else value.label


def _number(qid: Qid) -> int:
    return int(qid[1:])


def main() -> None:
    """Builds and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=Path, required=True, help="folder with items_*.jsonl and values.jsonl")
    parser.add_argument("--out", type=Path, default=STARTER)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    config = read_config()
    entities = compile_entities(read_facts(options.facts, config), config, load_domains(), load_genres())
    write_entities(options.out, entities, {"built": "starter", "domains": sorted(load_domains())})
    log = logging.getLogger(__name__)
    log.info("%d entities, %d bytes: %s", len(entities), options.out.stat().st_size, options.out)
    for kind, count in Counter(f"{found.domain or '-'} {found.kind}" for found in entities).most_common():
        log.info("%6d %s", count, kind)


if __name__ == "__main__":
    main()
