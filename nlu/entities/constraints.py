"""The conditions of a request: years, length, people, genres, countries, languages, each with its negation."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.model import UNKNOWN_VALUE, Constraint, Domain, Entity, PropertyId, Qid
from nlu.entities.message import Message, Segment
from nlu.entities.names import PERSON_KINDS
from nlu.entities.references import References
from nlu.entities.sameness import same
from nlu.entities.years import year_ranges

_NATIONALITY = "P27"
_ORIGIN = "P495"
_RUNTIME = "P2047"
_SHORT_MINUTES = 100
_LONG_MINUTES = 140
_REACH_OF_NEGATION = 5


@dataclass(frozen=True, slots=True)
class Named:
    """A mention as the constraints see it: its place and the entity it most probably means."""

    segment: Segment
    qid: Qid


class Constraints:
    """Reads conditions from a message whose mentions are known."""

    def __init__(
        self,
        catalogue: Catalogue,
        domains: Mapping[Domain, DomainConfig],
        references: References,
        this_year: Callable[[], int],
    ) -> None:
        """Takes the catalogue for roles and nationalities, and the present year."""
        self._catalogue = catalogue
        self._domains = domains
        self._references = references
        self._this_year = this_year

    def read(
        self,
        message: Message,
        named: Sequence[Named],
        domain: Domain,
        shown: Entity | None,
        apart: Sequence[Segment] = (),
    ) -> tuple[Constraint, ...]:
        """All conditions outside of `apart`, in the order of the text."""
        taken = [*(one.segment for one in named), *apart]
        dated = [one.segment for one in named if self._is_item(one.qid)]
        found: list[tuple[int, Constraint]] = []
        items = [one for one in named if self._is_item(one.qid)]
        examples = [one for one in items if self._references.is_example(message, one.segment.first)]
        compared = next((self._catalogue.get(one.qid) for one in examples), shown)
        year = compared.year if compared else None
        for segment, bounds in year_ranges(message, taken, dated, self._this_year(), year):
            found.append((segment.first, self._ranged(message, segment, "year", *bounds)))
        found.extend(self._runtimes(message, taken, shown))
        found.extend(self._unknown(message, taken, domain))
        found.extend(self._same(message, shown, domain))
        previous: tuple[Segment, Constraint] | None = None
        for one in named:
            constraint = self._value(message, one, domain)
            if constraint is None:
                continue
            if previous is not None and previous[1].negated and self._coordinated(message, previous[0], one.segment):
                constraint = replace(constraint, negated=True)
            previous = (one.segment, constraint)
            found.append((one.segment.first, constraint))
        return tuple(constraint for _, constraint in sorted(found, key=lambda pair: pair[0]))

    def _is_item(self, qid: Qid) -> bool:
        entity = self._catalogue.get(qid)
        return entity is not None and entity.is_item

    def _ranged(
        self,
        message: Message,
        segment: Segment,
        property_: Literal["year", "runtime"],
        minimum: int | None,
        maximum: int | None,
    ) -> Constraint:
        negation = self._negation(message, segment.first)
        first = segment.first if negation is None else negation
        return Constraint(
            text=message.surface(first, segment.last),
            property=property_,
            minimum=minimum,
            maximum=maximum,
            negated=negation is not None,
        )

    def _runtimes(
        self, message: Message, taken: Sequence[Segment], shown: Entity | None
    ) -> Iterator[tuple[int, Constraint]]:
        length = _minutes(shown)
        bounds = {
            "shorter": (None, length - 1 if length else _SHORT_MINUTES),
            "longer": (length + 1 if length else _LONG_MINUTES, None),
            "short": (None, _SHORT_MINUTES),
            "long": (_LONG_MINUTES, None),
        }
        lengths = ((segment, which) for segment, which in _phrases(message, message.words.runtime, taken) if which)
        for segment, which in lengths:
            yield segment.first, self._ranged(message, segment, "runtime", *bounds[which])
        for segment, minutes in _durations(message, taken):
            over = any(word in message.words.over for word in message.phrase(segment.first, segment.last))
            yield (
                segment.first,
                self._ranged(message, segment, "runtime", minutes if over else None, None if over else minutes),
            )

    def _same(self, message: Message, shown: Entity | None, domain: Domain) -> Iterator[tuple[int, Constraint]]:
        """What the item on show has and another one shall have too, or shall not."""
        for segment, pid in same(message, shown, self._references, domain):
            text = message.surface(segment.first, segment.last)
            constraint = Constraint(text, property=pid, values=shown.relations[pid] if shown else ())
            yield segment.first, self._with_negation(message, segment.first, constraint, segment.last)

    def kind(self, message: Message, named: Sequence[Named], domain: Domain) -> Constraint | None:
        """The kind of item that a request asks for: the first word for one ("song") that points to nothing on show."""
        languages = self._domains[domain].kind_words.values()
        words = {word: kinds for by_word in languages for word, kinds in by_word.items()}
        for place in range(len(message)):
            kinds = words.get(message.word(place))
            pointed = message.word(place - 1) in message.words.demonstratives
            inside = any(one.segment.first <= place < one.segment.last for one in named)
            if kinds and not pointed and not inside:
                constraint = Constraint(message.surface(place, place + 1), property="kind", values=kinds)
                return self._with_negation(message, place, constraint, place + 1)
        return None

    def _value(self, message: Message, named: Named, domain: Domain) -> Constraint | None:
        """A person, genre, country or other value that was named as a condition."""
        entity = self._catalogue.get(named.qid)
        if entity is None or self._references.is_example(message, named.segment.first):
            return None
        if entity.kind == "country":
            people = self._compatriots(message, named, domain)
            if people is not None:
                return people
        roles = self._filterable(named.qid, domain)
        if not roles:
            return None if entity.domain == domain else self._out_of_place(message, named.segment, domain)
        first, pid = self._introduction(message, named.segment.first, domain, roles)
        beside_noun = message.word(named.segment.last) in self._references.nouns
        if first == named.segment.first and entity.domain == domain and not beside_noun:
            return None
        if pid is None and (len(roles) == 1 or (entity.kind == "country" and _ORIGIN in roles)):
            pid = _ORIGIN if _ORIGIN in roles else next(iter(roles))
        last = named.segment.last
        if entity.kind in PERSON_KINDS and (beside_noun or message.is_contraction(last)):
            last += 1  # "a Kubrick film", "Kubrick's"
        constraint = Constraint(message.surface(first, last), property=pid, values=(entity.qid,))
        if first == named.segment.first:
            negation = self._negation(message, first)
            text = message.surface(first if negation is None else negation, last)
            return replace(constraint, negated=negation is not None, text=text)
        return self._with_negation(message, first, constraint, last)

    def _filterable(self, qid: Qid, domain: Domain) -> dict[PropertyId, int]:
        """The properties in which items of the domain have a value, of those that requests may ask for."""
        known = self._domains[domain].properties
        roles = self._catalogue.roles(qid, domain)
        return {pid: count for pid, count in roles if pid not in known or known[pid].filterable}

    def _out_of_place(self, message: Message, segment: Segment, domain: Domain) -> Constraint | None:
        """A condition whose value no item of the domain has: "about chess", where Chess is known as an album only."""
        for first, last, pid in self._introductions(message, domain):
            if last == segment.first:
                text = message.surface(first, segment.last)
                constraint = Constraint(text, property=pid, values=(UNKNOWN_VALUE,))
                return self._with_negation(message, first, constraint, segment.last)
        return None

    def _compatriots(self, message: Message, named: Named, domain: Domain) -> Constraint | None:
        """The people of a country in a role: "by an Italian author"."""
        last = named.segment.last
        pid = self._references.role_at(message, last, domain)
        if pid is None:
            return None
        people = tuple(
            qid
            for qid in self._catalogue.holders(named.qid, _NATIONALITY)
            if pid in dict(self._catalogue.roles(qid, domain))
        )
        if not people:
            return None
        first = named.segment.first
        while message.is_article(first - 1):
            first -= 1
        first -= message.word(first - 1) in message.words.by
        constraint = Constraint(message.surface(first, last + 1), property=pid, values=people)
        return self._with_negation(message, first, constraint, last + 1)

    def _introduction(
        self, message: Message, place: int, domain: Domain, roles: Mapping[PropertyId, int]
    ) -> tuple[int, PropertyId | None]:
        """Where the words that introduce the name begin, and the property that they name."""
        before = place
        while message.is_article(before - 1):
            before -= 1
        for length in (2, 1):
            pids = message.words.by.get(" ".join(message.phrase(before - length, before)))
            if before >= length and pids:
                return before - length, next((pid for pid in pids if pid in roles), None)
        known = self._references.property_of(message, before, domain)
        if known is not None and known[1] in roles:
            return known
        return place, None

    def _unknown(self, message: Message, taken: Sequence[Segment], domain: Domain) -> Iterator[tuple[int, Constraint]]:
        """Conditions whose value nobody knows ("by Jane Nobody"), so that they can be named instead of dropped."""
        for first, last, pid in self._introductions(message, domain):
            stretch = self._stretch(message, last)
            core = message.core(stretch)
            capital = message.tokens[core.first].capital if core.first < core.last else False
            if core.first == core.last or any(stretch.overlaps(segment) for segment in taken):
                continue
            if message.word(first) in message.words.by_names and not (capital and not message.mostly_capital):
                continue
            constraint = Constraint(message.surface(first, core.last), property=pid, values=(UNKNOWN_VALUE,))
            yield first, self._with_negation(message, first, constraint, core.last)

    def _introductions(self, message: Message, domain: Domain) -> Iterator[tuple[int, int, PropertyId]]:
        """Places of words such as "directed by", with the first of their properties that the domain has."""
        known = self._domains[domain].properties
        last = 0
        for place in range(len(message)):
            for length in (2, 1):
                pids = message.words.by.get(" ".join(message.phrase(place, place + length)), ())
                pid = next((pid for pid in pids if pid in known), None)
                asking = message.word(place - 1) in message.words.question_words
                if pid is not None and place >= last and not asking:
                    last = place + length
                    yield place, last, pid
                    break

    def _stretch(self, message: Message, first: int) -> Segment:
        """The words up to the end of the clause or the next condition."""
        last = first
        while last < len(message) and (last == first or not message.ends_clause(last)):
            if last > first and (message.word(last) in message.words.by or message.is_year(last)):
                break
            last += 1
        return Segment(first, last)

    def _coordinated(self, message: Message, one: Segment, other: Segment) -> bool:
        """Whether only "or" and words such as "films" stand between: "no horror movies or musicals"."""
        between = message.phrase(one.last, other.first)
        filling = message.words.joins | message.words.articles | self._references.nouns
        return set(between) <= filling and bool(set(between) & message.words.joins)

    def _with_negation(self, message: Message, first: int, constraint: Constraint, last: int) -> Constraint:
        negation = first if message.word(first) in message.words.negations else self._negation(message, first)
        if negation is None:
            return constraint
        return replace(constraint, negated=True, text=message.surface(negation, last))

    def _negation(self, message: Message, place: int) -> int | None:
        """The place of a negation before a word within its clause; "less electronic" wants something else too."""
        if message.word(place - 1) in message.words.less and not message.starts_sentence(place):
            return place - 1
        for before in range(place - 1, max(-1, place - 1 - _REACH_OF_NEGATION), -1):
            if message.starts_sentence(before + 1) or re.search(r"[,/]", message.gap(before + 1)):
                return None
            if message.phrase(before - 1, before + 1) in message.words.negation_phrases:
                return before - 1
            if message.word(before) in message.words.negations and message.gap(before + 1) != "-":
                return before
            if message.word(before) in message.words.breaks or message.word(before) in message.words.by:
                return None
        return None


def _phrases(
    message: Message, phrases: Mapping[tuple[str, ...], str], taken: Sequence[Segment]
) -> Iterator[tuple[Segment, str]]:
    """Places of the phrases outside the mentions, the longest at each place."""
    first = 0
    while first < len(message):
        for length in range(4, 0, -1):
            meaning = phrases.get(message.phrase(first, first + length))
            free = not any(segment.first < first + length and first < segment.last for segment in taken)
            if meaning is not None and free and first + length <= len(message):
                yield Segment(first, first + length), meaning
                first += length - 1
                break
        first += 1


def _durations(message: Message, taken: Sequence[Segment]) -> Iterator[tuple[Segment, int]]:
    """Places of lengths of time, with what bounds them ("under 90 minutes"), in minutes."""
    words = message.words
    for place in range(1, len(message)):
        unit, number = words.time_units.get(message.word(place)), message.word(place - 1)
        count = int(number) if number.isdecimal() else words.numbers.get(number)
        if unit is None or count is None or any(one.overlaps(Segment(place - 1, place + 1)) for one in taken):
            continue
        first = place - 1
        bounding = words.under | words.over | words.comparing | words.articles | words.bound_leads
        while message.word(first - 1) in bounding:
            first -= 1
        yield Segment(first, place + 1), unit * count


def _minutes(entity: Entity | None) -> int | None:
    """The running time that the catalogue gives."""
    for value in entity.facts.get(_RUNTIME, ()) if entity else ():
        digits = re.match(r"\d+", value)
        if digits:
            return int(digits.group())
    return None
