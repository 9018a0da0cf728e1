"""A message as the linker reads it: its words, what stands between them, and what each place says of them."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import OSA

from nlu.entities.folding import Token, join_keys, tokenize
from nlu.entities.vocabulary import uses
from nlu.entities.words import Phrase, Words

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|„([^“”]+)[“”]|(?<!\w)['‘]([^'’]+)['’](?!\w)|\*([^*]+)\*")
_SENTENCE_END = re.compile(r"[!?;\n…]|\.(?:\s|$)|\s[-–—]\s")
_YEAR = re.compile(r"(1[89]|20)\d\d$")
_SHORTEST_MISSPELT = 4
_APOSTROPHES = ("'", "’")
_LONGEST_CONTRACTION = 2
_COMMA = re.compile(r"[,/]")


@dataclass(frozen=True, slots=True)
class Segment:
    """Neighbouring words, from `first` up to but not including `last`."""

    first: int
    last: int

    def overlaps(self, other: "Segment") -> bool:
        """Whether both share a word."""
        return self.first < other.last and other.first < self.last


class Message:
    """One message with its tokens."""

    def __init__(self, text: str, words: Words) -> None:
        """Splits the text; `words` tells which of its words join and part clauses."""
        self.text = text
        self.words = words
        self.tokens: tuple[Token, ...] = tokenize(text)

    def __len__(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    def key(self, first: int, last: int) -> str:
        """The key of the words from `first` up to `last`."""
        return join_keys(self.tokens[first:last])

    def word(self, place: int) -> str:
        """The folded word at a place, "" outside the message."""
        return self.tokens[place].word if 0 <= place < len(self.tokens) else ""

    def phrase(self, first: int, last: int) -> Phrase:
        """The folded words from `first` up to `last`."""
        return tuple(token.word for token in self.tokens[max(first, 0) : last])

    def surface(self, first: int, last: int) -> str:
        """The user's own words."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def is_article(self, place: int) -> bool:
        """Whether the word there is an article; "i" and "la" are pronouns where a common word follows."""
        word = self.word(place)
        if word not in self.words.articles:
            return False
        return word not in self.words.pronouns or self.word(place + 1) not in self.words.common

    def crosses_sentences(self, segment: Segment) -> bool:
        """Whether a sentence ends within the words."""
        return any(self.starts_sentence(place) for place in range(segment.first + 1, segment.last))

    def is_contraction(self, place: int) -> bool:
        """Whether the word there is the rest of another, such as "m" in "I'm"."""
        return self.gap(place) in _APOSTROPHES and place > 0 and len(self.word(place)) <= _LONGEST_CONTRACTION

    def is_year(self, place: int) -> bool:
        """Whether the word there is a year of our times."""
        return bool(_YEAR.match(self.word(place)))

    def is_opinion(self, place: int) -> bool:
        """Whether the word there is one of taste, a typing error after "I" or "don't" forgiven."""
        word = self.word(place)
        if word in self.words.opinion:
            return (word,) not in self.words.seeds or not {*self.phrase(place - 2, place)} & self.words.wishes
        if (
            len(word) < _SHORTEST_MISSPELT
            or word in self.words.common
            or self.word(place - 1) not in self.words.verb_before
        ):
            return False
        return any(len(verb) >= _SHORTEST_MISSPELT and OSA.distance(word, verb) == 1 for verb in self.words.opinion)

    def leads(self, place: int) -> bool:
        """Whether the words up to and with that place are followed by names: "watched", "listen to", "fan of"."""
        return any(self.phrase(place + 1 - length, place + 1) in self.words.leads for length in (1, 2))

    def is_common(self, first: int, last: int) -> bool:
        """Whether every word there is one that by itself is no sign of a title."""
        return all(token.word in self.words.common or token.key.isdecimal() for token in self.tokens[first:last])

    def gap(self, place: int) -> str:
        """What stands between the word before and the word at a place."""
        start = self.tokens[place - 1].end if place > 0 else 0
        end = self.tokens[place].start if place < len(self.tokens) else len(self.text)
        return self.text[start:end]

    def separated(self, place: int) -> bool:
        """Whether a comma, a slash or a symbol such as an emoji stands before the word there."""
        gap = self.gap(place)
        return bool(_COMMA.search(gap)) or any(unicodedata.category(character) == "So" for character in gap)

    def starts_sentence(self, place: int) -> bool:
        """Whether the word there begins the message or a sentence."""
        return place == 0 or bool(_SENTENCE_END.search(self.gap(place)))

    def ends_clause(self, place: int) -> bool:
        """Whether a clause or sentence ends before the word at that place."""
        if place >= len(self.tokens) or _SENTENCE_END.search(self.gap(place)) or self.separated(place):
            return True
        return self.word(place) in self.words.breaks or self.word(place) in self.words.joins

    def is_everyday(self, place: int, *, least: float = 1.0) -> bool:
        """Whether a word used `least` times in a million stands there, without a capital but at a sentence's start."""
        token = self.tokens[place]
        plain = not token.capital or self.mostly_capital or self.starts_sentence(place)
        return plain and uses(token.word) >= least

    @cached_property
    def quoted(self) -> tuple[Segment, ...]:
        """Words in quotation marks, as segments."""
        return tuple(
            segment for match in _QUOTED.finditer(self.text) for segment in self.covering(match.start(), match.end())
        )

    def covering(self, start: int, end: int) -> Iterator[Segment]:
        """The segment of the words that lie within characters [start, end), if there are any."""
        places = [place for place, token in enumerate(self.tokens) if token.start >= start and token.end <= end]
        if places:
            yield Segment(places[0], places[-1] + 1)

    def occurrences(self, text: str) -> Iterator[Segment]:
        """Where the user's own words stand."""
        for match in re.finditer(re.escape(text), self.text):
            yield from self.covering(match.start(), match.end())

    def after_phrases(self, phrases: frozenset[Phrase]) -> frozenset[int]:
        """First characters of the words that stand right after one of the phrases, articles skipped."""
        found: set[int] = set()
        for place in range(1, len(self.tokens)):
            before = place
            while self.is_article(before - 1):
                before -= 1
            if any(self.phrase(before - len(words), before) == words for words in phrases if len(words) <= before):
                found.update(token.start for token in self.tokens[before : place + 1])
        return frozenset(found)

    @cached_property
    def mostly_capital(self) -> bool:
        """Whether capitals tell nothing, since most words have one."""
        letters = [token for token in self.tokens if token.word[0].isalpha()]
        return sum(token.capital for token in letters) > 0.7 * len(letters) and len(letters) > 2

    @cached_property
    def clauses(self) -> tuple[Segment, ...]:
        """Stretches between sentence ends and words such as "but"."""
        return tuple(self._split(self._parts_clauses, Segment(0, len(self.tokens))))

    def parts(self, segment: Segment) -> tuple[Segment, ...]:
        """A segment split at commas and at words such as "and"."""
        return tuple(self._split(self._parts_names, segment))

    def _parts_clauses(self, place: int) -> bool:
        return bool(_SENTENCE_END.search(self.gap(place))) or self.word(place) in self.words.breaks

    def _parts_names(self, place: int) -> bool:
        return self.separated(place) or self.word(place) in self.words.joins or self.word(place - 1) in self.words.joins

    def _split(self, parts: Callable[[int], bool], segment: Segment) -> Iterator[Segment]:
        first = segment.first
        for place in range(segment.first + 1, segment.last):
            if parts(place):
                yield Segment(first, place)
                first = place
        if first < segment.last:
            yield Segment(first, segment.last)

    def core(self, segment: Segment) -> Segment:
        """The segment without the words at its ends that by themselves are no part of a title."""
        first, last = segment.first, segment.last
        while first < last and (self.tokens[first].word in self.words.common or self.is_opinion(first)):
            first += 1
        while last > first and self.tokens[last - 1].word in self.words.common:
            last -= 1
        if last - first > 1 and self.is_year(last - 1):
            last -= 1
        if last - first > 1 and self.is_year(first):
            first += 1
        return Segment(first, last)
