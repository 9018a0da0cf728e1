"""The alias index: from a key to the entities it names, exactly or with typing errors.

A prepared part that never changes (a trie of keys, postings and trigram lists in arrays that can be mapped from a file)
and a small part in memory for entities that arrive later. One mechanism serves ten thousand entities and a million.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import marisa_trie  # type: ignore[import-not-found]
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from data.errors import DataError
from data.model import Entity, Qid
from nlu.entities.names import Name, NameKind, names_of
from nlu.entities.words import Words

_SHORTEST_FUZZY = 4
_FUZZY_POSTINGS = 40_000
_FUZZY_RERANKED = 80
_EDITS_BY_LENGTH = ((4, 0), (8, 1), (12, 2), (20, 3))
_MOST_EDITS = 4
_ALL = 1_000_000
_FIRST, _LAST = "\x02", "\x03"
_FACTORS = np.array([1_000_003, 8_191, 1], dtype=np.uint32)

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Posting:
    """An entity under one of its names."""

    qid: Qid
    kind: NameKind
    popularity: float


@dataclass(frozen=True, slots=True)
class Similar:
    """A key of the index that resembles the one asked for; `similarity` is 1 for the same key."""

    key: str
    similarity: float


def allowed_edits(length: int) -> int:
    """Typing errors that are forgiven in a key of that many characters."""
    return next((edits for limit, edits in _EDITS_BY_LENGTH if length < limit), _MOST_EDITS)


class AliasIndex:
    """Names of all entities of a catalogue."""

    def __init__(self, trie: marisa_trie.Trie, arrays: Arrays) -> None:
        """Takes what `build` or `nlu.entities.storage.load_index` prepared."""
        self.trie = trie
        self.arrays = arrays
        self._added: dict[str, list[Posting]] = {}

    @classmethod
    def build(cls, entities: Iterable[Entity], words: Words) -> Self:
        """Indexes the entities.

        Raises:
            DataError: an entity whose id is not a Wikidata item id.
        """
        qids: list[int] = []
        popularity: list[float] = []
        keys: list[str] = []
        owners: list[int] = []
        kinds: list[int] = []
        for number, entity in enumerate(entities):
            qids.append(_qid_number(entity.qid))
            popularity.append(entity.popularity)
            for name in names_of(entity, words):
                keys.append(name.key)
                owners.append(number)
                kinds.append(name.kind)
        trie = marisa_trie.Trie(keys)
        postings = _postings(trie, keys, np.array(owners, np.int32), np.array(kinds, np.uint8), np.array(popularity))
        arrays: dict[str, NDArray[Any]] = {
            "qids": np.array(qids, np.int64),
            "popularity": np.array(popularity, np.float32),
            **postings,
            **_trigram_lists(trie),
        }
        return cls(trie, arrays)

    def __len__(self) -> int:
        """Number of keys."""
        return len(self.trie) + sum(key not in self.trie for key in self._added)

    def add(self, entity: Entity, words: Words) -> tuple[Name, ...]:
        """Makes one more entity findable at once, without a rebuild; returns its names."""
        names = names_of(entity, words)
        for name in names:
            self.add_name(name.key, Posting(entity.qid, name.kind, entity.popularity))
        return names

    def add_name(self, key: str, posting: Posting) -> None:
        """Makes an entity findable under one more name; a more binding one for the same key stands."""
        known = self._added.setdefault(key, [])
        kinds = [other.kind for other in (*known, *self._prepared(key, _ALL)) if other.qid == posting.qid]
        known[:] = [other for other in known if other.qid != posting.qid]
        known.append(replace(posting, kind=min([posting.kind, *kinds])))

    def exact(self, key: str, limit: int = 40) -> tuple[Posting, ...]:
        """Entities of that very name, best known first within the prepared part."""
        added = tuple(self._added.get(key, ()))
        fresh = {posting.qid for posting in added}
        return added + tuple(posting for posting in self._prepared(key, limit) if posting.qid not in fresh)

    def _prepared(self, key: str, limit: int) -> tuple[Posting, ...]:
        number = self.trie.get(key, -1)
        if number < 0:
            return ()
        first, last = self.arrays["starts"][number : number + 2]
        last = min(int(last), int(first) + limit)
        qids, popularity = self.arrays["qids"], self.arrays["popularity"]
        return tuple(
            Posting(f"Q{qids[owner]}", NameKind(kind), float(popularity[owner]))
            for owner, kind in zip(
                self.arrays["owners"][first:last].tolist(), self.arrays["kinds"][first:last].tolist(), strict=True
            )
        )

    def __contains__(self, key: str) -> bool:
        """Whether something has that very name."""
        return key in self.trie or key in self._added

    def similar(self, key: str, limit: int = 12) -> list[Similar]:
        """Keys within the typing errors that the length allows, most similar first."""
        edits = allowed_edits(len(key))
        if len(key) < _SHORTEST_FUZZY or not edits:
            return []
        lengths = range(len(key) - edits, len(key) + edits + 1)
        choices = [self.trie.restore_key(number) for number in self._sharing_trigrams(key, lengths)]
        choices.extend(self._added)
        found = process.extract(key, choices, scorer=OSA.distance, score_cutoff=edits, limit=limit)
        return [
            Similar(match, 1.0 - distance / max(len(key), len(match)))
            for match, distance, _ in found
            if distance <= allowed_edits(min(len(key), len(match)))
        ]

    def holding(self, key: str, limit: int = 12) -> list[str]:
        """Longer keys that hold the key as a part, those with least beside it first."""
        lengths = range(len(key) + 1, 256)
        choices = [self.trie.restore_key(number) for number in self._sharing_trigrams(key, lengths, whole=False)]
        choices.extend(self._added)
        return sorted((choice for choice in choices if key in choice), key=len)[:limit]

    def _sharing_trigrams(self, key: str, lengths: range, *, whole: bool = True) -> list[int]:
        """Numbers of the keys of such lengths that share most trigrams, rare trigrams first."""
        codes, starts = self.arrays["trigrams"], self.arrays["trigram_starts"]
        wanted = np.unique(_trigram_codes(_FIRST + key + _LAST if whole else key))
        places = np.searchsorted(codes, wanted)
        places = places[places < len(codes)]
        places = places[np.isin(codes[places], wanted)]
        if not len(places):
            return []
        sizes = starts[places + 1] - starts[places]
        order = np.argsort(sizes, kind="stable")
        affordable = np.cumsum(sizes[order]) <= _FUZZY_POSTINGS
        affordable[0] = True
        lists = [self.arrays["trigram_keys"][starts[place] : starts[place + 1]] for place in places[order][affordable]]
        numbers, counts = np.unique(np.concatenate(lists), return_counts=True)
        key_lengths = self.arrays["key_lengths"][numbers]
        near = (key_lengths >= lengths.start) & (key_lengths < lengths.stop)
        numbers, counts = numbers[near], counts[near]
        if len(numbers) > _FUZZY_RERANKED:
            best = np.argpartition(-counts, _FUZZY_RERANKED)[:_FUZZY_RERANKED]
            numbers = numbers[best]
        return [int(number) for number in numbers]


def _qid_number(qid: Qid) -> int:
    if not (qid.startswith("Q") and qid[1:].isdecimal()):
        raise DataError(f"{qid!r} is not a Wikidata item id; ids look like Q47703. Mend it in the catalogue.")
    return int(qid[1:])


def _postings(
    trie: marisa_trie.Trie,
    keys: list[str],
    owners: NDArray[np.int32],
    kinds: NDArray[np.uint8],
    popularity: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """Entities by key number, best known first."""
    numbers = np.fromiter((trie[key] for key in keys), np.int32, len(keys))
    order = np.lexsort((-popularity[owners], numbers)) if len(keys) else np.zeros(0, np.int64)
    counts = np.bincount(numbers, minlength=len(trie))
    return {
        "starts": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        "owners": owners[order],
        "kinds": kinds[order],
    }


def _trigram_codes(text: str) -> NDArray[np.uint32]:
    """One number for each three neighbouring characters."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    windows = np.lib.stride_tricks.sliding_window_view(points, 3)
    codes: NDArray[np.uint32] = (windows * _FACTORS).sum(axis=1, dtype=np.uint32)
    return codes


