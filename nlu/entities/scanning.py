"""Finds the stretches of a message that name entities: exactly, with typing errors, or in part."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import OSA

from nlu.entities.folding import fold
from nlu.entities.index import AliasIndex, Posting, allowed_edits
from nlu.entities.message import Message, Segment
from nlu.entities.names import NameKind
from nlu.entities.stretches import name_stretch, written_as_name
from nlu.entities.support import Support

_LONGEST_NAME = 16
_LONGEST_MESSAGE = 400
_SHORT_KEY = 2
_SHORTEST_PARTIAL = 8
_SHORTEST_LOOSE_TYPO = 7
_FEWEST_LETTERS = 4
_SHORTEST_MANY_TYPOS = 10
_PARTIAL_SIMILARITY = 0.7
_SURELY_SIMILAR = 0.85
_AS_SIMILAR = 0.08


@dataclass(frozen=True, slots=True)
class Found:
    """Words that may name entities.

    Attributes:
        span: the words.
        postings: the entities, under the name that the words resemble.
        similarity: 1 for the very name, less with typing errors or for a part of it.
        doubtful: whether nothing but the user can say that it is a name (a bare number).
        whole: the longer name, unknown to the index, that it is a part of ("Matrix" in "Matrix Unplugged").
    """

    span: Segment
    postings: tuple[Posting, ...]
    similarity: float = 1.0
    doubtful: bool = False
    whole: Segment | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that look like a name that the index lacks.

    Attributes:
        core: from the first to the last telling word.
        whole: with the article and the common words around, which may belong to the name.
    """

    core: Segment
    whole: Segment


@dataclass(frozen=True, slots=True)
class _Slot:
    """A stretch where a name may stand.

    Attributes:
        span: from its first to its last telling word.
        whole: with the words around that may belong to a misspelt name.
        opinion: whether it follows a verb of taste.
        introduced: whether it follows any word that names follow.
        people: whether only people and the like may stand there.
        single: whether it is one part of a clause, so that it can hold one name only.
    """

    span: Segment
    whole: Segment
    opinion: bool
    introduced: bool
    single: bool
    people: bool


