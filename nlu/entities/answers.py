"""Which of the options on offer a message chooses: by number, place, name, part of a name, year, "both", "none"."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from nlu.entities.folding import tokenize
from nlu.entities.index import allowed_edits
from nlu.entities.message import Message, Segment
from nlu.entities.names import BRACKETS
from nlu.entities.words import Phrase, phrase
from nlu.model import Answer

_YEARS = range(1000, 2200)
_WORDS_BESIDE_KIND = 1


@dataclass(frozen=True, slots=True)
class _Option:
    """An option's place, the key of its name, all its words, those of its description, and the year that it shows."""

    place: int
    key: str
    words: frozenset[str]
    description: frozenset[str]
    year: int | None


def read_answer(message: Message, options: Sequence[str]) -> tuple[Answer | None, tuple[Segment, ...]]:
    """How the message answers the options, None when it does not, and the stretches that name options.

    Args:
        message: the user's message.
        options: labels in their numbered order.
    """
    if not options or not len(message):
        return None, ()
    parsed = [_parse(place, option) for place, option in enumerate(options)]
    general = _general(message, len(options))
    if general is not None:
        return general, ()
    numbered = _numbered(
        message, [_firm_place(message, place, len(options)) for place in range(len(message))], len(options)
    )
    if numbered:
        return Answer(numbered), ()
    chosen: dict[int, Segment] = {}
    for part in message.parts(Segment(0, len(message))):
        for place, segment in _named(message, part, parsed):
            chosen.setdefault(place, segment)
    if not chosen:
        chosen = dict(_named(message, Segment(0, len(message)), parsed))
    if not chosen:
        _, left = _of_kind(message, Segment(0, len(message)), parsed)
        if 1 < len(left) < len(options):
            return Answer(among=tuple(option.place for option in left)), ()
        loose = _numbered(message, list(_loose_places(message, len(options))), len(options))
        return (Answer(loose), ()) if loose else (None, ())
    return Answer(tuple(sorted(chosen))), tuple(chosen.values())


def _parse(place: int, option: str) -> _Option:
    name = BRACKETS.sub("", option).strip() or option
    words = frozenset(token.word for token in tokenize(option))
    bracketed = [token.word for token in tokenize(" ".join(BRACKETS.findall(option)))]
    years = [int(word) for word in bracketed if word.isdecimal() and int(word) in _YEARS]
    described = frozenset(word for word in bracketed if not word.isdecimal())
    return _Option(place, "".join(token.key for token in tokenize(name)), words, described, years[0] if years else None)


def _general(message: Message, count: int) -> Answer | None:
    """Answers about all options at once."""
    words = message.words
    phrase = message.phrase(0, len(message))
    everything = tuple(range(count))
    sets: list[tuple[frozenset[Phrase], Answer]] = [(words.none, Answer(none=True)), (words.every, Answer(everything))]
    if count == 2:
        sets.append((words.pair, Answer(everything)))
    for phrases, answer in sets:
        for start in range(len(phrase)):
            if phrase[start:] in phrases and all(word in words.common for word in phrase[:start]):
                return answer
    return None


def _numbered(message: Message, found: Iterable[int | None], count: int) -> tuple[int, ...]:
    """Options chosen by the places found in the message; only when it says nothing else."""
    if not message.is_common(0, len(message)):
        return ()
    several = _several(message, count)
    if several:
        return several
    places = [place for place in found if place is not None]
    if not all(0 <= place < count for place in places):
        return ()
    chosen = set(places)
    if chosen and any(message.word(place) in message.words.negations for place in range(len(message))):
        chosen = set(range(count)) - chosen if count == 2 else set()
    return tuple(sorted(chosen))


def _several(message: Message, count: int) -> tuple[int, ...]:
    """Places meant by "the first two" or "le ultime tre"."""
    words = message.words
    for place in range(len(message) - 1):
        word = message.word(place + 1)
        number = int(word) if word.isdecimal() else words.numbers.get(word, 0)
        if not 1 < number <= count:
            continue
        if message.word(place) in words.first_of_several:
            return tuple(range(number))
        if message.word(place) in words.last_of_several:
            return tuple(range(count - number, count))
    return ()


def _firm_place(message: Message, place: int, count: int) -> int | None:
    word = message.word(place)
    if word.isdecimal():
        return None if message.word(place + 1) in message.words.counted else int(word) - 1
    ordinal = message.words.ordinals.get(word)
    if ordinal is None:
        return None
    return ordinal - 1 if ordinal > 0 else count + ordinal


def _loose_places(message: Message, count: int) -> Iterator[int]:
    """Number words; "that one" is no number, nor is "the 1984 one"."""
    if any(message.is_year(place) for place in range(len(message))):
        return
    for place in range(len(message)):
        number = message.words.numbers.get(message.word(place))
        if number is not None and number <= count and message.word(place - 1) not in message.words.demonstratives:
            yield number - 1


