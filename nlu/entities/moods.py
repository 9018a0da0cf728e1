"""Moods that a request may ask for ("lighter", "to make me cry") and ages: a domain file lists genres for each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from data.domains import DomainConfig, MoodConfig
from data.model import Constraint, Domain
from nlu.entities.ages import Age
from nlu.entities.message import Message, Segment
from nlu.entities.words import Phrase, Words, phrase

_GENRE = "P136"


@dataclass(frozen=True, slots=True)
class Wish:
    """A mood or an age that a message names.

    Attributes:
        span: its words, with those of degree before it: "less violent".
        constraint: on the genres that come closest.
        firm: whether words of degree make it a wish in any message: "too sad" is one, "sad" only in a request.
    """

    span: Segment
    constraint: Constraint
    firm: bool


class Moods:
    """Knows the moods of every domain."""

    def __init__(self, domains: Mapping[Domain, DomainConfig], words: Words) -> None:
        """Takes the domain files, and the words of degree."""
        self._words = words
        self._before = words.degrees | words.negations
        self._moods = {name: config.moods for name, config in domains.items()}
        self._known: dict[Domain, dict[Phrase, tuple[MoodConfig, bool]]] = {
            name: {
                phrase(word): (mood, firm)
                for mood in config.moods
                for by_language, firm in ((mood.words, False), (mood.more, True))
                for entries in by_language.values()
                for word in entries
            }
            for name, config in domains.items()
        }

    def read(self, message: Message, domain: Domain, taken: Sequence[Segment], ages: Sequence[Age]) -> Iterator[Wish]:
        """The moods and ages that a message names outside of `taken`.

        A word for whom something is for ("daughter") means the genres for an age that is told of.
        """
        suiting = [(one, mood) for one in ages if (mood := self._suiting(domain, one.years))]
        for age, mood in suiting:
            yield self._wish(message, age.span, mood, firm=False)
        for span, mood, firm in self._named(message, domain, [*taken, *(one.span for one in ages)]):
            if mood.ages is None or not ages:
                yield self._wish(message, span, mood, firm=firm)
            elif suiting:
                yield self._wish(message, span, suiting[0][1], firm=firm)

    def _suiting(self, domain: Domain, years: int) -> MoodConfig | None:
        """The mood of the domain whose genres suit an age."""
        fitting = (mood for mood in self._moods[domain] if mood.ages and mood.ages[0] <= years <= mood.ages[1])
        return next(fitting, None)

    def _named(
        self, message: Message, domain: Domain, taken: Sequence[Segment]
    ) -> Iterator[tuple[Segment, MoodConfig, bool]]:
        """The words for moods outside of `taken`, with whether they ask for more of one."""
        known = self._known[domain]
        longest = max(map(len, known), default=0)
        place = 0
        while place < len(message):
            lengths = range(min(longest, len(message) - place), 0, -1)
            length = next((size for size in lengths if message.phrase(place, place + size) in known), 0)
            span = Segment(place, place + length)
            if length and not any(span.overlaps(other) for other in taken):
                yield span, *known[message.phrase(place, place + length)]
            place += max(length, 1)

    def _wish(self, message: Message, span: Segment, mood: MoodConfig, *, firm: bool) -> Wish:
        first = span.first
        unwanted = False
        while (word := message.word(first - 1)) in self._before and not message.starts_sentence(first):
            unwanted = unwanted or word in self._words.less | self._words.negations
            firm = firm or word in self._words.less | self._words.more
            first -= 1
        text = message.surface(first, span.last)
        pid = _GENRE if mood.ages is None else "age"
        return Wish(
            Segment(first, span.last),
            Constraint(text, property=pid, values=mood.genres, negated=unwanted, loose=True),
            firm,
        )
