"""The age of whom something is for: "my 8 year old daughter", "a twelve-year-old", "per un bambino di 6 anni"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nlu.entities.message import Message, Segment

_LONGEST_UNIT = 3
_OLDEST = 120


@dataclass(frozen=True, slots=True)
class Age:
    """An age that a message tells.

    Attributes:
        span: its words, with the word for the person beside it: "8 year old daughter", "figlia di 8 anni".
        years: the age; the youngest of "8 to 10".
    """

    span: Segment
    years: int


def ages(message: Message, taken: Sequence[Segment], nouns: frozenset[str]) -> tuple[Age, ...]:
    """The ages of people, in order; that of an item ("a 20 year old film") is none.

    Args:
        message: the message.
        taken: stretches that name something.
        nouns: words for items.
    """
    reader = _Reader(message, taken, nouns)
    found: list[Age] = []
    for age in reader.read():
        if not any(age.span.overlaps(other) for other in (*taken, *(one.span for one in found))):
            found.append(age)
    return tuple(found)


class _Reader:
    def __init__(self, message: Message, taken: Sequence[Segment], nouns: frozenset[str]) -> None:
        self._message = message
        self._words = message.words
        self._taken = taken
        self._nouns = nouns

    def read(self) -> Iterator[Age]:
        for place in range(len(self._message)):
            years = self._number(place)
            last = self._end(place) if years is not None else None
            if years is None or last is None:
                continue
            first, youngest = self._range(place, years)
            told, first = first, first - (self._message.word(first - 1) in self._words.age_leads)
            before = self._introduced(first)
            if self._of_an_item(before, last):
                continue
            if before < told and self._is_person(before - 1):
                yield Age(Segment(before - 1, last), youngest)
            else:
                joined = self._is_person(last) and not self._message.ends_clause(last)
                yield Age(Segment(first, last + joined), youngest)

    def _number(self, place: int) -> int | None:
        word = self._message.word(place)
        digits = next((word.removesuffix(unit) for unit in self._units_written_on(word)), word)
        years = int(digits) if digits.isdecimal() else self._words.spelled_ages.get(word)
        return years if years is not None and years <= _OLDEST else None

    def _units_written_on(self, word: str) -> Iterator[str]:
        """The unit of "8yo"."""
        units = (unit[0] for unit in self._words.age_units if len(unit) == 1)
        return (unit for unit in units if word.endswith(unit) and word.removesuffix(unit).isdecimal())

    def _end(self, place: int) -> int | None:
        """Where the words of an age end that has its number there; None when it is no age."""
        message = self._message
        for length in range(_LONGEST_UNIT, 0, -1):
            unit = message.phrase(place + 1, place + 1 + length)
            if len(unit) == length and unit in self._words.age_units:
                return place + 1 + length
        written_on = any(self._units_written_on(message.word(place)))
        return place + 1 if written_on or message.word(place - 1) in self._words.age_leads else None

    def _range(self, place: int, years: int) -> tuple[int, int]:
        """Where "8-10" or "8 or 9" begins, and the lower number."""
        message = self._message
        between = message.word(place - 1) in self._words.joins | self._words.range_links
        other = place - 2 if between else place - 1
        lower = self._number(other)
        if lower is None or not (between or message.gap(place).strip() in {"-", "–"}):
            return place, years
        return other, min(lower, years)

    def _introduced(self, place: int) -> int:
        """Where the words begin that join an age to a person: "who is", "di", "over"."""
        words = self._words
        joining = words.age_links | words.age_leads | words.bound_leads | words.comparing | words.under | words.over
        while self._message.word(place - 1) in joining and not self._message.starts_sentence(place):
            place -= 1
        return place

    def _of_an_item(self, first: int, last: int) -> bool:
        """Whether it tells how old an item is, or when something was: "a 20 year old film", "di 8 anni fa"."""
        words = self._words
        after = self._nouns | words.role_words | words.no_ages
        before = self._nouns | words.anything | words.no_ages
        return self._message.word(last) in after or self._message.word(first - 1) in before

    def _is_person(self, place: int) -> bool:
        """Whether the word there tells something that is not understood otherwise, as "niece" does."""
        if not 0 <= place < len(self._message) or any(one.first <= place < one.last for one in self._taken):
            return False
        known = self._message.word(place) in self._words.common | self._nouns | self._words.politeness
        return not (known or self._message.is_opinion(place) or self._message.word(place).isdecimal())