class Scanner:
    """Reads messages with the help of an index."""

    def __init__(self, index: AliasIndex, support: Support) -> None:
        """Takes the index and the judge of which words are names where they stand."""
        self._index = index
        self._support = support

    def scan(self, message: Message, *, item_shown: bool) -> tuple[tuple[Found, ...], tuple[Unknown, ...]]:
        """What the message names, in order, and what looks like a name that the index lacks."""
        chosen = _longest(message, self._exact(message, item_shown=item_shown))
        if self._support.is_small_talk(message):
            return tuple(chosen), ()
        unknown: list[Unknown] = []
        for slot in self._slots(message):
            rest = _not_understood(message, slot.span, chosen)
            if not rest:
                continue
            similar = self._similar(message, slot, chosen, rest)
            if similar is not None and slot.people:
                similar = replace(similar, postings=self._support.people(similar.postings))
            if similar is not None and similar.postings:
                chosen = [found for found in chosen if not found.span.overlaps(similar.span)] + [similar]
                continue
            inside = any(found.span.overlaps(slot.span) for found in chosen)
            if inside and all(map(message.is_everyday, rest)):
                continue  # "Radiohead all week"
            if slot.single and (slot.opinion or slot.span == Segment(0, len(message)) or self._named(message, slot)):
                unknown.append(Unknown(slot.span, _with_articles(message, slot.whole)))
        chosen = [replace(found, whole=self._whole(message, found, chosen)) for found in chosen]
        number = len(message) == 1 and message.word(0).isdecimal()
        chosen = [replace(found, doubtful=number or found.whole is not None) for found in chosen]
        longer = [found.whole for found in chosen if found.whole]
        unknown = [one for one in unknown if not any(one.core.overlaps(whole) for whole in longer)]
        unknown += [Unknown(whole, whole) for whole in dict.fromkeys(longer)]
        return tuple(sorted(chosen, key=lambda found: found.span.first)), tuple(unknown)

    def _whole(self, message: Message, found: Found, chosen: Sequence[Found]) -> Segment | None:
        """The longer name that the words are a part of, when nobody knows it."""
        known = [one.span for one in chosen if one is not found]
        stretch = name_stretch(message, found.span, known)
        everyday = self._support.is_vocabulary(found.postings)
        if everyday and not written_as_name(message, found.span, stretch):
            return None
        missing = _not_understood(message, stretch, chosen) or _sequel(message, found.span)
        return stretch if missing else None

    def _named(self, message: Message, slot: _Slot) -> bool:
        """Whether a capital after a word that names follow marks a name: "I watched Zorblax"."""
        first = slot.span.first
        marked = message.tokens[first].capital and not (message.mostly_capital or message.starts_sentence(first))
        return slot.introduced and not slot.people and marked

    def is_name(self, message: Message, unknown: Unknown) -> bool:
        """Whether the words are a name rather than what is said of an item: "Zorblax", not "the special effects"."""
        core, whole = unknown.core, unknown.whole
        determined = message.is_article(whole.first) or message.word(whole.first) in message.words.determining
        if determined and all(map(message.is_everyday, range(core.first, core.last))):
            return False
        telling = sum(word not in message.words.common for word in message.phrase(core.first, core.last))
        if telling > 1 or core in message.quoted or message.tokens[core.first].capital:
            return True
        before = message.word(core.first - 1)
        return not message.is_article(core.first - 1) and before not in message.words.determining

    def _exact(self, message: Message, *, item_shown: bool) -> Iterator[Found]:
        count = min(len(message), _LONGEST_MESSAGE)
        for first in range(count):
            for last in range(first + 1, min(first + _LONGEST_NAME, count) + 1):
                span = Segment(first, last)
                postings = self._postings(message, span)
                if postings and not self._any_of_genre(message, span):
                    kept = self._support.kept(message, span, postings, item_shown=item_shown)
                    kept = kept or (postings if self._beside_genre(message, span) else ())
                    if kept:
                        yield Found(span, kept)

    def _postings(self, message: Message, span: Segment) -> tuple[Posting, ...]:
        """Entities of that name; for an adjective of nationality its country and language."""
        country = message.words.nationalities.get(message.word(span.first)) if span.last == span.first + 1 else None
        postings = self._index.exact(message.key(span.first, span.last))
        if country is None:
            return postings
        return self._support.national(message, span, (*self._index.exact(fold(country)), *postings))

    def _any_of_genre(self, message: Message, span: Segment) -> bool:
        """Whether the words ask for a genre rather than name something: "a romance", but not "A Romance"."""
        first = span.first + 1
        if first >= span.last or message.word(span.first) not in message.words.indefinite & message.words.articles:
            return False
        plain = not message.tokens[first].capital and span not in message.quoted
        return plain and self._support.names_genre(self._index.exact(message.key(first, span.last)))

    def _beside_genre(self, message: Message, span: Segment) -> bool:
        """Whether an adjective of nationality stands beside a genre: "Korean thriller", "commedia italiana"."""
        if span.last != span.first + 1 or message.word(span.first) not in message.words.nationalities:
            return False
        beside = [place for place in (span.first - 1, span.last) if 0 <= place < len(message)]
        return any(self._support.names_genre(self._index.exact(message.key(place, place + 1))) for place in beside)

    def _slots(self, message: Message) -> Iterator[_Slot]:
        """Stretches with telling words, where a name is expected: whole clauses, then their parts."""
        for clause in message.clauses:
            parts = message.parts(clause)
            for part in parts if len(parts) == 1 else (clause, *parts):
                core = message.core(part)
                if core.first == core.last:
                    continue
                lead = range(clause.first, core.first)
                opinion = any(message.is_opinion(place) for place in lead)
                bare = all(message.is_article(place) for place in lead)
                named = any(self._support.introduces(message, place) for place in lead)
                people = any(message.word(place) in message.words.before_people for place in lead)
                if opinion or bare or named or people:
                    single = part != clause or len(parts) == 1
                    yield _Slot(
                        core,
                        _object(message, part, core),
                        opinion,
                        opinion or named or people,
                        single,
                        people and not (opinion or named),
                    )

    def _similar(self, message: Message, slot: _Slot, chosen: Iterable[Found], rest: list[int]) -> Found | None:
        """A name that the stretch resembles more than what was found in it."""
        span = slot.span
        key = message.key(span.first, span.last)
        inside = [found for found in chosen if found.span.overlaps(span)]
        if inside and sum(len(message.word(place)) for place in rest) <= _SHORT_KEY:
            return None
        loose = slot.opinion or span.last - span.first > 1
        if len(key) < _SHORTEST_LOOSE_TYPO and not slot.opinion:
            return None
        if key in self._index:
            return None
        strict = not slot.introduced and span.last - span.first == 1
        forms = [
            form
            for form in dict.fromkeys((slot.whole, _with_articles(message, span), span))
            if not _everyday(message, form)
        ]
        known = [message.key(one.span.first, one.span.last) for one in inside]
        found = [
            self._resembling(message.key(form.first, form.last), form, len(key), strict=strict, known=known)
            for form in forms
        ]
        best = max(filter(None, found), key=lambda one: one.similarity, default=None)
        if loose and (best is None or best.similarity < _SURELY_SIMILAR):
            return (None if _everyday(message, span) else self._partial(key, span)) or best
        return best

    def _resembling(self, key: str, span: Segment, letters: int, *, strict: bool, known: Sequence[str]) -> Found | None:
        """Names within the typing errors that are forgiven.

        In short words, and those that stand alone (`strict`), neither the first letter nor a surname is misspelt.

        Args:
            key: what is compared.
            span: where it stands.
            letters: length of its telling part.
            strict: whether nothing but its resemblance says that it is a name.
            known: names within it; beside them it must be alike too: "dry fantasy" is no "dark fantasy".
        """
        if sum(character.isalpha() for character in key) < _FEWEST_LETTERS:
            return None
        short = letters < _SHORTEST_LOOSE_TYPO
        few = strict and letters < _SHORTEST_MANY_TYPOS
        postings: dict[str, Posting] = {}
        best = 0.0
        for similar in self._index.similar(key):
            if similar.key == key or similar.similarity < best - _AS_SIMILAR or _digits(similar.key) != _digits(key):
                continue
            if (short or strict) and similar.key[0] != key[0]:
                continue
            if any(not _alike_beside(key, similar.key, name) for name in known):
                continue
            if few and OSA.distance(key, similar.key) > 1:
                continue
            for posting in self._index.exact(similar.key):
                if not (posting.kind is NameKind.SURNAME and (short or few)):
                    best = max(best, similar.similarity)
                    postings.setdefault(posting.qid, posting)
        return Found(span, tuple(postings.values()), best) if postings else None

    def _partial(self, key: str, span: Segment) -> Found | None:
        """Names that hold the key as a part, such as "goblet of fire"."""
        if len(key) < _SHORTEST_PARTIAL:
            return None
        postings: dict[str, Posting] = {}
        for match in self._index.holding(key):
            for posting in self._index.exact(match):
                postings.setdefault(posting.qid, replace(posting, kind=max(posting.kind, NameKind.SUBTITLE)))
        return Found(span, tuple(postings.values()), _PARTIAL_SIMILARITY) if postings else None


