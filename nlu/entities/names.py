"""The names under which an entity is found: its labels and aliases, and what people shorten them to."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from data.model import Entity
from nlu.entities.folding import Token, join_keys, tokenize
from nlu.entities.words import Words

PERSON_KINDS = frozenset({"person", "artist"})
PLACE_KINDS = frozenset({"country", "place"})
BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_PARTS = re.compile(r":|\s[-–—]\s")
_SHORTEST_PART = 4
_LONGEST_ORDINAL = 2
_FEWEST_LETTERS_OUTSIDE_BRACKETS = 2
_SHORTEST_SURNAME = 3
_CODED_KINDS = PLACE_KINDS | {"language"}
_SHORTEST_CODE_LESS_NAME = 4


class NameKind(IntEnum):
    """How a name belongs to its entity, the most binding first."""

    LABEL = 0
    ALIAS = 1
    FOREIGN = 2
    WITHOUT_ARTICLE = 3
    MAIN_PART = 4
    SUBTITLE = 5
    SURNAME = 6


@dataclass(frozen=True, slots=True)
class Name:
    """One key that leads to an entity."""

    key: str
    kind: NameKind


def names_of(entity: Entity, words: Words) -> tuple[Name, ...]:
    """All names of an entity, each key once, under its most binding kind.

    Args:
        entity: what is named.
        words: articles that may be left out, number words, and name particles that belong to a surname.
    """
    person = entity.kind in PERSON_KINDS
    surname = _surname(tokenize(entity.label), words) if person else ""
    found: dict[str, NameKind] = {surname: NameKind.SURNAME} if surname else {}
    shortest = _SHORTEST_CODE_LESS_NAME if entity.kind in _CODED_KINDS else 1
    for text, kind in _own_names(entity):
        for key, derived in _keys(text, kind, person, words):
            if key and key == surname:
                derived = NameKind.SURNAME
            if key.isdecimal() and len(key) <= _LONGEST_ORDINAL and derived is not NameKind.LABEL:
                continue
            if len(key) >= shortest and derived <= found.get(key, derived):
                found[key] = derived
    return tuple(Name(key, kind) for key, kind in found.items())


def _own_names(entity: Entity) -> Iterator[tuple[str, NameKind]]:
    yield entity.label, NameKind.LABEL
    for alias in entity.aliases:
        yield alias, NameKind.ALIAS
    for label in entity.labels.values():
        yield label, NameKind.FOREIGN


def _keys(text: str, kind: NameKind, person: bool, words: Words) -> Iterator[tuple[str, NameKind]]:
    """The keys of one name and of what it is shortened to."""
    plain = BRACKETS.sub("", text).strip()
    if sum(map(str.isalnum, plain)) < _FEWEST_LETTERS_OUTSIDE_BRACKETS:
        plain = text
    tokens = tokenize(plain)
    if plain != text:
        yield join_keys(tokenize(text)), kind
    yield join_keys(tokens), kind
    yield from _numbers(tokens, kind, words)
    yield _without_article(plain, tokens, words), max(kind, NameKind.WITHOUT_ARTICLE)
    if not person:
        yield _sequel(tokens, words), max(kind, NameKind.ALIAS)
    if not person:
        yield from _parts(plain, tokens, words)
        yield _hero(tokens, words), NameKind.MAIN_PART


def _numbers(tokens: Sequence[Token], kind: NameKind, words: Words) -> Iterator[tuple[str, NameKind]]:
    """The name with number words as digits and the other way round: "12 Angry Men", "Twelve Angry Men"."""
    replacements: Mapping[str, str]
    for replacements in (words.digits, words.number_words):
        if len(tokens) > 1 and any(token.key in replacements for token in tokens):
            yield "".join(replacements.get(token.key, token.key) for token in tokens), max(kind, NameKind.ALIAS)


def _sequel(tokens: Sequence[Token], words: Words) -> str:
    """The name up to the number of its part, without the word for it: "Back to the Future 2", "Kill Bill 2"."""
    for place in range(1, len(tokens) - 1):
        if tokens[place].word in words.part_words and tokens[place + 1].key.isdecimal():
            return "".join(token.key for token in (*tokens[:place], tokens[place + 1]))
    return ""


def _without_article(text: str, tokens: Sequence[Token], words: Words) -> str:
    """The name without its article; "A.I." has none."""
    if len(tokens) > 1 and tokens[0].word in words.articles and text[tokens[0].end] != ".":
        return join_keys(tokens[1:])
    return ""


def _hero(tokens: Sequence[Token], words: Words) -> str:
    """What stands before "and the", when it is a name of several words: "Harry Potter and the Goblet of Fire"."""
    said = tuple(token.word for token in tokens)
    for joint in words.title_joints:
        for place in range(2, len(said) - len(joint)):
            if said[place : place + len(joint)] == joint and said[0] not in words.articles:
                return join_keys(tokens[:place])
    return ""


def _parts(text: str, tokens: Sequence[Token], words: Words) -> Iterator[tuple[str, NameKind]]:
    """What stands before and after a colon or dash, unless it says nothing ("The Movie", "Part II")."""
    cuts = [match.start() for match in _PARTS.finditer(text)]
    bounds = [0, *cuts, len(text)] if cuts else []
    for number, (start, end) in enumerate(itertools.pairwise(bounds)):
        piece = [token for token in tokens if start <= token.start < end]
        kind = NameKind.MAIN_PART if number == 0 else NameKind.SUBTITLE
        if all(token.word in words.common or token.key.isdecimal() for token in piece):
            continue
        for key in (join_keys(piece), join_keys(piece[1:]) if piece[0].word in words.articles else ""):
            if len(key) >= _SHORTEST_PART:
                yield key, kind


def _surname(tokens: Sequence[Token], words: Words) -> str:
    """The last word of a person's name with its particles: "van Beethoven", "Rowling"; nothing for a single name."""
    first = len(tokens) - 1
    while first > 1 and tokens[first - 1].word in words.particles:
        first -= 1
    surname = join_keys(tokens[first:])
    return surname if first > 0 and len(surname) >= _SHORTEST_SURNAME else ""
