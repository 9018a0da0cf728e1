"""The facade: text and context in, everything that was understood out."""

import asyncio
from dataclasses import dataclass, replace

from data.errors import BackendError
from data.model import Constraint, Polarity
from nlu.entities.folding import Token
from nlu.entities.message import Message, Segment
from nlu.entities.provisos import proviso
from nlu.entities.words import Words, load_words
from nlu.intents.coarse import ABOUT_THE_ITEM, OF_THE_ITEM, RESETS, STATING, TALK
from nlu.model import (
    Context,
    EntityLinker,
    IntentRecognizer,
    IntentResult,
    Linking,
    Mention,
    Reference,
    SentimentRecognizer,
    Span,
    Understanding,
)

INTENTS_UNAVAILABLE = "intents_unavailable"
SENTIMENT_UNAVAILABLE = "sentiment_unavailable"

_REQUEST = "request_recommendation"
_ANSWERS = frozenset({"inform", "affirm", "deny"})
_SMALL_TALK = _ANSWERS | TALK | {"start"}
_CHOOSING = frozenset({"item", "role", "delete"})
_ABOUT_SOMETHING = frozenset({"polarity", "item", "role"})
_CONDITION_KINDS = frozenset({"genre", "country", "language", "place", "subject"})
_LEAVING = frozenset({"skip", "stop", "help", "reset_profile", *RESETS})


@dataclass(frozen=True, slots=True)
class UnderstandingConfig:
    """When to trust the classifier.

    Attributes:
        fallback_below: a best intent less probable than this, without any entity, is a fallback.
        sure: from this probability on, the classifier's word stands against a question word.
    """

    fallback_below: float = 0.3
    sure: float = 0.8


@dataclass(frozen=True, slots=True)
class _Opinions:
    """A linking with the polarities of its targets, or the opinion of a message that names none."""

    linking: Linking
    overall: Polarity | None = None
    notes: tuple[str, ...] = ()


