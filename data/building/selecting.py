"""From reduced entities to catalogues: which are items, which values they need, and both as entities.

A machine of its own and a cluster run the same code: only where the lines come from differs.
"""

from array import array
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence

import numpy as np
import orjson
from numpy.typing import NDArray

from data.building.passes import Numbers, number_of
from data.building.wikidata_json import Reduced, draft_of
from data.catalogue.genres import Genres, with_one_genre_a_name
from data.catalogue.names import as_value
from data.domains import DomainConfig
from data.model import Domain, Entity, Qid
from data.sparql.reader import Draft, EntityReader
from data.sparql.vocabulary import Vocabulary

__all__ = ["DomainSelector", "Selection", "stronger"]

_GENRE = "genre"
_VAGUE = frozenset({"subject", "work"})


def stronger(one: str, other: str) -> str:
    """Of two kinds by use the one that says more; which does not depend on the order."""
    return min(one, other, key=lambda kind: (kind in _VAGUE, kind))


class DomainSelector:
    """Makes one domain's items and values of reduced entities."""

    def __init__(
        self,
        config: DomainConfig,
        vocabulary: Vocabulary,
        genres: Genres,
        languages: Sequence[str],
        tops: Callable[[Qid], Collection[Qid]],
    ) -> None:
        self._config = config
        self._vocabulary = vocabulary
        self._genres = genres
        self._reader = EntityReader(config, vocabulary, genres, languages)
        self._tops = tops

    def draft(self, reduced: Reduced) -> Draft | None:
        """The draft of an item of the domain that has a name; None for anything else."""
        draft = draft_of(reduced, self._config, self._vocabulary, self._tops)
        return draft if self._reader.kind(draft)[1] and self._reader.label(draft) is not None else None

    def values_of(self, draft: Draft) -> Iterator[tuple[Qid, str]]:
        """Ids of what an item has as values, with the kind that their use tells; a genre's node comes with variants."""
        for pid, values in draft.relations.items():
            for qid in values:
                yield qid, self._config.properties[pid].values
                if self._genres.canonical(qid) != qid:
                    yield self._genres.canonical(qid), _GENRE

    def item(self, qid: Qid, draft: Draft, named: Container[Qid]) -> Entity:
        """An item with those of its values that have a name."""
        return self._reader.entity(qid, draft, named)

    def value(self, reduced: Reduced, kind: str) -> Entity | None:
        """A value of items; None when it has no name.

        Args:
            reduced: what is known of it.
            kind: by its use, for when its classes tell none.
        """
        draft = draft_of(reduced, self._config, self._vocabulary, self._tops)
        if self._reader.label(draft) is None:
            return None
        own, is_item = self._reader.kind(draft)
        draft.kind = kind
        entity = self._reader.entity(reduced["id"], draft, ())
        return self._genres.named(as_value(entity, own if is_item else None))


class Selection:
    """Chooses the items of all domains, and knows which values they need."""

    def __init__(
        self,
        domains: Mapping[Domain, DomainConfig],
        vocabulary: Vocabulary,
        genres: Genres,
        languages: Sequence[str],
        tops: Callable[[Qid], Collection[Qid]],
    ) -> None:
        self._selectors = {
            name: DomainSelector(config, vocabulary, genres, languages, tops) for name, config in domains.items()
        }
        self._genres = genres
        self._kinds: dict[int, str] = {}
        self._named = Numbers(np.empty(0, dtype=np.int64))

    def choose(self, candidates: Iterable[bytes]) -> None:
        """Goes through the possible items and collects the values of those that are."""
        for line in candidates:
            reduced = orjson.loads(line)
            for selector in self._selectors.values():
                draft = selector.draft(reduced)
                if draft is not None:
                    for qid, kind in selector.values_of(draft):
                        number = number_of(qid)
                        self._kinds[number] = stronger(kind, self._kinds.get(number, kind))

    @property
    def wanted(self) -> NDArray[np.int64]:
        """Numbers of the values, in order."""
        return np.sort(np.fromiter(self._kinds, dtype=np.int64, count=len(self._kinds)))

    def keep(self, values: Iterable[bytes]) -> None:
        """Goes through the values that were found and remembers which of them have a name."""
        selector = next(iter(self._selectors.values()))
        found = array("q")
        for line in values:
            reduced = orjson.loads(line)
            if selector.value(reduced, "subject") is not None:
                found.append(number_of(reduced["id"]))
        self._named = Numbers(np.unique(np.frombuffer(found, dtype=np.int64)))

    def entities(self, domain: Domain, candidates: Iterable[bytes], values: Iterable[bytes]) -> Iterator[Entity]:
        """A domain's items, then the values that they have, each once."""
        selector = self._selectors[domain]
        used: set[Qid] = set()
        items: set[Qid] = set()
        for line in candidates:
            reduced = orjson.loads(line)
            draft = selector.draft(reduced)
            if draft is None or reduced["id"] in items:
                continue
            item = selector.item(reduced["id"], draft, self._named)
            items.add(item.qid)
            used.update(qid for held in item.relations.values() for qid in held)
            yield item
        yield from self._values(selector, used - items, values)

    def _values(self, selector: DomainSelector, used: set[Qid], values: Iterable[bytes]) -> Iterator[Entity]:
        genres: list[Entity] = []
        for line in values:
            reduced = orjson.loads(line)
            if reduced["id"] not in used:
                continue
            used.discard(reduced["id"])
            value = selector.value(reduced, self._kinds[number_of(reduced["id"])])
            if value is not None and value.kind == _GENRE:
                genres.append(value)
            elif value is not None:
                yield value
        yield from with_one_genre_a_name(genres)
