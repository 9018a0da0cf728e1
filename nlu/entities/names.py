"""The names under which an entity is found: its labels and aliases, and what people shorten them to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from data.model import Entity
from nlu.entities.folding import fold, tokenize
from nlu.entities.words import Words

PERSON_KINDS = frozenset({"person", "artist"})
_PARTS = re.compile(r"\s*(?::|\s[-–—]\s)\s*")
BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_SHORTEST_PART = 4


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
        words: articles that may be left out, and name particles that belong to a surname.
    """
    found: dict[str, NameKind] = {}
    for text, kind in _all_names(entity, words):
        key = fold(text)
        if key and kind <= found.get(key, kind):
            found[key] = kind
    return tuple(Name(key, kind) for key, kind in found.items())


def _all_names(entity: Entity, words: Words) -> Iterator[tuple[str, NameKind]]:
    for text, kind in _own_names(entity):
        plain = BRACKETS.sub("", text).strip() or text
        yield text, kind
        yield plain, kind
        yield _with_numbers(plain, words.digits), max(kind, NameKind.ALIAS)
        yield _with_numbers(plain, words.number_words), max(kind, NameKind.ALIAS)
        yield _without_article(plain, words), max(kind, NameKind.WITHOUT_ARTICLE)
        if entity.kind in PERSON_KINDS:
            if kind is NameKind.LABEL:
                yield _surname(plain, words), NameKind.SURNAME
            continue
        yield from _parts(plain, words)


def _own_names(entity: Entity) -> Iterator[tuple[str, NameKind]]:
    yield entity.label, NameKind.LABEL
    for alias in entity.aliases:
        yield alias, NameKind.ALIAS
    for label in entity.labels.values():
        yield label, NameKind.FOREIGN


def _with_numbers(text: str, replacements: Mapping[str, str]) -> str:
    """The text with number words as digits or the other way round: "12 Angry Men", "Twelve Angry Men"."""
    return " ".join(replacements.get(token.word, token.word) for token in tokenize(text))


def _without_article(text: str, words: Words) -> str:
    tokens = tokenize(text)
    if len(tokens) > 1 and tokens[0].word in words.articles and "." not in text[: tokens[1].start]:
        return text[tokens[1].start :]
    return text


def _parts(text: str, words: Words) -> Iterator[tuple[str, NameKind]]:
    """What stands before and after a colon or dash."""
    pieces = [piece for piece in _PARTS.split(text) if piece]
    if len(pieces) < 2:
        return
    for number, piece in enumerate(pieces):
        kind = NameKind.MAIN_PART if number == 0 else NameKind.SUBTITLE
        if len(piece) >= _SHORTEST_PART:
            yield piece, kind
            yield _without_article(piece, words), kind


def _surname(text: str, words: Words) -> str:
    """The last word of a person's name with its particles: "van Beethoven", "Rowling"; the name itself if single."""
    tokens = tokenize(text)
    first = len(tokens) - 1
    if first < 1:
        return text
    while first > 1 and tokens[first - 1].word in words.particles:
        first -= 1
    return text[tokens[first].start :]
