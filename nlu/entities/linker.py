"""The entity linker: one message in, mentions, references, constraints, answer and domain out."""

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.model import UNKNOWN_VALUE, Constraint, Domain, Entity
from nlu.entities.ages import ages
from nlu.entities.answers import read_answer
from nlu.entities.constraints import Constraints, Named
from nlu.entities.folding import fold, tokenize
from nlu.entities.index import AliasIndex, Posting
from nlu.entities.leftovers import leftovers, untold
from nlu.entities.lookups import LookupResult
from nlu.entities.message import Message, Segment
from nlu.entities.moods import Moods
from nlu.entities.names import PERSON_KINDS, NameKind
from nlu.entities.ranking import Hints, Ranker
from nlu.entities.references import References
from nlu.entities.scanning import Found, Scanner, Unknown
from nlu.entities.support import Support
from nlu.entities.words import Words, load_words
from nlu.entities.years import year_beside
from nlu.model import LOOKED_UP, LOOKUP_FAILED, Answer, Context, Linking, Mention

_MOST_LOOKUPS = 4


class Lookup(Protocol):
    """Finds entities that the catalogue lacks."""

    async def lookup(self, names: Sequence[str], domain: Domain, language: str = "en") -> LookupResult:
        """Never raises; `failed` says that the names could not be looked up."""
        ...


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one pass over a message found."""

    mentions: tuple[Mention, ...]
    segments: tuple[Segment, ...]
    unknown: tuple[Unknown, ...]
    domain: Domain | None


class CatalogueLinker:
    """Links messages to the catalogue; what it lacks may be looked up elsewhere and is learned."""

    def __init__(
        self,
        catalogue: Catalogue,
        domains: Mapping[Domain, DomainConfig],
        *,
        wikidata: Lookup | None = None,
        index: AliasIndex | None = None,
        words: Words | None = None,
        this_year: Callable[[], int] = lambda: datetime.datetime.now(datetime.UTC).year,
    ) -> None:
        """Builds the index from the catalogue unless a prepared one is given."""
        self._catalogue = catalogue
        self._wikidata = wikidata
        self._words = words or load_words()
        self._unrecognisable = {
            name: {pid for pid, known in config.properties.items() if not known.recognisable}
            for name, config in domains.items()
        }
        self._index = index or AliasIndex.build(catalogue.entities(), self._words)
        self._references = References(domains, self._words)
        self._scanner = Scanner(self._index, Support(self._references.nouns, catalogue.get))
        self._ranker = Ranker(catalogue, self._words)
        self._moods = Moods(domains, self._words)
        self._constraints = Constraints(catalogue, domains, self._references, this_year)

    def learn(self, entity: Entity) -> None:
        """Adds one more entity to the catalogue and the index, at once."""
        self._index.add(self._catalogue.add(entity), self._words)

    async def link(self, text: str, context: Context) -> Linking:
        """Finds what a message names; a title that the catalogue lacks is looked up when there is a lookup."""
        message = Message(text, self._words)
        answer, answering = read_answer(message, context.options)
        reading = self._read(message, context)
        learned, notes = await self._look_up(message, reading, context, answer)
        if learned:
            reading = self._read(message, context)
        if answer is not None and not self._answers(reading, answering, context):
            answer = None
        return self._linking(message, reading, context, answer, learned, notes)

    def _read(self, message: Message, context: Context) -> _Reading:
        found, unknown = self._scanner.scan(message, item_shown=context.shown is not None)
        titles = tuple(one.span for one in found if not self._is_genre(one))
        named = self._references.domain(message, titles, context.domain)
        mentions: list[Mention] = []
        kept: list[Segment] = []
        found, unknown = self._with_parts_of_names(message, found, unknown, context)
        apart = (*untold(message), *(age.span for age in ages(message, (), self._references.nouns)))
        pronoun = self._pronoun(message, context)
        if pronoun is not None and not any(one.span.last <= pronoun.span.first for one in found):
            found = (*(one for one in found if not one.span.overlaps(pronoun.span)), pronoun)
        for one in found:
            if any(span.first <= one.span.first and one.span.last <= span.last and span != one.span for span in apart):
                continue
            mention = self._mention(message, one, named, context)
            if mention is not None:
                mentions.append(mention)
                kept.append(one.span)
        unknown = tuple(one for one in unknown if not any(one.core.overlaps(span) for span in untold(message)))
        return _Reading(tuple(mentions), tuple(kept), unknown, named)

    def _with_parts_of_names(
        self, message: Message, found: tuple[Found, ...], unknown: tuple[Unknown, ...], context: Context
    ) -> tuple[tuple[Found, ...], tuple[Unknown, ...]]:
        """A first name counts when somebody of that name was named lately: "Meryl" after Meryl Streep."""
        left: list[Unknown] = []
        for one in unknown:
            words = set(message.phrase(one.core.first, one.core.last))
            recent = [entity for qid in context.recent if (entity := self._catalogue.get(qid)) is not None]
            meant = next(
                (entity for entity in recent if words <= {token.word for token in tokenize(entity.label)}), None
            )
            if meant is None:
                left.append(one)
            else:
                posting = Posting(meant.qid, NameKind.ALIAS, meant.popularity)
                found = (*(other for other in found if not other.span.overlaps(one.core)), Found(one.core, (posting,)))
        return found, tuple(left)

    def _pronoun(self, message: Message, context: Context) -> Found | None:
        """The person or band named last, when a pronoun stands for them."""
        last = next((qid for qid in context.recent if qid != context.shown), None)
        entity = self._catalogue.get(last) if last else None
        span = self._references.person(message)
        if span is None or entity is None or entity.kind not in PERSON_KINDS | {"band"}:
            return None
        return Found(span, (Posting(entity.qid, NameKind.LABEL, entity.popularity),))

    def _is_title(self, named: Named) -> bool:
        entity = self._catalogue.get(named.qid)
        return entity is not None and entity.is_item and entity.kind not in PERSON_KINDS

    def _is_genre(self, found: Found) -> bool:
        """Whether the words name a genre, so that a noun in them still names the domain: "fantasy novel"."""
        entities = map(self._catalogue.get, (posting.qid for posting in found.postings))
        return any(entity is not None and entity.kind == "genre" for entity in entities)

    def _mention(self, message: Message, found: Found, named: Domain | None, context: Context) -> Mention | None:
        segment = found.span
        hints = Hints(
            kinds=self._references.kinds_beside(message, segment),
            year=year_beside(message, segment),
            domain=named,
        )
        postings = self._recognisable(self._with_namesakes(found, named or context.domain), named or context.domain)
        candidates, accepted = self._ranker.rank(postings, found.similarity, hints, context)
        if not candidates:
            return None
        start, end = message.tokens[segment.first].start, message.tokens[segment.last - 1].end
        return Mention(
            start=start,
            end=end,
            text=message.text[start:end],
            candidates=candidates,
            accepted=None if found.doubtful else accepted,
            role=self._references.role(message, segment, named or context.domain),
            example=self._references.is_example(message, segment.first),
            whole=message.surface(found.whole.first, found.whole.last) if found.whole else "",
        )

    def _recognisable(self, postings: tuple[Posting, ...], domain: Domain) -> tuple[Posting, ...]:
        """Without what the domain knows only as values of properties that are not to be recognised."""
        barred = self._unrecognisable[domain]
        if not barred:
            return postings
        roles = {one.qid: {pid for pid, _ in self._catalogue.roles(one.qid, domain)} for one in postings}
        return tuple(one for one in postings if not roles[one.qid] or roles[one.qid] - barred)

    def _with_namesakes(self, found: Found, domain: Domain) -> tuple[Posting, ...]:
        """Also what has the same label in the domain in force: "Il padrino" may be known as the book's name only."""
        known = {posting.qid for posting in found.postings}
        namesakes: list[Posting] = []
        for posting in found.postings:
            entity = self._catalogue.get(posting.qid)
            if entity is None or entity.domain in {None, domain} or posting.kind > NameKind.WITHOUT_ARTICLE:
                continue
            for other in self._index.exact(fold(entity.label)):
                namesake = self._catalogue.get(other.qid)
                own = other.kind is NameKind.LABEL or other.kind is NameKind.WITHOUT_ARTICLE
                if namesake is not None and own and namesake.domain == domain and other.qid not in known:
                    namesakes.append(replace(other, kind=max(other.kind, posting.kind)))
        return (*found.postings, *namesakes)

    async def _look_up(
        self, message: Message, reading: _Reading, context: Context, answer: Answer | None
    ) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
        """Entities for the stretches that look like a name and are none that the index knows."""
        if self._wikidata is None or answer is not None or not reading.unknown:
            return (), ()
        segments = [segment for unknown in reading.unknown for segment in (unknown.whole, unknown.core)]
        names = list(dict.fromkeys(message.surface(one.first, one.last) for one in segments))[:_MOST_LOOKUPS]
        found = await self._wikidata.lookup(names, reading.domain or context.domain, context.language)
        for entity in found.entities:
            self.learn(entity)
        for name, qids in found.found.items():
            for entity in filter(None, map(self._catalogue.get, qids)):
                self._index.add_name(fold(name), Posting(entity.qid, NameKind.ALIAS, entity.popularity))
        return found.entities, (LOOKUP_FAILED if found.failed else LOOKED_UP,)

    def _answers(self, reading: _Reading, answering: tuple[Segment, ...], context: Context) -> bool:
        """Whether a message that names an option says nothing else: "I like the actor Tom Hanks" does not answer."""
        if not answering:
            return True
        about = set(context.recent) | {context.shown}
        return not any(
            mention.accepted is not None
            and mention.accepted not in about
            and not any(segment.overlaps(place) for place in answering)
            for mention, segment in zip(reading.mentions, reading.segments, strict=True)
        )

    def _linking(
        self,
        message: Message,
        reading: _Reading,
        context: Context,
        answer: Answer | None,
        learned: tuple[Entity, ...],
        notes: tuple[str, ...],
    ) -> Linking:
        domain = reading.domain or context.domain
        shown = self._catalogue.get(context.shown) if context.shown else None
        likely = [
            Named(segment, mention.accepted or mention.candidates[0].qid)
            for mention, segment in zip(reading.mentions, reading.segments, strict=True)
        ]
        titles = tuple(one.segment for one in likely if self._is_title(one))
        told = ages(message, reading.segments, self._references.nouns)
        conditions = self._constraints.read(message, likely, domain, shown, [age.span for age in told])
        kind = self._constraints.kind(message, likely, domain)
        moods = tuple(self._moods.read(message, domain, reading.segments, told))
        unmet = [age.span for age in told if not any(wish.span.overlaps(age.span) for wish in moods)]
        conditioned = _places(message, conditions)
        met = _places(message, (one for one in conditions if UNKNOWN_VALUE not in one.values))
        understood = [*reading.segments, *(wish.span for wish in moods), *unmet, *conditioned]
        left = leftovers(message, understood, self._references.nouns)
        return Linking(
            mentions=reading.mentions,
            item_reference=self._references.item(message, (*reading.segments, *conditioned), titles),
            property_references=self._references.properties(message, domain, reading.segments),
            constraints=(*conditions, *(wish.constraint for wish in moods if wish.firm)),
            wishes=tuple(filter(None, (kind, *(wish.constraint for wish in moods if not wish.firm)))),
            unheard=(*(message.surface(one.first, one.last) for one in unmet), *(one.text for one in left)),
            unheard_degrees=tuple(one.text for one in left if one.firm),
            answer=answer,
            domain=reading.domain,
            learned=learned,
            notes=notes,
            unknown=tuple(
                message.surface(one.core.first, one.core.last)
                for one in reading.unknown
                if self._scanner.is_name(message, one) and not any(map(one.core.overlaps, met))
            ),
        )


def _places(message: Message, conditions: Iterable[Constraint]) -> list[Segment]:
    """Where conditions stand in a message."""
    return [span for one in conditions for span in message.occurrences(one.text)]
