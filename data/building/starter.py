"""Writes the starter catalogue from a folder of Wikidata facts: `python -m data.building.starter --facts DIR`."""

import argparse
import dataclasses
import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from data.building.facts import Facts, Item, StarterConfig, Value, italian_title, read_config, read_facts
from data.building.selection import choose
from data.building.tidying import without_misleading_aliases
from data.catalogue import STARTER, write_entities
from data.catalogue.genres import GENRE, Genres, load_genres, with_one_genre_a_name
from data.catalogue.names import distinct_names
from data.domains import DomainConfig, load_domains
from data.errors import DataError
from data.model import Domain, Entity, PropertyId, Qid

__all__ = ["Compiler", "main"]

_KIND_IN_FACTS = {
    "movie": "film", "book": "book", "album": "album", "song": "song", "band": "band", "genre": "genre",
    "company": "company", "tv": "TV series", "movie or tv": "TV series", "opera": "work",
}  # fmt: skip
_OPEN = frozenset({None, "work", "series", "artist", "organisation"})
"""Kinds by use that a value's own line may make more precise."""
_NO_GENRES = frozenset({"country", "language", "company", "person"})
"""Kinds by use that show that a genre value is there by mistake."""
_CAST = "P161"
MOST_VALUES = 12
"""Values kept of one property of one item: the best known of a long cast."""
_FIRST = 6
"""Casts up to this length stand in the order of the facts, which is that of the billing."""


class Compiler:
    """Makes entities of the chosen facts."""

    def __init__(
        self, facts: Facts, config: StarterConfig, domains: Mapping[Domain, DomainConfig], genres: Genres
    ) -> None:
        self._facts = facts
        self._config = config
        self._domains = domains
        self._genres = genres
        self._kinds = {pid: known.values for domain in domains.values() for pid, known in domain.properties.items()}

    def entities(self) -> list[Entity]:
        """Items, best known first, then the values that they have.

        Raises:
            DataError: the genre file names an id that the facts do not have.
        """
        rows: dict[Qid, list[Item]] = {}
        for item in (item for items in self._facts.items.values() for item in items):
            rows.setdefault(item.qid, []).append(item)
        if invented := sorted(self._genres.ids() - rows.keys() - self._facts.values.keys()):
            raise DataError(f"genres.yaml names ids that the facts do not have: {', '.join(invented)}; correct them.")
        chosen = choose(self._facts, self._config)
        items = sorted(map(self._item, chosen.values()), key=lambda item: (item.domain, -item.popularity, item.qid))
        wanted = {qid for item in items for values in item.relations.values() for qid in values}
        wanted |= {self._genres.canonical(qid) for qid in self._mentioned()}
        left = sorted(wanted - set(chosen), key=lambda qid: int(qid[1:]))
        values = (self._value(qid, rows.get(qid, [])) for qid in left)
        found = with_one_genre_a_name([*items, *(value for value in values if value is not None)])
        return without_misleading_aliases(found, self._config.small_words, self._config.abbreviations)

    def _mentioned(self) -> Iterator[Qid]:
        """Those the dialogues mention that are no items: people, genres, franchises."""
        for items in self._facts.items.values():
            yield from (item.qid for item in items if item.mentioned and not item.is_item)

    def _item(self, item: Item) -> Entity:
        relations: dict[PropertyId, tuple[Qid, ...]] = {}
        unnamed: dict[PropertyId, tuple[str, ...]] = {}
        for pid in self._domains[item.domain].properties:
            if kept := self._values_of(item, pid)[:MOST_VALUES]:
                relations[pid] = kept
            if only_names := tuple(name for qid, name in item.relations.get(pid, ()) if qid is None):
                unnamed[pid] = only_names[:MOST_VALUES]
        aliases = distinct_names(item.label, item.aliases)
        italian = italian_title(aliases, self._config) if item.domain != "music" else None
        return self._genres.applied(
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

    def _values_of(self, item: Item, pid: PropertyId) -> tuple[Qid, ...]:
        values = [qid for qid in item.values(pid) if qid in self._facts.values and qid != item.qid]
        if pid == GENRE:
            values = [qid for qid in values if self._is_genre(qid)]
        if pid == _CAST and len(values) > _FIRST:
            values.sort(key=lambda qid: -self._facts.values[qid].used_as.get(_CAST, 0))
        return tuple(values)

    def _is_genre(self, qid: Qid) -> bool:
        """Whether a genre value is one: many countries and languages stand there by mistake."""
        if qid in self._genres or self._genres.canonical(qid) != qid:
            return True
        used_as = self._facts.values[qid].used_as
        elsewhere = any(used_as.get(pid, 0) for pid, kind in self._kinds.items() if kind in _NO_GENRES)
        return qid not in self._genres.not_genres and not elsewhere

    def _value(self, qid: Qid, rows: Sequence[Item]) -> Entity | None:
        value = self._facts.values.get(qid)
        if value is None:
            if not rows:
                return None
            value = Value(rows[0].label, rows[0].aliases)
        kind = self._kind(value, rows)
        famous = max((row.popularity for row in rows), default=0.0)
        entity = Entity(
            qid=qid,
            label=_genre_name(value) if kind == "genre" else value.label,
            kind=kind,
            year=next((row.year for row in rows if row.year is not None), None),
            popularity=round(min(1.0, famous or math.log2(1 + sum(value.used_as.values())) / 12), 2),
            aliases=distinct_names(value.label, value.aliases),
        )
        entity = self._genres.named(entity)
        return dataclasses.replace(entity, aliases=distinct_names(entity.label, entity.aliases))

    def _kind(self, value: Value, rows: Iterable[Item]) -> str:
        """What a value is: by what it is used as, and by what its own line says when its use leaves that open."""
        kinds = Counter[str]()
        for pid, count in value.used_as.items():
            if pid in self._kinds:
                kinds[self._kinds[pid]] += count
        used = kinds.most_common(1)[0][0] if kinds else None
        stated = next((row.kind for row in rows if row.kind), None)
        if used not in _OPEN or stated is None:
            return used or "subject"
        return _KIND_IN_FACTS.get(stated, "person") if not (stated == "movie" and used == "series") else "series"


def _genre_name(value: Value) -> str:
    """A genre's name without needless capitals ("Slasher Film" is "slasher film")."""
    lower = value.label.lower()
    return lower if value.label.istitle() or lower in value.aliases else value.label


def main() -> None:
    """Builds and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=Path, required=True, help="folder with items_*.jsonl and values.jsonl")
    parser.add_argument("--out", type=Path, default=STARTER)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    config = read_config()
    entities = Compiler(read_facts(options.facts, config), config, load_domains(), load_genres()).entities()
    write_entities(options.out, entities, {"built": "starter", "domains": sorted(load_domains())})
    log = logging.getLogger(__name__)
    log.info("%d entities, %d bytes: %s", len(entities), options.out.stat().st_size, options.out)
    for kind, count in Counter(f"{found.domain or '-'} {found.kind}" for found in entities).most_common():
        log.info("%6d %s", count, kind)


if __name__ == "__main__":
    main()
