"""What a handler sees of a turn and what it makes of it, both as frozen values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from typing import Any, Literal

from bot.channels.base import Link, Option, Turn
from bot.dialogue.state import DialogueState, Phase, Preference, Profile, Question
from bot.dialogue.wording import Voice
from data.catalogue import Catalogue
from data.domains import DomainConfig, PropertyConfig
from data.model import Constraint, Domain, Polarity, Qid
from nlu.model import Understanding
from recommender.model import Recommender
from recommender.sketch import Sketch

__all__ = ["Action", "Handler", "Knowledge", "Move", "Policy", "Scene"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What an operator or a study decides about the dialogue.

    Attributes:
        recommendations: items in one list.
        variant: name of the recommender variant.
        elicitation: strategy that picks items to rate while the profile is thin; None suggests none unasked.
        thin: preferences below which a profile is thin.
        explanations: whether an item is shown with a reason.
        fixed_mode: whether a study has fixed the interaction mode.
        sure: probability below which an opinion in which nothing is recognised is not taken for one.
        sure_candidate: score from which the best candidate is taken without a question; it can be corrected.
        longest_message: characters; a longer message is not read.
        patience: turns for which an unanswered question can still be answered.
        role_dominance: how many times more often a person must appear in one role than in the next to skip asking.
        role_share: roles that a person has less often than this share of the most frequent one are not offered.
    """

    recommendations: int = 5
    variant: str = "ppr"
    elicitation: str | None = None
    thin: int = 3
    explanations: bool = True
    fixed_mode: bool = False
    sure: float = 0.6
    sure_candidate: float = 0.8
    longest_message: int = 2000
    patience: int = 3
    role_dominance: float = 1.25
    role_share: float = 0.34


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the bot knows of the world, the same for all users."""

    catalogue: Catalogue
    domains: Mapping[Domain, DomainConfig]
    recommender: Recommender
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class Action:
    """Something asked for by a command, a button or fixed words rather than understood from free text.

    Attributes:
        name: "undo", "rate", "domain", "mode", "language", "unseen", "stale" …
        value: its argument: a domain, a mode, a language.
    """

    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """One turn as a handler sees it; nothing in it changes.

    Attributes:
        state: before the turn, its questions one turn older.
        phase: before the turn.
        action: set for commands, buttons and fixed words that no coarse intent covers.
    """

    state: DialogueState
    phase: Phase
    profile: Profile
    turn: Turn
    understood: Understanding
    know: Knowledge
    say: Voice
    rng: Random
    now: datetime
    action: Action | None = None

    @property
    def coarse(self) -> str:
        return self.understood.coarse_intent

    @property
    def does(self) -> str:
        """Name of the action, empty when there is none."""
        return self.action.name if self.action else ""

    @property
    def question(self) -> Question | None:
        """The open question: the last one, when it was asked in the reply before this turn."""
        last = self.waiting
        return last if last and last.age == 1 else None

    @property
    def waiting(self) -> Question | None:
        """The last question that was not answered, open or set aside."""
        return self.state.questions[-1] if self.state.questions else None

    @property
    def shown(self) -> Qid | None:
        """The recommended or suggested item that waits for a rating."""
        return current(self.state) or self.state.suggested

    @property
    def conditions(self) -> tuple[Constraint, ...]:
        """Conditions of the message that are not simply the things it names."""
        named = {mention.accepted for mention in self.understood.mentions}
        return tuple(found for found in self.understood.constraints if not (found.values and named >= {*found.values}))

    @property
    def wishes(self) -> bool:
        """Whether the message says how the next item should be, be it known of items or not."""
        return bool(self.conditions or self.understood.unheard)

    def hears(self, cue: str) -> bool:
        """Whether the text holds a cue of the user's language."""
        return self.turn.kind == "text" and self.say.hears(cue, self.understood.text) is not None

    def name(self, qid: Qid) -> str:
        """Label with the year of an item: "Titanic (1997)"."""
        entity = self.know.catalogue.get(qid)
        label = self.know.catalogue.label(qid, self.state.language)
        return f"{label} ({entity.year})" if entity and entity.is_item and entity.year else label

    def named_in_role(self, given: Preference) -> str:
        """Label of a preference, with the role in which a person is liked: "Clint Eastwood (director)"."""
        name = self.name(given.qid)
        return f"{name} ({self.property_label(given.role, given.domain)})" if given.role else name

    def property_label(self, pid: str, domain: Domain | None = None) -> str:
        """Name of a property in the user's language."""
        config = self.property_config(pid, domain)
        return config.label(self.state.language) if config else pid

    def property_config(self, pid: str, domain: Domain | None = None) -> PropertyConfig | None:
        """What is known of a property: by that domain, or the one in force, or any other."""
        domains = self.know.domains
        known = (domains[domain or self.state.domain], *domains.values())
        return next((config.properties[pid] for config in known if pid in config.properties), None)

    def domain_label(self, domain: Domain) -> str:
        """Name of a domain in the user's language."""
        labels = self.know.domains[domain].labels
        return labels.get(self.state.language, labels["en"])

    def move(self, *texts: str, **changes: Any) -> "Move":
        """A move that starts from the state and profile of this scene."""
        return Move(state=self.state, profile=self.profile, texts=texts, **changes)


