"""What a request asks for that nothing in the catalogue can tell, so that it can be named instead of dropped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nlu.entities.message import Message, Segment

_HOW_MANY = range(1, 21)
"""Numbers of items that somebody may ask for: "3 films" is no wish for "3"."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """Words of a wish that were not understood.

    Attributes:
        text: the user's words.
        firm: whether it is a wish in any message: "more complicated", "no remakes".
    """

    text: str
    firm: bool = False


def leftovers(message: Message, covered: Sequence[Segment], nouns: frozenset[str]) -> tuple[Leftover, ...]:
    """Wishes among the words that nothing else covers.

    They stand after words such as "with" and "about" ("with my kids"), before a noun for an item ("a low-budget film"),
    after "something" ("something uplifting"), are refused ("nothing with subtitles") or adjectives of degree ("slower",
    "too complicated").

    Args:
        message: the message.
        covered: stretches that were understood.
        nouns: words for items.
    """
    found: dict[Segment, bool] = {}
    for span, firm in _Reader(message, covered, nouns).wishes():
        if not any(span.overlaps(other) for other in found):
            found[span] = firm
    return tuple(
        Leftover(message.surface(span.first, span.last), firm)
        for span, firm in sorted(found.items(), key=lambda pair: pair[0].first)
    )


def untold(message: Message) -> tuple[Segment, ...]:
    """Places of fixed phrases for what the catalogue does not know: "black and white"; no name is looked for there."""
    return tuple(
        Segment(first, first + len(words))
        for words in sorted(message.words.untold)
        for first in range(len(message) - len(words) + 1)
        if message.phrase(first, first + len(words)) == words
    )


class _Reader:
    def __init__(self, message: Message, covered: Sequence[Segment], nouns: frozenset[str]) -> None:
        self._message = message
        self._words = message.words
        self._covered = covered
        self._nouns = nouns

    def wishes(self) -> Iterator[tuple[Segment, bool]]:
        """All of them, the surest first; they may overlap."""
        yield from self.phrases()
        yield from self.refused()
        yield from self.introduced()
        yield from self.before_nouns()
        yield from self.after_pronouns()
        yield from self.degrees()
        yield from self.names()

    def introduced(self) -> Iterator[tuple[Segment, bool]]:
        """After "with", "by", "about", "for", up to the next such word or the end of the clause."""
        message = self._message
        for place in range(len(message)):
            if message.word(place) not in self._words.attaching:
                continue
            last = self._end(place + 1)
            telling = [other for other in range(place + 1, last) if self._tells(other)]
            if telling and any(self._is_covered(other) for other in range(place + 1, last)):
                yield Segment(telling[0], telling[-1] + 1), False
            elif telling or self._by_somebody(place, last):
                yield Segment(place, last), False

    def phrases(self) -> Iterator[tuple[Segment, bool]]:
        """Fixed phrases: "black and white"."""
        yield from ((span, True) for span in untold(self._message))

    def refused(self) -> Iterator[tuple[Segment, bool]]:
        """What a whole message refuses: "nothing with subtitles", "no remakes"."""
        refuses = self._message.word(0) in self._words.refusals and not self._message.ends_clause(1)
        if not refuses or any(map(self._is_covered, range(len(self._message)))):
            return
        clause = self._message.clauses[0]
        telling = [place for place in range(1, clause.last) if self._tells(place)]
        if telling:
            yield Segment(0, telling[-1] + 1), True

    def before_nouns(self) -> Iterator[tuple[Segment, bool]]:
        """Right before a noun: "black and white film"."""
        for place in range(len(self._message)):
            if self._message.word(place) not in self._nouns:
                continue
            first = place
            while self._tells(first - 1) or (self._joins(first - 1) and self._tells(first - 2)):
                first -= 1
            if first < place:
                yield Segment(first, place), False

    def after_pronouns(self) -> Iterator[tuple[Segment, bool]]:
        """After "something" and the like."""
        for place in range(len(self._message)):
            if self._message.word(place) not in self._words.anything:
                continue
            last = place + 1
            while last < len(self._message) and self._tells(last):
                last += 1
            if last > place + 1:
                yield Segment(place + 1, last), False

    def degrees(self) -> Iterator[tuple[Segment, bool]]:
        """Adjectives of degree: "slower", "more complicated", and in a request "less sciency"."""
        for place in range(len(self._message)):
            if self._is_covered(place):
                continue
            if self._message.word(place) in self._words.comparatives:
                yield Segment(place, place + 1), True
            elif self._message.word(place) in self._words.qualities:
                first = place
                while self._message.word(first - 1) in self._words.degrees:
                    first -= 1
                if first < place:
                    yield Segment(first, place + 1), True
            elif self._message.word(place - 1) in self._words.more | self._words.less and self._tells(place):
                yield Segment(place - 1, place + 1), False

    def names(self) -> Iterator[tuple[Segment, bool]]:
        """Words with capitals where none are needed, for a name that nobody knows: "any Studio Zorblax"."""
        message, place = self._message, 1
        while place < len(message):
            first = place
            while self._tells(place) and message.tokens[place].capital and not message.mostly_capital:
                place += 1
            if place > first and not message.starts_sentence(first):
                yield Segment(first, place), False
            place = max(place, first + 1)

    def _end(self, place: int) -> int:
        """Where a wish that begins there ends; polite words at its end are no part of it."""
        message, first = self._message, place
        while place < len(message) and not (message.starts_sentence(place) or message.separated(place)):
            if message.word(place) in self._words.attaching | self._words.breaks:
                break
            place += 1
        while place > first and message.word(place - 1) in self._words.after_titles - self._nouns:
            place -= 1
        return place

    def _by_somebody(self, place: int, last: int) -> bool:
        """Whether people of a kind are asked for: "by a woman"."""
        words = self._words
        asked = self._message.word(place) in words.before_people and self._message.is_article(place + 1)
        return asked and self._message.word(place + 1) in words.indefinite and last > place + 2

    def _joins(self, place: int) -> bool:
        return self._message.word(place) in self._words.joins

    def _is_covered(self, place: int) -> bool:
        return any(span.first <= place < span.last for span in self._covered)

    def _tells(self, place: int) -> bool:
        """Whether the word there says something that was not understood."""
        if not 0 <= place < len(self._message) or self._is_covered(place):
            return False
        word = self._message.word(place)
        known = word in self._words.common or word in self._nouns or word in self._words.politeness
        known = known or (word.isdecimal() and int(word) in _HOW_MANY)
        return word in self._words.qualities or not (known or self._message.is_opinion(place))
