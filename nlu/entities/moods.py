"""Moods that a request may ask for ("lighter", "to make me cry"): each stands for genres that the domain file lists."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from data.domains import DomainConfig
from data.model import Constraint, Domain, Qid
from nlu.entities.message import Message, Segment
from nlu.entities.words import Phrase, Words, phrase

_GENRE = "P136"


@dataclass(frozen=True, slots=True)
class Wish:
    """A mood that a message names.

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
        self._known: dict[Domain, dict[Phrase, tuple[tuple[Qid, ...], bool]]] = {
            name: {
                phrase(word): (mood.genres, firm)
                for mood in config.moods
                for by_language, firm in ((mood.words, False), (mood.more, True))
                for entries in by_language.values()
                for word in entries
            }
            for name, config in domains.items()
        }

    def read(self, message: Message, domain: Domain, taken: Sequence[Segment]) -> Iterator[Wish]:
        """The moods that a message names outside of `taken`, in order."""
        known = self._known[domain]
        longest = max(map(len, known), default=0)
        place = 0
        while place < len(message):
            lengths = range(min(longest, len(message) - place), 0, -1)
            length = next((size for size in lengths if message.phrase(place, place + size) in known), 0)
            span = Segment(place, place + length)
            if length and not any(span.overlaps(other) for other in taken):
                yield self._wish(message, span, *known[message.phrase(place, place + length)])
            place += max(length, 1)

    def _wish(self, message: Message, span: Segment, genres: tuple[Qid, ...], firm: bool) -> Wish:
        first = span.first
        unwanted = False
        while (word := message.word(first - 1)) in self._before and not message.starts_sentence(first):
            unwanted = unwanted or word in self._words.less | self._words.negations
            firm = firm or word in self._words.less | self._words.more
            first -= 1
        text = message.surface(first, span.last)
        return Wish(
            Segment(first, span.last),
            Constraint(text, property=_GENRE, values=genres, negated=unwanted, loose=True),
            firm,
        )
