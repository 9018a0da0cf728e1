"""Words that point to the item on show, or to one of its properties without naming a value."""

from collections.abc import Iterator, Mapping

from data.domains import DomainConfig
from data.model import Domain, PropertyId
from nlu.entities.message import Message, Segment
from nlu.entities.names import PLACE_KINDS
from nlu.entities.words import Phrase, Words, phrase
from nlu.model import Reference


class References:
    """Knows the nouns of the domains and the names of their properties."""

    def __init__(self, domains: Mapping[Domain, DomainConfig], words: Words) -> None:
        """Takes the domain files and the word lists."""
        self._words = words
        self._nouns = {name: _phrases(config.nouns) for name, config in domains.items()}
        self._verbs = {name: _phrases(config.verbs) for name, config in domains.items()}
        self._properties = {name: _property_phrases(config) for name, config in domains.items()}
        self._roles = {
            name: {words: pid for words, pid in self._properties[name].items() if config.properties[pid].role}
            for name, config in domains.items()
        }
        self.nouns = frozenset(noun[0] for nouns in self._nouns.values() for noun in nouns if len(noun) == 1)

    def item(self, message: Message, taken: tuple[Segment, ...], titles: tuple[Segment, ...] = ()) -> Reference | None:
        """The first words that point to the item on show: "it", "this movie"; "it" after a title means the title."""
        for place in range(len(message)):
            word = message.word(place)
            if word not in self._words.item_pronouns or _inside(taken, place, place + 1):
                continue
            last = place + 1
            if word in self._words.demonstratives and message.word(last) in self.nouns:
                last += 1
            elif message.word(place - 1) in self._words.speech or any(title.last <= place for title in titles):
                continue
            elif word in self._words.demonstratives and message.word(last) in self._words.measures:
                continue  # "I don't like jazz that much"
            return _reference(message, place, last)
        return None

    def person(self, message: Message) -> Segment | None:
        """The first pronoun for a person after a verb of taste: "I like her too"; "Her" with a capital is a title."""
        for place in range(1, len(message)):
            pronoun = message.word(place) in self._words.person_pronouns and not message.tokens[place].capital
            if pronoun and message.is_opinion(place - 1) and message.word(place + 1) not in self.nouns:
                return Segment(place, place + 1)
        return None

    def properties(self, message: Message, domain: Domain, taken: tuple[Segment, ...]) -> tuple[Reference, ...]:
        """Properties named after an article or possessive, without a value: "the director", "its actors"."""
        found: list[Reference] = []
        end = 0
        for first, last, pid in self._spans(message, self._properties[domain]):
            bare = message.word(first - 1) in self._words.determiners and not _inside(taken, first, last)
            beside = any(segment.first == last or segment.last == first for segment in taken)
            if bare and first >= end and not beside:
                found.append(_reference(message, first, last, pid))
                end = last
        return tuple(found)

    def role(self, message: Message, span: Segment, domain: Domain) -> PropertyId | None:
        """The role that words beside a person's name give: "the actor X", "X as director", "X the singer"."""
        for first, last, pid in self._spans(message, self._roles[domain]):
            if last == span.first:
                return pid
            between = message.phrase(span.last, first)
            if first >= span.last and all(word in self._words.role_links for word in between):
                return pid
        return None

    def role_at(self, message: Message, place: int, domain: Domain) -> PropertyId | None:
        """The role that the words from a place on name."""
        return next((pid for first, _, pid in self._spans(message, self._roles[domain]) if first == place), None)

    def span_at(self, message: Message, place: int, domain: Domain) -> tuple[int, PropertyId] | None:
        """The property whose name begins at a place, with the place after it."""
        spans = self._spans(message, self._properties[domain])
        return next(((last, pid) for first, last, pid in spans if first == place), None)

    def kinds_beside(self, message: Message, span: Segment) -> frozenset[str]:
        """Kinds that a noun beside a name gives: "the film It", "Queen the band", "the Harry Potter saga"."""
        words = self._words
        before = message.word(span.first - 1)
        leads = (message.phrase(span.first - length, span.first) for length in (1, 2, 3))
        if not {*leads}.isdisjoint(words.place_leads):
            return PLACE_KINDS
        if before in words.noun_kinds and not message.starts_sentence(span.first):
            return frozenset(words.noun_kinds[before])
        if message.word(span.last) in words.articles and message.word(span.last + 1) in words.noun_kinds:
            return frozenset(words.noun_kinds[message.word(span.last + 1)])
        return frozenset()

    def is_example(self, message: Message, place: int) -> bool:
        """Whether a name there is an example ("something like Queen"), not the object of "I like"."""
        words = self._words
        while message.is_article(place - 1) or message.word(place - 1) in self.nouns:
            place -= 1
        for seed in words.seeds:
            start = place - len(seed)
            if start >= 0 and message.phrase(start, place) == seed:
                verb = len(seed) == 1 and seed[0] in words.opinion
                return not (verb and (start == 0 or message.word(start - 1) in words.verb_before))
        return False

    def property_of(self, message: Message, last: int, domain: Domain) -> tuple[int, PropertyId] | None:
        """The property whose name ends right before a place: "directed by", "starring"; with its own first place."""
        for first, end, pid in self._spans(message, self._properties[domain]):
            if end == last:
                return first, pid
        return None

    def domain(self, message: Message, taken: tuple[Segment, ...], current: Domain) -> Domain | None:
        """The domain that a noun names ("any good novel"), or else a verb; None when none or several do.

        Of several nouns, those that only introduce a condition do not count: "a film based on a book".
        """
        for phrases in (self._nouns, self._verbs):
            named = self._named(phrases, message, taken, current)
            if len(named) > 1:
                named = self._named(phrases, message, (*taken, *self._within_conditions(message)), current)
            if named:
                return named.pop() if len(named) == 1 else None
        return None

    def _within_conditions(self, message: Message) -> Iterator[Segment]:
        """Nouns for items right after words such as "based on" or "about"."""
        for place in range(1, len(message)):
            before = place
            while message.is_article(before - 1):
                before -= 1
            about = message.word(before - 1) in self._words.by
            if about or any(self.property_of(message, before, domain) for domain in self._properties):
                yield Segment(place, place + 1)

    @staticmethod
    def _named(
        phrases: Mapping[Domain, frozenset[Phrase]], message: Message, taken: tuple[Segment, ...], current: Domain
    ) -> set[Domain]:
        """The domains of the words that belong to one; one of several domains goes to the one in force."""
        places = (place for place in range(len(message)) if not _inside(taken, place, place + 1))
        owners = ([name for name, words in phrases.items() if (message.word(place),) in words] for place in places)
        return {current if current in found else found[0] for found in owners if found}

    def _spans(self, message: Message, phrases: Mapping[Phrase, PropertyId]) -> Iterator[tuple[int, int, PropertyId]]:
        """Places of the phrases, longest first at each place."""
        longest = max(map(len, phrases), default=0)
        for first in range(len(message)):
            for length in range(longest, 0, -1):
                pid = phrases.get(message.phrase(first, first + length))
                if pid is not None and first + length <= len(message):
                    yield first, first + length, pid
                    break


def _phrases(by_language: Mapping[str, tuple[str, ...]]) -> frozenset[Phrase]:
    return frozenset(phrase(entry) for entries in by_language.values() for entry in entries)


def _property_phrases(config: DomainConfig) -> dict[Phrase, PropertyId]:
    """Names of the domain's properties; an earlier property keeps a name that two have."""
    found: dict[Phrase, PropertyId] = {}
    for pid, known in config.properties.items():
        for label in known.labels.values():
            found.setdefault(phrase(label), pid)
    for pid, known in config.properties.items():
        for aliases in known.aliases.values():
            for alias in aliases:
                found.setdefault(phrase(alias), pid)
    return found


def _inside(taken: tuple[Segment, ...], first: int, last: int) -> bool:
    return any(segment.first < last and first < segment.last for segment in taken)


def _reference(message: Message, first: int, last: int, pid: PropertyId | None = None) -> Reference:
    start, end = message.tokens[first].start, message.tokens[last - 1].end
    return Reference(start, end, message.text[start:end], property=pid)
