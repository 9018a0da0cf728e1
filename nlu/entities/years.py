"""Years in a message: decades, bounds, ranges, "newer", and the year that tells one title from another."""

import re
from collections.abc import Iterator, Sequence

from nlu.entities.message import Message, Segment
from nlu.entities.words import YearPhrase

Bounds = tuple[int | None, int | None]
"""Least and greatest year, each None when open."""

_YEAR = re.compile(r"(1[5-9]|20)\d\d$")
_DECADE = re.compile(r"((?:1[5-9]|20)?)(\d0)s?$")
_FIRST_DECADE_OF_THE_LAST_CENTURY = 30


def year_at(message: Message, place: int) -> int | None:
    """The year that the word at a place is, if it is one."""
    word = message.word(place)
    return int(word) if _YEAR.match(word) else None


def year_beside(message: Message, segment: Segment) -> int | None:
    """The year that stands directly before or after a name: "the 1982 The Thing", "Halloween (1978)"."""
    words = message.words
    after = segment.last
    if message.word(after) in words.year_links:
        after += 1
    before = segment.first - 1
    if message.word(before) in words.articles:
        before -= 1
    return year_at(message, segment.last) or year_at(message, after) or year_at(message, before)


def year_ranges(
    message: Message, taken: Sequence[Segment], dated: Sequence[Segment], this_year: int, shown_year: int | None
) -> Iterator[tuple[Segment, Bounds]]:
    """Stretches that put bounds on the year.

    Args:
        message: the message.
        taken: the mentions; years in them are names.
        dated: those of items; a year beside one tells it from others of its name.
        this_year: the present one.
        shown_year: that of the item on show.

    Yields:
        Stretches with their bounds.
    """
    place = 0
    while place < len(message):
        if any(segment.first <= place < segment.last for segment in taken):
            place += 1
            continue
        found = (
            _decade(message, place)
            or _bounded(message, place, dated)
            or _relative(message, place, this_year, shown_year)
            or _latest(message, place, this_year)
        )
        if found is None or any(found[0].overlaps(segment) for segment in taken):
            place += 1
            continue
        yield found
        place = found[0].last


def _decade(message: Message, place: int) -> tuple[Segment, Bounds] | None:
    words = message.words
    for length in (4, 3, 2, 1):
        start = words.decades.get(" ".join(message.phrase(place, place + length)))
        if start is not None and place + length <= len(message):
            return _introduced(message, place, place + length), (start, start + 9)
    last = place + 1
    number = message.word(place)
    if number in words.decade_nouns and len(number) > 1:
        number, last = message.word(place + 1), place + 2
    elif message.word(place + 1) == "s" and not message.gap(place + 1).isspace():
        last = place + 2
    elif not number.endswith("s"):
        return None
    match = _DECADE.match(number)
    if match is None:
        return None
    century, years = match.groups()
    start = int(century + years) if century else _century(int(years)) + int(years)
    return _introduced(message, place, last), (start, start + 9)


def _century(years: int) -> int:
    return 1900 if years >= _FIRST_DECADE_OF_THE_LAST_CENTURY else 2000


def _introduced(message: Message, first: int, last: int) -> Segment:
    """The stretch with the words that introduce it: "from the nineties"."""
    while first > 0 and message.word(first - 1) in message.words.articles:
        first -= 1
    if message.word(first - 1) in message.words.after | message.words.in_language:
        first -= 1
    return Segment(max(first, 0), last)


def _bounded(message: Message, place: int, dated: Sequence[Segment]) -> tuple[Segment, Bounds] | None:
    """A year and what bounds it: "before 2000", "between 1990 and 1999", "in 1994"."""
    words = message.words
    year = year_at(message, place)
    if year is None or any(year_beside(message, segment) == year for segment in dated):
        return None
    second = year_at(message, place + 2)
    before = message.word(place - 1)
    if second is not None and (before in words.between or message.word(place + 1) in words.joins | words.leads):
        first = place - 1 if before in words.between else place
        return Segment(max(first, 0), place + 3), (min(year, second), max(year, second))
    start = place - 1
    while start > 0 and message.word(start) in words.articles | words.comparing:
        start -= 1
    lead = message.word(start)
    if lead in words.before:
        return Segment(start, place + 1), (None, year - 1)
    if lead in words.after and lead not in words.between:
        return Segment(start, place + 1), (year, None)
    return _introduced(message, place, place + 1), (year, year)


def _relative(message: Message, place: int, this_year: int, shown_year: int | None) -> tuple[Segment, Bounds] | None:
    for length in (4, 3, 2, 1):
        bound = message.words.recency.get(message.phrase(place, place + length))
        last = place + length
        absolute = message.word(last) in message.words.comparing and year_at(message, last + 1) is not None
        if bound is not None and last <= len(message) and not absolute:
            return Segment(place, last), _bounds(bound, this_year, shown_year)
    return None


def _latest(message: Message, place: int, this_year: int) -> tuple[Segment, Bounds] | None:
    """Years up to the present one: "this year", "the last five years", "the past couple of decades"."""
    words = message.words
    lead, last = message.word(place), place + 1
    if lead not in words.present | words.past:
        return None
    count = 1
    for length in (2, 1):
        number = words.counts.get(" ".join(message.phrase(last, last + length)))
        if number is not None:
            count, last = number, last + length
            break
    else:
        if message.word(last).isdecimal():
            count, last = int(message.word(last)), last + 1
    unit = words.units_of_years.get(message.word(last))
    if unit is None:
        return None
    least = this_year - this_year % unit if lead in words.present else this_year - unit * count
    return _introduced(message, place, last + 1), (least, None)


def _bounds(bound: YearPhrase, this_year: int, shown_year: int | None) -> Bounds:
    if bound.than_shown == "newer":
        return (shown_year + 1 if shown_year else this_year - 10), None
    if bound.than_shown == "older":
        return None, (shown_year - 1 if shown_year else this_year - 30)
    least = this_year - bound.at_most_years_ago if bound.at_most_years_ago is not None else None
    greatest = this_year - bound.at_least_years_ago if bound.at_least_years_ago is not None else None
    return least, greatest