def _trigram_lists(trie: marisa_trie.Trie) -> dict[str, NDArray[Any]]:
    """For each trigram the keys that hold it; keys too short to be misspelt are left out."""
    keys = [trie.restore_key(number) for number in range(len(trie))]
    lengths = np.fromiter(map(len, keys), np.int32, len(keys))
    chosen = np.flatnonzero(lengths >= _SHORTEST_FUZZY - 1).astype(np.int32)
    text = "".join(f"{_FIRST}{keys[number]}{_LAST}" for number in chosen.tolist())
    if not text:
        empty = np.zeros(0, np.int32)
        return {
            "trigrams": empty.astype(np.uint32),
            "trigram_starts": np.zeros(1, np.int32),
            "trigram_keys": empty,
            "key_lengths": np.minimum(lengths, 255).astype(np.uint8),
        }
    codes = _trigram_codes(text)
    ends = np.cumsum(lengths[chosen] + 2)
    inside = np.ones(len(codes), bool)
    for overlap in (1, 2):
        boundary = ends[:-1] - overlap
        inside[boundary[boundary < len(codes)]] = False
    holders = np.repeat(chosen, lengths[chosen] + 2)[: len(codes)][inside]
    codes = codes[inside]
    order = np.argsort(codes, kind="stable")
    codes, holders = codes[order], holders[order]
    distinct, first = np.unique(codes, return_index=True)
    return {
        "trigrams": distinct,
        "trigram_starts": np.append(first, len(codes)).astype(np.int32),
        "trigram_keys": holders,
        "key_lengths": np.minimum(lengths, 255).astype(np.uint8),
    }