def _named(message: Message, part: Segment, options: Sequence[_Option]) -> Iterator[tuple[int, Segment]]:
    """Options named in a part of the message, by the most exact way that finds any."""
    ways: tuple[Callable[[Message, Segment, Sequence[_Option]], list[tuple[_Option, Segment]]], ...] = (
        _by_name,
        _by_year,
        _by_kind,
        _by_age,
        _by_fragment,
        _by_resemblance,
    )
    for way in ways:
        found = way(message, part, options)
        if found:
            yield from ((option.place, segment) for option, segment in _one_of_each_name(message, part, found))
            return


def _one_of_each_name(
    message: Message, part: Segment, found: list[tuple[_Option, Segment]]
) -> list[tuple[_Option, Segment]]:
    """Of options with one name those whose year or kind the message says, else the first."""
    said = set(message.phrase(part.first, part.last))
    kept: dict[str, tuple[_Option, Segment]] = {}
    for option, segment in found:
        other = kept.get(option.key)
        if other is None or len(option.words & said) > len(other[0].words & said):
            kept[option.key] = (option, segment)
    return list(kept.values())


def _by_name(message: Message, part: Segment, options: Sequence[_Option]) -> list[tuple[_Option, Segment]]:
    """Whole names; a name within a longer one that is named too does not count."""
    found = [
        (option, Segment(first, last))
        for option in options
        for first in range(part.first, part.last)
        for last in range(first + 1, part.last + 1)
        if message.key(first, last) == option.key
    ]
    return [
        (option, span)
        for option, span in found
        if not any(
            other.first <= span.first and span.last <= other.last and other.last - other.first > span.last - span.first
            for _, other in found
        )
    ]


def _by_year(message: Message, part: Segment, options: Sequence[_Option]) -> list[tuple[_Option, Segment]]:
    years = {place: message.word(place) for place in range(part.first, part.last) if message.word(place).isdecimal()}
    return [
        (option, Segment(place, place + 1))
        for place, year in years.items()
        for option in options
        if option.year is not None and str(option.year) in {year, f"19{year}", f"20{year}"}
    ]


def _by_kind(message: Message, part: Segment, options: Sequence[_Option]) -> list[tuple[_Option, Segment]]:
    """The one option of the kind that a noun names: "the novel", when the others are films."""
    place, holders = _of_kind(message, part, options)
    return [(holders[0], Segment(place, place + 1))] if len(holders) == 1 else []


def _of_kind(message: Message, part: Segment, options: Sequence[_Option]) -> tuple[int, list[_Option]]:
    """The place of a noun for a kind, and the options of that kind; only when the part says nothing else."""
    words = message.words
    if not message.is_common(part.first, part.last):
        return part.first, []
    for place in range(part.first, part.last):
        kinds = words.noun_kinds.get(message.word(place), ())
        names = [set(phrase(words.kind_name(kind, language))) for kind in kinds for language in words.languages]
        holders = [option for option in options if any(_is_kind(option, name) for name in names)]
        if holders:
            return place, holders
    return part.first, []


def _is_kind(option: _Option, name: set[str]) -> bool:
    return bool(name) and name <= option.description and len(option.description - name) <= _WORDS_BESIDE_KIND


def _by_age(message: Message, part: Segment, options: Sequence[_Option]) -> list[tuple[_Option, Segment]]:
    """The newest or oldest, for "the newer one"."""
    dated = sorted((option for option in options if option.year is not None), key=lambda option: option.year or 0)
    if not dated:
        return []
    for words, bound in message.words.recency.items():
        for first in range(part.first, part.last - len(words) + 1):
            if message.phrase(first, first + len(words)) == words:
                old = bound.than_shown == "older" or bound.at_least_years_ago is not None
                return [(dated[0] if old else dated[-1], Segment(first, first + len(words)))]
    return []


def _by_fragment(message: Message, part: Segment, options: Sequence[_Option]) -> list[tuple[_Option, Segment]]:
    """The one option that has all the telling words of the part."""
    places = [place for place in range(part.first, part.last) if message.word(place) not in message.words.common]
    telling = {message.word(place) for place in places}
    holders = [option for option in options if telling and telling <= option.words]
    if not telling:
        said = set(message.phrase(part.first, part.last)) - message.words.articles - message.words.pronouns
        holders = [option for option in options if said and said <= option.words]
        places = list(range(part.first, part.last))
    return [(holders[0], Segment(places[0], places[-1] + 1))] if len(holders) == 1 else []


def _by_resemblance(message: Message, part: Segment, options: Sequence[_Option]) -> list[tuple[_Option, Segment]]:
    core = message.core(part)
    if core.first == core.last:
        core = part
    key = message.key(core.first, core.last)
    if any(character.isdecimal() for character in key):
        return []
    scored = []
    for option in options:
        names = [option.key, *option.words]
        nearest = min(names, key=lambda name: OSA.distance(key, name))
        distance = OSA.distance(key, nearest)
        if distance <= allowed_edits(min(len(key), len(nearest))):
            scored.append((distance, option.place, option))
    return [(min(scored)[2], core)] if scored else []
