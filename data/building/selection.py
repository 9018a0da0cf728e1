"""Which items make the starter catalogue: all that the released dialogues mention, and the best known."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping

from data.building.facts import Facts, Item, StarterConfig
from data.model import Domain, Qid

__all__ = ["PERFORMER", "SIZES", "choose"]

SIZES: Mapping[str, int] = {"film": 2500, "book": 1000, "artist": 800, "album": 450, "song": 450}
"""How many items of each group, those mentioned included."""

PERFORMER, GENRE, CAST, RECORD_LABEL, OCCUPATION = "P175", "P136", "P161", "P264", "P106"
TELLING: Mapping[Domain, frozenset[str]] = {
    "movie": frozenset({"P57", "P161", "P136"}),
    "book": frozenset({"P50", "P136"}),
    "music": frozenset({"P175", "P136", "P264", "P527", "P86"}),
}
"""Properties of which an item must have one, to be of use in a graph."""


def choose(facts: Facts, config: StarterConfig) -> dict[Qid, Item]:
    """Chooses the items, and scales down those who are known for other things than their music.

    Returns:
        Items by id, each once, with its group's kind.
    """
    performed = Counter(qid for item in facts.items["music"] for qid in item.values(PERFORMER))
    groups = _groups(facts, config, performed)
    chosen: dict[Qid, Item] = {}
    for name, size in SIZES.items():
        for item in _best(groups[name], size, performed):
            chosen.setdefault(item.qid, item)
    return chosen


def _groups(facts: Facts, config: StarterConfig, performed: Counter[Qid]) -> dict[str, list[Item]]:
    """The items that can be chosen at all, by group."""
    used_as_genre = {qid for items in facts.items.values() for item in items for qid in item.values(GENRE)}
    usable = {
        domain: [item for item in items if _is_telling(item) and item.qid not in used_as_genre]
        for domain, items in facts.items.items()
    }
    acted = Counter(qid for item in facts.items["movie"] for qid in item.values(CAST))
    fame = {item.qid: item.popularity for item in facts.items["music"]}
    artists = (item for item in usable["music"] if item.kind in ("band", "music_artist"))
    musicians = (_as_musician(item, config, performed[item.qid], acted[item.qid]) for item in artists)
    return {
        "film": [dataclasses.replace(item, kind="film") for item in usable["movie"] if item.kind == "movie"],
        "book": [item for item in usable["book"] if item.kind == "book"],
        "artist": [musician for musician in musicians if musician is not None],
        "album": [_with_performers_fame(item, fame) for item in usable["music"] if item.kind == "album"],
        "song": [_with_performers_fame(item, fame) for item in usable["music"] if item.kind == "song"],
    }


def _is_telling(item: Item) -> bool:
    return item.is_item and (item.mentioned > 0 or any(item.values(pid) for pid in TELLING[item.domain]))


def _best(items: Iterable[Item], size: int, performed: Mapping[Qid, int]) -> list[Item]:
    def key(item: Item) -> tuple[bool, float, int, str]:
        facts = sum(len(item.values(pid)) for pid in item.relations)
        return not item.mentioned, -(item.popularity + 0.02 * min(performed.get(item.qid, 0), 10)), -facts, item.qid

    kept: list[Item] = []
    seen: set[tuple[str, int | None]] = set()
    for item in sorted(items, key=key):
        title = (item.label.casefold(), item.year)
        if item.mentioned or (len(kept) < size and title not in seen):
            kept.append(item)
            seen.add(title)
    return kept


def _as_musician(item: Item, config: StarterConfig, performed: int, acted: int) -> Item | None:
    """The artist with a popularity as musician; None for who only also sings."""
    if item.kind == "band":
        return item
    occupations = set(item.values(OCCUPATION))
    genres = len(item.values(GENRE))
    evidence = 2 * min(performed, 3) + min(genres, 4) + bool(item.relations.get(RECORD_LABEL))
    if occupations and not occupations & config.musicians.keys() and not performed:
        return None
    elsewhere = bool(occupations & config.known_otherwise.keys()) or acted > 0
    if not item.mentioned and evidence < (3 if elsewhere else 1):
        return None
    artist = dataclasses.replace(item, kind="artist")
    if not elsewhere or performed > 1:
        return artist
    weight = max(0.4, min(1.0, (1 + evidence) / (4 + 2 * min(acted, 6))))
    return dataclasses.replace(artist, popularity=item.popularity * weight)


def _with_performers_fame(item: Item, fame: Mapping[Qid, float]) -> Item:
    if item.popularity > 0:
        return item
    best = max((fame.get(qid, 0.0) for qid in item.values(PERFORMER)), default=0.0)
    return dataclasses.replace(item, popularity=0.5 * best)
