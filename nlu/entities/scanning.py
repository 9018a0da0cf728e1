"""Finds the stretches of a message that name entities: exactly, with typing errors, or in part."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from nlu.entities.index import AliasIndex, Posting
from nlu.entities.message import Message, Segment
from nlu.entities.names import NameKind

_LONGEST_NAME = 16
_LONGEST_MESSAGE = 400
_SENTENCE_TITLE = 4
_SHORT_KEY = 2
_SHORTEST_PARTIAL = 8
_PARTIAL_SIMILARITY = 0.7
_FEWEST_WORDS_ANYWHERE = 2


@dataclass(frozen=True, slots=True)
class Found:
    """Words that may name entities.

    Attributes:
        first: place of the first word.
        last: place after the last word.
        postings: the entities, under the name that the words resemble.
        similarity: 1 for the very name, less with typing errors or for a part of it.
    """

    first: int
    last: int
    postings: tuple[Posting, ...]
    similarity: float = 1.0

    def overlaps(self, other: "Found | Segment") -> bool:
        """Whether both share a word."""
        return self.first < other.last and other.first < self.last


class Scanner:
    """Reads messages with the help of an index."""

    def __init__(self, index: AliasIndex, nouns: frozenset[str]) -> None:
        """Takes the index and the words for items ("film", "songs"), folded."""
        self._index = index
        self._nouns = nouns

    def scan(self, message: Message, *, item_shown: bool) -> tuple[tuple[Found, ...], tuple[Segment, ...]]:
        """What the message names, in order, and the stretches that look like a name that the index lacks."""
        if message.phrase(0, len(message)) in message.words.small_talk:
            return (), ()
        exact = [found for found in self._exact(message) if self._supported(message, found, item_shown)]
        chosen = _longest(message, exact)
        unknown: list[Segment] = []
        for segment in self._slots(message):
            similar = self._similar(message, segment, chosen)
            if similar is not None:
                chosen = [found for found in chosen if not found.overlaps(similar)] + [similar]
            elif not any(found.overlaps(segment) for found in chosen):
                unknown.append(segment)
        return tuple(sorted(chosen, key=lambda found: found.first)), tuple(unknown)

    def _exact(self, message: Message) -> Iterator[Found]:
        count = min(len(message), _LONGEST_MESSAGE)
        for first in range(count):
            for last in range(first + 1, min(first + _LONGEST_NAME, count) + 1):
                postings = self._index.exact(message.key(first, last))
                if postings:
                    yield Found(first, last, postings)

    def _supported(self, message: Message, found: Found, item_shown: bool) -> bool:
        """Whether the sentence supports that these words are a name."""
        words = [message.word(place) for place in range(found.first, found.last)]
        content = [word for word in words if word not in message.words.common and not word.isdecimal()]
        own_name = any(posting.kind <= NameKind.FOREIGN for posting in found.postings)
        if len(content) >= _FEWEST_WORDS_ANYWHERE or (len(words) >= _SENTENCE_TITLE and own_name):
            return True
        if self._marked(message, found):
            return True
        if all(word in message.words.pronouns for word in words):
            return not item_shown and self._capital(message, found)
        if content and len(message.key(found.first, found.last)) > _SHORT_KEY:
            return self._introduced(message, found) or self._capital(message, found)
        return self._fills_slot(message, found)

    def _marked(self, message: Message, found: Found) -> bool:
        """In quotes, or beside a word such as "film"."""
        if any(mark.first == found.first and mark.last == found.last for mark in message.quoted):
            return True
        if all(message.word(place) in self._nouns for place in range(found.first, found.last)):
            return False
        return self._noun_before(message, found.first) and message.ends_clause(found.last)

    def _noun_before(self, message: Message, place: int) -> bool:
        before = message.word(place - 1)
        return (before in self._nouns or before in message.words.role_words) and not message.starts_sentence(place)

    def _capital(self, message: Message, found: Found) -> bool:
        """Written with capitals where none is needed."""
        if message.mostly_capital or message.starts_sentence(found.first):
            return False
        return (
            all(
                token.capital or token.word in message.words.common
                for token in message.tokens[found.first : found.last]
            )
            and message.tokens[found.first].capital
        )

    def _introduced(self, message: Message, found: Found) -> bool:
        """After a word that names follow, in a list of names, or alone in its clause."""
        words = message.words
        before = self._before(message, found.first)
        if before < 0 or message.starts_sentence(before + 1):
            return self._clause_end(message, found.last)
        word = message.word(before)
        if word in words.joins or message.ends_clause(before + 1):
            return self._clause_end(message, found.last)
        return word in words.opinion or word in words.leads or word in words.about

    def _fills_slot(self, message: Message, found: Found) -> bool:
        """The whole object of a verb of taste, or the whole message."""
        if found.first == 0 and found.last == len(message):
            return True
        before = self._before(message, found.first)
        word = message.word(before)
        follows = word in message.words.opinion or (
            before > 0 and (word in message.words.joins or message.ends_clause(before + 1))
        )
        return follows and self._clause_end(message, found.last)

    def _before(self, message: Message, place: int) -> int:
        """The place of the word before, articles and words such as "film" skipped."""
        place -= 1
        skipped = message.words.articles | self._nouns | message.words.role_words | message.words.demonstratives
        while place >= 0 and message.word(place) in skipped and message.word(place) not in message.words.joins:
            place -= 1
        return place

    def _clause_end(self, message: Message, place: int) -> bool:
        """Whether nothing but common words follows in the clause."""
        while not message.ends_clause(place):
            if message.word(place) not in message.words.common:
                return False
            place += 1
        return True

    def _slots(self, message: Message) -> Iterator[Segment]:
        """Stretches with content words, where a name is expected."""
        for clause in message.clauses:
            expected = clause.first == 0 and clause.last == len(message)
            for part in (clause, *message.parts(clause)):
                core = message.core(part)
                lead = {message.word(place) for place in range(clause.first, core.first)}
                words = message.words
                wanted = bool(lead & (words.opinion | words.leads | words.about)) or not lead or expected
                if core.first < core.last and wanted:
                    yield core

    def _similar(self, message: Message, segment: Segment, chosen: Iterable[Found]) -> Found | None:
        """A name that the segment resembles more than what was found in it."""
        inside = [found for found in chosen if found.overlaps(segment)]
        covered = sum(
            len(message.key(max(found.first, segment.first), min(found.last, segment.last))) for found in inside
        )
        key = message.key(segment.first, segment.last)
        rest = [
            place
            for place in range(segment.first, segment.last)
            if message.word(place) not in message.words.common
            and not any(found.first <= place < found.last for found in inside)
        ]
        if not rest or (covered and len(key) - covered <= _SHORT_KEY):
            return None
        return self._resembling(key, segment) or (None if inside else self._partial(key, segment))

    def _resembling(self, key: str, segment: Segment) -> Found | None:
        postings: dict[str, Posting] = {}
        best = 0.0
        for similar in self._index.similar(key):
            if similar.similarity < best - 0.08 or _digits(similar.key) != _digits(key):
                continue
            best = max(best, similar.similarity)
            for posting in self._index.exact(similar.key):
                postings.setdefault(posting.qid, posting)
        if not postings:
            return None
        return Found(segment.first, segment.last, tuple(postings.values()), best)

    def _partial(self, key: str, segment: Segment) -> Found | None:
        """Names that hold the key as a part, such as "goblet of fire"."""
        if len(key) < _SHORTEST_PARTIAL:
            return None
        postings: dict[str, Posting] = {}
        for match in self._index.holding(key):
            for posting in self._index.exact(match):
                postings.setdefault(posting.qid, replace(posting, kind=max(posting.kind, NameKind.SUBTITLE)))
        if not postings:
            return None
        return Found(segment.first, segment.last, tuple(postings.values()), _PARTIAL_SIMILARITY)


def _longest(message: Message, found: Iterable[Found]) -> list[Found]:
    """Stretches that do not overlap, longer ones first."""
    chosen: list[Found] = []
    for candidate in sorted(found, key=lambda one: -len(message.key(one.first, one.last))):
        if not any(candidate.overlaps(other) for other in chosen):
            chosen.append(candidate)
    return chosen


def _digits(key: str) -> list[str]:
    return sorted(character for character in key if character.isdecimal())
