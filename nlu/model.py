"""What the understanding of one message takes and gives. Knows nothing of the bot."""

from dataclasses import dataclass
from typing import Literal, Protocol

from data.model import Constraint, Domain, Entity, Polarity, PropertyId, Qid

Asked = Literal["item", "role", "polarity", "confirmation", "rating", "delete", "reset", "domain", "other"]
"""What the bot's open question is about ("item": which of these; "rating": the item on show or suggested)."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the understanding may know of the conversation.

    Attributes:
        domain: the domain in force.
        language: of the user's messages, as a two-letter code.
        asked: what the open question is about; None when none is open.
        options: labels of the numbered options on offer, in order.
        shown: id of the item that is recommended or suggested now.
        recent: ids mentioned lately, latest first; they win among otherwise equal candidates.
    """

    domain: Domain = "movie"
    language: str = "en"
    asked: Asked | None = None
    options: tuple[str, ...] = ()
    shown: Qid | None = None
    recent: tuple[Qid, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may stand for.

    Attributes:
        description: kind and year for the user, e.g. "2012 film", "American actor".
        score: 0 to 1, comparable within one mention.
    """

    qid: Qid
    label: str
    kind: str
    domain: Domain | None
    year: int | None
    score: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of text that names an entity.

    Attributes:
        start: index of the first character in the message.
        end: index after the last character.
        polarity: opinion on it, None when none is stated.
        candidates: best first, at most six.
        accepted: id of the entity when it needs no question.
        role: property id when the text names the role ("Clint Eastwood as director").
        example: named as an example of what is wanted ("something like Inception"), not as liked.
        whole: the longer name, known to nobody, that it is a part of ("Matrix Unplugged"); empty when there is none.
    """

    start: int
    end: int
    text: str
    candidates: tuple[Candidate, ...]
    accepted: Qid | None = None
    polarity: Polarity | None = None
    role: PropertyId | None = None
    example: bool = False
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """Words that point to the item on show ("it", "this movie") or to one of its properties ("the director").

    Attributes:
        property: property id for a property reference, None for the item itself.
    """

    start: int
    end: int
    text: str
    polarity: Polarity | None = None
    property: PropertyId | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """How the message answers the options on offer.

    Attributes:
        chosen: zero-based positions of the options that were chosen; empty with `none` or when nothing matches.
        none: "none of these", "neither".
        among: those that are left when the words tell only some apart ("the film", of two films and a book).
    """

    chosen: tuple[int, ...] = ()
    none: bool = False
    among: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class IntentResult:
    """Coarse intents with probabilities, best first (see `nlu/intents`)."""

    ranking: tuple[tuple[str, float], ...]

    @property
    def best(self) -> str:
        """Name of the most probable coarse intent."""
        return self.ranking[0][0]

    @property
    def confidence(self) -> float:
        """Probability of the best one."""
        return self.ranking[0][1]


LOOKED_UP = "looked_up"
LOOKUP_FAILED = "lookup_failed"
"""The note that a title could not be looked up: the source of look-ups is down, slow or not to be asked."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """Everything understood from one message.

    Attributes:
        coarse_intent: one of the 25 coarse intents, or "fallback".
        item_reference: reference to the item on show.
        property_references: bare properties ("the director", "the cast").
        constraints: conditions of a request.
        answer: how it answers the open options, None when it does not.
        domain: domain that the words name or imply, None when they do not.
        learned: entities that a lookup added to the catalogue in this turn.
        overall: opinion of a message that names nothing ("loved it!", "meh"); None when it states none.
        unknown: the user's words that look like a name and are none that anybody knows ("I like Zorblax").
        unheard: the user's words for wishes that nothing in the catalogue can tell ("with my kids").
        proviso: the user's words for conditions that the item on show must meet ("only if it's short"); empty without.
        notes: names of what went otherwise than usual ("intents_unavailable", "lookup_failed").
    """

    text: str
    coarse_intent: str
    confidence: float
    ranking: tuple[tuple[str, float], ...]
    mentions: tuple[Mention, ...] = ()
    item_reference: Reference | None = None
    property_references: tuple[Reference, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    answer: Answer | None = None
    domain: Domain | None = None
    learned: tuple[Entity, ...] = ()
    notes: tuple[str, ...] = ()
    overall: Polarity | None = None
    unknown: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()
    proviso: str = ""


class IntentRecognizer(Protocol):
    """Classifies the text of one message into coarse intents."""

    async def recognize(self, text: str) -> IntentResult:
        """Raises BackendError when the recogniser cannot answer."""
        ...


@dataclass(frozen=True, slots=True)
class Linking:
    """What the entity linker found in one message, as in `Understanding`. Polarities are still None.

    Attributes:
        wishes: conditions that the message holds if it is a request: a kind of item ("suggest a song"), a mood.
        unheard: words for wishes that nothing in the catalogue can tell, in a request.
        unheard_degrees: of these, the ones that are wishes in any message: "more complicated".
    """

    mentions: tuple[Mention, ...] = ()
    item_reference: Reference | None = None
    property_references: tuple[Reference, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    wishes: tuple[Constraint, ...] = ()
    unheard: tuple[str, ...] = ()
    unheard_degrees: tuple[str, ...] = ()
    answer: Answer | None = None
    domain: Domain | None = None
    learned: tuple[Entity, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class EntityLinker(Protocol):
    """Finds mentions of entities and of the item on show."""

    async def link(self, text: str, context: Context) -> Linking: ...


@dataclass(frozen=True, slots=True)
class Span:
    """A target of opinion: characters [start, end) of the message."""

    start: int
    end: int


class SentimentRecognizer(Protocol):
    """Polarity of the opinion on each target of a message; without targets, of the whole message."""

    def polarities(self, text: str, targets: tuple[Span, ...]) -> tuple[Polarity | None, ...]:
        """One value per target, in order; None where no opinion is stated or it is too close to call."""
        ...

    def overall(self, text: str) -> Polarity | None:
        """Polarity of a message that names nothing ("loved it!", "meh")."""
        ...