class Understander:
    """Understands messages by intents, entities and opinions together."""

    def __init__(
        self,
        intents: IntentRecognizer,
        linker: EntityLinker,
        sentiment: SentimentRecognizer,
        *,
        words: Words | None = None,
        config: UnderstandingConfig | None = None,
    ) -> None:
        """Takes the three recognisers."""
        self._intents = intents
        self._linker = linker
        self._sentiment = sentiment
        self._words = words or load_words()
        self._config = config or UnderstandingConfig()

    async def understand(self, text: str, context: Context) -> Understanding:
        """Understands one message; a recogniser that cannot answer is named in the notes."""
        recognised, linking = await asyncio.gather(self._recognise(text), self._linker.link(text, context))
        message = Message(text, self._words)
        linking = _without_deletion(message, linking, context)
        notes = list(linking.notes)
        pointed = linking.item_reference is not None
        required = proviso(message, linking.constraints, pointed=pointed) if context.shown else None
        if required:
            linking = _without_opinions(linking, required.conditions)
        bare = self._bare_title(message, linking, context)
        opinions = _Opinions(linking) if bare else await self._opinions(text, linking, context)
        opinionated = opinions.linking
        notes.extend(opinions.notes)
        if recognised is None:
            notes.append(INTENTS_UNAVAILABLE)
            coarse = self._without_classifier(message, opinionated, context)
            recognised = IntentResult(((coarse, 0.0),))
        else:
            coarse = self._decide(message, recognised, opinionated, context, bare=bare)
        coarse = _REQUEST if required else coarse
        answered = not (coarse == _REQUEST and self._asks_anew(message, recognised, opinionated))
        return Understanding(
            text=text,
            coarse_intent=coarse,
            confidence=recognised.confidence,
            ranking=recognised.ranking,
            mentions=opinionated.mentions,
            item_reference=opinionated.item_reference,
            property_references=opinionated.property_references,
            constraints=_conditions(linking, coarse),
            answer=opinionated.answer if answered else None,
            overall=opinions.overall,
            domain=opinionated.domain,
            learned=opinionated.learned,
            notes=tuple(notes),
            unknown=linking.unknown or (self._unknown_names(message, linking) if bare else ()),
            unheard=linking.unheard if coarse == _REQUEST else linking.unheard_degrees,
            proviso=required.text if required else "",
        )

    async def _recognise(self, text: str) -> IntentResult | None:
        try:
            return await self._intents.recognize(text)
        except BackendError:
            return None

    async def _opinions(self, text: str, linking: Linking, context: Context) -> _Opinions:
        """The polarity of every mention and reference, in one batch; without any, of the message if one is due."""
        references = [linking.item_reference] if linking.item_reference else []
        targets: list[Mention | Reference] = [*linking.mentions, *references, *linking.property_references]
        try:
            if not targets:
                about = context.asked in _ABOUT_SOMETHING or context.shown is not None or bool(context.recent)
                wanted = about and not linking.unknown and not self._of_others(text)
                overall = await asyncio.to_thread(self._overall, text) if wanted else None
                return _Opinions(linking, overall=overall)
            spans = tuple(Span(target.start, target.end) for target in targets)
            told = self._without_aside(Message(text, self._words), spans, linking.constraints)
            polarities = await asyncio.to_thread(self._sentiment.polarities, told, spans)
        except BackendError:
            return _Opinions(linking, notes=(SENTIMENT_UNAVAILABLE,))
        signs = iter(polarities)
        mentions = tuple(replace(mention, polarity=next(signs)) for mention in linking.mentions)
        mentions = self._with_exceptions(Message(text, self._words), mentions)
        mentions = self._with_habits(Message(text, self._words), mentions)
        item = replace(references[0], polarity=next(signs)) if references else None
        properties = tuple(replace(one, polarity=next(signs)) for one in linking.property_references)
        return _Opinions(replace(linking, mentions=mentions, item_reference=item, property_references=properties))

    def _of_others(self, text: str) -> bool:
        """Whether it tells what somebody else likes: "he hates fiction", "my dad prefers war"."""
        message, words = Message(text, self._words), self._words
        return any(
            message.word(place).removesuffix("s") in words.opinion
            and (message.word(place - 1) in words.person_pronouns or message.word(place - 2) in words.possessives)
            for place in range(1, len(message))
        )

    def _overall(self, text: str) -> Polarity | None:
        """The opinion of a message that names nothing; the last part's, where the rest drowns it: "visto, noioso"."""
        message = Message(text, self._words)
        parts = message.parts(Segment(0, len(message)))
        last = message.surface(parts[-1].first, parts[-1].last) if len(parts) > 1 else ""
        return self._sentiment.overall(text) or (self._sentiment.overall(last) if last else None)

    def _without_aside(self, message: Message, spans: tuple[Span, ...], conditions: tuple[Constraint, ...]) -> str:
        """The text up to a last clause that judges something else, or says what should be other than it is.

        "I loved Alien, but the sequel bored me", "I loved Alien, but it was too long", "Alien but not the sequels".
        """
        words = self._words
        aside = message.clauses[-1] if len(message.clauses) > 1 else None
        if aside is None or message.word(aside.first) not in words.breaks:
            return message.text
        start = message.tokens[aside.first].start
        if any(span.end > start for span in spans):
            return message.text
        if message.word(aside.first + 1) in words.negations and message.is_article(aside.first + 2):
            return message.text[:start]
        if not any(map(message.is_opinion, range(aside.first))):
            return message.text
        own_subject = message.word(aside.first + 1) in words.articles | words.determiners - words.item_pronouns
        about_it = message.word(aside.first + 2) in words.beside_titles
        wished = any(one.text in message.text[start:] and one.text not in message.text[:start] for one in conditions)
        return message.text[:start] if wished or (own_subject and not about_it) else message.text

    def _with_exceptions(self, message: Message, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
        """An exception has the other opinion than what it is an exception of: "no horror, except Alien"."""
        excepted = message.after_phrases(self._words.exceptions)
        kept: list[Mention] = []
        for mention in mentions:
            rule = kept[-1].polarity if kept else None
            opposite: Polarity = "-" if rule == "+" else "+"
            kept.append(replace(mention, polarity=opposite) if mention.start in excepted and rule else mention)
        return tuple(kept)

    def _with_habits(self, message: Message, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
        """What somebody mostly reads, watches or hears is liked, if nothing else is said of it."""
        usual = any(message.word(place) in self._words.habits for place in range(len(message)))
        if not usual or any(message.word(place) in self._words.negations for place in range(len(message))):
            return mentions
        return tuple(replace(mention, polarity=mention.polarity or "+") for mention in mentions)

    def _bare_title(self, message: Message, linking: Linking, context: Context) -> bool:
        """Whether the message is nothing but names: a preference whose polarity is to be asked."""
        if not linking.mentions or (linking.answer is not None and context.asked in _CHOOSING):
            return False
        beside = self._words.beside_titles
        if all(token.word in beside for token in _outside(message, linking)):
            return True
        listed = len(message.parts(Segment(0, len(message)))) > 1
        names = all(token.word in beside or self._names(message, token) for token in _outside(message, linking))
        return listed and names

    def _unknown_names(self, message: Message, linking: Linking) -> tuple[str, ...]:
        """The names of a list that nobody knows, whole: "Eco e Dario Rossi"."""
        outside = {token.start: token.word not in self._words.beside_titles for token in _outside(message, linking)}
        found = []
        for part in message.parts(Segment(0, len(message))):
            places = [place for place in range(part.first, part.last) if outside.get(message.tokens[place].start)]
            if places:
                found.append(message.surface(places[0], places[-1] + 1))
        return tuple(found)

    def _names(self, message: Message, token: Token) -> bool:
        """Whether a word of a list looks like one more name, be it a known one or not: "Calvino, Eco e Moravia"."""
        place = message.tokens.index(token)
        said = message.is_opinion(place) or (token.word in self._words.common and message.starts_sentence(place))
        return (token.capital or token.word.isdecimal()) and not said

    def _decide(
        self, message: Message, recognised: IntentResult, linking: Linking, context: Context, *, bare: bool
    ) -> str:
        """The coarse intent, from what the classifier says and what was found in the message."""
        best, confidence = recognised.best, recognised.confidence
        if bare:
            return _REQUEST if self._wants_items(message, recognised, linking) else "preference"
        chooses = linking.answer is not None and context.asked in _CHOOSING and best not in _LEAVING
        if chooses and not self._asks_anew(message, recognised, linking):
            return "inform"
        command = self._command(message)
        apt = command not in ABOUT_THE_ITEM or context.shown is not None
        if command is not None and apt and confidence < self._config.sure:
            return command
        asked = self._question_about_item(message, linking, context)
        if asked is not None and best not in ABOUT_THE_ITEM and confidence < self._config.sure:
            return asked
        examples = any(mention.example for mention in linking.mentions)
        wishes = self._wishes(message, recognised, linking, context) or self._refuses(message, linking)
        if wishes or (examples and best in STATING):
            return _REQUEST
        if best in _SMALL_TALK and self._states_preference(message, best, linking):
            return "preference"
        if best == "deny" and linking.domain is not None and not linking.item_reference:
            return "fallback"  # "no novels" says nothing of the item on show
        lost = best == "inform" and context.asked is None and linking.domain is None
        if lost or confidence < self._config.fallback_below:
            return self._by_content(message, linking)
        return best

    def _asks_anew(self, message: Message, recognised: IntentResult, linking: Linking) -> bool:
        """Whether words that tell some options apart belong to a request: "recommend a film", of a film and a book."""
        answer = linking.answer
        if answer is None or answer.none:
            return False
        any_of_a_kind = linking.domain is not None and any(
            message.word(place) in self._words.indefinite for place in range(len(message))
        )
        asks = any_of_a_kind if answer.chosen else bool(answer.among)
        return asks and recognised.best == _REQUEST and recognised.confidence >= self._config.sure

    def _wishes(self, message: Message, recognised: IntentResult, linking: Linking, context: Context) -> bool:
        """Whether it only says what is wanted: "a band from Ireland", "I want to laugh"."""
        conditions = (*linking.constraints, *linking.wishes)
        described = recognised.best == "inform" and context.asked in {None, "rating"} and linking.domain is not None
        if linking.item_reference:
            return False
        if linking.constraints and (self._only_describes(message, linking) or _asks_for_others(recognised, linking)):
            return True
        if recognised.best in STATING and conditions and self._asks_for_something(message, linking):
            return True
        if described and (linking.constraints or (linking.wishes and message.word(0) in self._words.indefinite)):
            return True
        if linking.mentions:
            return False
        unsure = recognised.confidence < self._config.sure and recognised.best not in OF_THE_ITEM
        return unsure and any(one.loose for one in conditions)

    def _only_describes(self, message: Message, linking: Linking) -> bool:
        """Whether it is nothing but a word for items with conditions: "films from this year", "90s movies"."""
        spans = [span for one in linking.constraints for span in message.occurrences(one.text)]
        rest = [place for place in range(len(message)) if not any(one.first <= place < one.last for one in spans)]
        if linking.domain is None or any(map(message.is_opinion, range(len(message)))):
            return False  # "I don't like rock music" is an opinion
        return all(message.word(place) in self._words.beside_titles for place in rest)

    def _asks_for_something(self, message: Message, linking: Linking) -> bool:
        """Whether it begins as requests do: "something scary but not gory", "a black and white western"."""
        first = 1 if message.word(0) in self._words.negations else 0
        kinds = {mention.candidates[0].kind for mention in _unintroduced(linking)}
        begins = message.word(first) in self._words.indefinite or any(not one.start for one in linking.mentions)
        described = begins and kinds <= _CONDITION_KINDS and not any(map(message.is_opinion, range(len(message))))
        return described or message.word(first) in self._words.anything

    def _wants_items(self, message: Message, recognised: IntentResult, linking: Linking) -> bool:
        """Whether bare names are conditions: "movies by Kubrick", "a thriller", or what the classifier says are."""
        rest = _unintroduced(linking)
        introduced = any(
            one.values and one.text not in {mention.text for mention in rest} for one in linking.constraints
        )
        conditions = all(mention.candidates[0].kind in _CONDITION_KINDS for mention in rest)
        if introduced and (linking.domain is not None or (rest and conditions)):
            return True
        wanted = recognised.best == _REQUEST or message.word(0) in self._words.indefinite
        return conditions and len(rest) == len(linking.mentions) and wanted

    def _refuses(self, message: Message, linking: Linking) -> bool:
        """Whether the message only says what is not wanted: "not horror", "no Korean ones", "no remakes"."""
        if message.word(0) in self._words.refusals and linking.unheard_degrees and not linking.mentions:
            return True
        refused = {value for one in linking.constraints if one.negated for value in one.values}
        if not refused or any(mention.candidates[0].qid not in refused for mention in linking.mentions):
            return False
        judging = any(message.is_opinion(place) for place in range(len(message)))
        return not judging and message.word(0) in self._words.negations

    def _states_preference(self, message: Message, best: str, linking: Linking) -> bool:
        """Whether small talk or an answer is about something that can be liked: "I love Pixar", not "I love you"."""
        if best in _ANSWERS or any(message.is_opinion(place) for place in range(len(message))):
            return bool(linking.mentions)
        return any(mention.candidates[0].kind not in _CONDITION_KINDS for mention in linking.mentions)

    def _by_content(self, message: Message, linking: Linking) -> str:
        """The intent that the finds alone suggest."""
        asks = linking.item_reference is not None and message.text.rstrip().endswith("?")
        opinions = [None if asks else linking.item_reference, *linking.property_references]
        if linking.mentions or any(reference is not None and reference.polarity for reference in opinions):
            return "preference"
        return _REQUEST if linking.constraints else "fallback"

    def _question_about_item(self, message: Message, linking: Linking, context: Context) -> str | None:
        """Details, why or trailer, when the message asks about the item on show."""
        if context.shown is None or linking.mentions or not len(message):
            return None
        said = {token.word for token in message.tokens}
        if said & self._words.trailer_words:
            return "trailer"
        if message.word(0) in self._words.why_words:
            return "why"
        about = linking.item_reference is not None or linking.property_references
        asks = message.word(0) in self._words.question_words
        return "details" if asks and about else None

    def _without_classifier(self, message: Message, linking: Linking, context: Context) -> str:
        """Commands, answers and titles are understood even when the classifier is out of reach."""
        if linking.answer is not None and context.asked in _CHOOSING:
            return "inform"
        command = self._command(message)
        return command or self._question_about_item(message, linking, context) or self._by_content(message, linking)

    def _command(self, message: Message) -> str | None:
        """The intent of a message that is a fixed phrase."""
        said = message.phrase(0, len(message))
        return next((intent for intent, phrases in self._words.commands.items() if said in phrases), None)


def _conditions(linking: Linking, coarse: str) -> tuple[Constraint, ...]:
    """The conditions of the message; requests and questions may also name a kind of item or a mood."""
    return (*linking.constraints, *linking.wishes) if coarse in {_REQUEST, "details"} else linking.constraints


def _without_deletion(message: Message, linking: Linking, context: Context) -> Linking:
    """An opinion is no answer to what shall be forgotten: "I love Dune" keeps it."""
    judging = context.asked == "delete" and any(map(message.is_opinion, range(len(message))))
    return replace(linking, answer=None) if judging else linking


def _without_opinions(linking: Linking, conditions: tuple[Constraint, ...]) -> Linking:
    """What a proviso names is required, neither liked nor disliked."""
    return replace(
        linking,
        mentions=(),
        item_reference=None,
        property_references=(),
        constraints=conditions,
        wishes=(),
        unknown=(),
    )


def _unintroduced(linking: Linking) -> list[Mention]:
    """The mentions but for those that words beside them make a condition: "by Kubrick", "a Kubrick film"."""
    named = {mention.text for mention in linking.mentions}
    introduced = {value for one in linking.constraints if one.text not in named for value in one.values}
    return [mention for mention in linking.mentions if mention.candidates[0].qid not in introduced]


def _asks_for_others(recognised: IntentResult, linking: Linking) -> bool:
    """Whether a question is not on the item on show: "what else has he directed", not "who directed it"."""
    return recognised.best == "details" and not linking.property_references


def _outside(message: Message, linking: Linking) -> tuple[Token, ...]:
    """The words that belong to no mention."""
    spans = [(mention.start, mention.end) for mention in linking.mentions]
    return tuple(
        token for token in message.tokens if not any(start <= token.start and token.end <= end for start, end in spans)
    )