def _alike_beside(key: str, other: str, name: str) -> bool:
    """Whether two keys that both hold a name are alike in the rest too."""
    if name not in key or name not in other:
        return True
    rest, other_rest = key.replace(name, "", 1), other.replace(name, "", 1)
    return OSA.distance(rest, other_rest) <= max(1, allowed_edits(min(len(rest), len(other_rest))))


def _not_understood(message: Message, span: Segment, chosen: Iterable[Found]) -> list[int]:
    """Places of telling words in the stretch that no name covers."""
    spans = [found.span for found in chosen]
    return [
        place
        for place in range(span.first, span.last)
        if message.word(place) not in message.words.common
        and not message.word(place).isdecimal()
        and not message.is_opinion(place)
        and message.word(place) not in message.words.nationalities
        and not any(other.first <= place < other.last for other in spans)
    ]


def _object(message: Message, part: Segment, core: Segment) -> Segment:
    """The core with what stands between it and the verb of taste before it, articles left out, and what follows it."""
    first = core.first
    while first > part.first and not message.is_opinion(first - 1) and not message.leads(first - 1):
        first -= 1
    while first < core.first and message.is_article(first):
        first += 1
    return Segment(first if first > part.first else core.first, part.last)


def _everyday(message: Message, span: Segment) -> bool:
    """Whether there is one ordinary word, articles aside, that is not the whole message: "the rest" is not Rent."""
    places = [place for place in range(span.first, span.last) if not message.is_article(place)]
    return len(places) == 1 < len(message) and message.is_everyday(places[0])


def _with_articles(message: Message, span: Segment) -> Segment:
    first = span.first
    while message.is_article(first - 1):
        first -= 1
    return Segment(first, span.last)


def _sequel(message: Message, span: Segment) -> bool:
    """Whether a number other than 1 follows that is no year: "Die Hard 5" when the index has no such name."""
    place = span.last + (message.word(span.last) in message.words.part_words)
    number = message.word(place)
    return number.isdecimal() and number != "1" and not message.is_year(place) and not message.ends_clause(span.last)


def _longest(message: Message, found: Iterable[Found]) -> list[Found]:
    """Stretches that do not overlap, longer ones first."""
    chosen: list[Found] = []
    for candidate in sorted(found, key=lambda one: -len(message.key(one.span.first, one.span.last))):
        if not any(candidate.span.overlaps(other.span) for other in chosen):
            chosen.append(candidate)
    return chosen


def _digits(key: str) -> list[str]:
    return sorted(character for character in key if character.isdecimal())