Followup = Literal["ask", "remind", "advance", "refresh", "none"]


@dataclass(frozen=True, slots=True)
class Move:
    """What the bot does in a turn.

    Attributes:
        texts: paragraphs said so far; none of them asks a question unless `then` is "none".
        events: ConveRSE events of what was done.
        objects: preferences recorded in this turn.
        then: what follows: "ask" whatever waits for an answer, "remind" of the item on show, "advance" to the next
            item, "refresh" the rest of the list first, or "none" when the move has said all there is to say.
        exported: False when the ConveRSE export leaves the message out.
        aside: options that come after those of what is under way.
        standalone: paragraph that starts a new message of the channel.
    """

    state: DialogueState
    profile: Profile
    texts: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    image: str | None = None
    sketch: Sketch | None = None
    links: tuple[Link, ...] = ()
    events: frozenset[str] = frozenset()
    objects: tuple[tuple[Qid, Polarity], ...] = ()
    then: Followup = "ask"
    exported: bool = True
    aside: tuple[Option, ...] = ()
    standalone: tuple[str, ...] = ()

    def also(self, *texts: str, **changes: Any) -> "Move":
        """This move with more said; `events` and `objects` are added, everything else replaced."""
        events = self.events | frozenset(changes.pop("events", ()))
        objects = (*self.objects, *changes.pop("objects", ()))
        return replace(self, texts=(*self.texts, *texts), events=events, objects=objects, **changes)

    def once(self, key: str, text: str) -> "Move":
        """This move with a text that is said once in a conversation; unchanged when it was said before."""
        if key in self.state.told:
            return self
        return self.also(text).with_state(told=(*self.state.told, key))

    def with_state(self, **changes: Any) -> "Move":
        """This move with another state."""
        return replace(self, state=replace(self.state, **changes))


@dataclass(frozen=True, slots=True)
class Handler:
    """One kind of turn: `check` says whether it takes the turn, `handle` says what the bot does.

    Handlers are tried in order; the first that accepts takes the turn.
    """

    name: str
    check: Callable[[Scene], object]
    handle: Callable[[Scene], Move]


def current(state: DialogueState) -> Qid | None:
    """The recommended item on show."""
    return None if state.position is None else state.recommendations[state.position]


def phase_of(state: DialogueState) -> Phase:
    """The phase that a state is in; `PROFILE` and `FINISHED` last until something else happens."""
    question = state.questions[-1] if state.questions else None
    if question and question.times and question.age == 0:
        if question.kind in _MENUS:
            return _MENUS[question.kind]
        return Phase.DISAMBIGUATING_WHILE_RECOMMENDING if state.position is not None else Phase.DISAMBIGUATING
    if state.position is not None:
        return Phase.RECOMMENDING
    if state.suggested:
        return Phase.SUGGESTING
    return state.phase if state.phase in {Phase.PROFILE, Phase.FINISHED} else Phase.IDLE


_MENUS: Mapping[str, Phase] = {
    "reset": Phase.RESET_MENU,
    "reset_confirmation": Phase.RESET_CONFIRMATION,
    "domain": Phase.IDLE,
}
