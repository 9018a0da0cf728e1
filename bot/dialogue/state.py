"""The state of one conversation and what is known of the user, as frozen values."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from data.model import Constraint, Domain, Polarity, PropertyId, Qid

InteractionMode = Literal["nl", "mixed", "buttons"]
Rating = Literal["+", "-", "seen", "unseen", "skip"]
"""Feedback on a shown or suggested item: liked, disliked, seen without opinion, not seen, skipped."""


class Phase(StrEnum):
    """Where the conversation stands; with the coarse intent it decides the exact label (`labels`)."""

    IDLE = "idle"
    SUGGESTING = "suggesting"
    RECOMMENDING = "recommending"
    DISAMBIGUATING = "disambiguating"
    DISAMBIGUATING_WHILE_RECOMMENDING = "disambiguating_while_recommending"
    RESET_MENU = "reset_menu"
    RESET_CONFIRMATION = "reset_confirmation"
    PROFILE = "profile"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of an open question."""

    id: str
    label: str
    qid: Qid | None = None
    property: PropertyId | None = None


QuestionKind = Literal["item", "role", "polarity", "confirmation", "delete", "reset", "reset_confirmation", "domain"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that waits for an answer; the last of `DialogueState.questions` is the open one.

    Attributes:
        kind: what is asked.
        choices: the options on offer, in their numbered order.
        mention: the user's words that raised it.
        qid: the entity it is about, once known.
        polarity: the opinion that the answer will be stored with, None when still unknown.
        property: role or bare property that the preference was attached to.
        domain: domain in which it was asked.
        critique: raised by a critique of the recommended item.
        serial: number of the turn that raised it; part of the ids of its options, so that old buttons are known.
        age: turns since it was last asked; an older one is set aside but can still be answered.
        times: how often it was asked.
    """

    kind: QuestionKind
    choices: tuple[Choice, ...] = ()
    mention: str = ""
    qid: Qid | None = None
    polarity: Polarity | None = None
    property: PropertyId | None = None
    domain: Domain = ""
    critique: bool = False
    serial: int = 0
    age: int = 0
    times: int = 0


def asks_several(question: Question) -> bool:
    """Whether it asks at once if several things are liked; they are its choices."""
    return question.kind == "polarity" and question.qid is None


@dataclass(frozen=True, slots=True)
class Change:
    """One preference that was stored lately, kept for undoing and correcting it.

    Attributes:
        qid: what it is about.
        polarity: what was stored.
        previous: opinion on the same thing before; None when there was none.
        mention: the user's words.
        others: the other things the words may have meant.
        domain: of a deleted preference, so that it can be restored.
        turn: number of the turn that made it.
    """

    qid: Qid
    polarity: Polarity
    previous: Polarity | None = None
    mention: str = ""
    others: tuple[Choice, ...] = ()
    domain: Domain = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class DialogueState:
    """Everything transient; saved as versioned JSON after every turn.

    Attributes:
        recommendations: the current list of items (five) and `position` in it; None when not recommending.
        suggested: item shown for rating by elicitation.
        contexts: ConveRSE context name to remaining life span.
        cycles: domain to (pagerankCycle, numberRecommendationList).
        constraints: conditions that the current list was asked with.
        seeds: things the current list was asked to resemble, without being preferences.
        history: the latest changes of the profile, latest last.
        unplaced: opinion of the last message when nothing in it was recognised; a bare name that follows gets it.
        turns: number of turns so far.
        domain_chosen: whether the user (or the operator) chose the domain, in words or by command.
        told: keys of what is said once in a conversation and was said already.
    """

    domain: Domain = "movie"
    language: str = "en"
    mode: InteractionMode = "mixed"
    phase: Phase = Phase.IDLE
    questions: tuple[Question, ...] = ()
    recommendations: tuple[Qid, ...] = ()
    position: int | None = None
    suggested: Qid | None = None
    contexts: dict[str, int] = field(default_factory=dict)
    cycles: dict[Domain, tuple[int, int]] = field(default_factory=dict)
    constraints: tuple[Constraint, ...] = ()
    seeds: tuple[Qid, ...] = ()
    history: tuple[Change, ...] = ()
    unplaced: Polarity | None = None
    turns: int = 0
    domain_chosen: bool = False
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preference:
    """A like or dislike of an item or property value.

    Attributes:
        role: property id when the liking is of a role ("Clint Eastwood as director"), else None.
        source: "stated" in words, "rated" when shown, "inferred" when attached to a property and confirmed.
    """

    qid: Qid
    polarity: Polarity
    domain: Domain
    role: PropertyId | None = None
    source: Literal["stated", "rated", "inferred"] = "stated"
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that was recommended or suggested, with the user's reaction.

    Attributes:
        cycle: pagerankCycle at the time; position: place in its list, from 0.
        kind: "recommended" or "suggested".
        details, why, preview: whether the user asked for them.
        critiqued: whether the rating came with a critique.
    """

    qid: Qid
    domain: Domain
    cycle: int
    position: int
    kind: Literal["recommended", "suggested"] = "recommended"
    rating: Rating | None = None
    details: bool = False
    why: bool = False
    preview: bool = False
    critiqued: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a user over all domains, in order of first mention."""

    preferences: tuple[Preference, ...] = ()
    shown: tuple[Shown, ...] = ()
