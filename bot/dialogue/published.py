"""The state of the conversation before a published row, derived from the rows before it.

The published files hold no state, so it is followed row by row from intents, events and recognised objects alone:
recorded contexts may be empty. Any intent, event or user id is accepted; what is unknown changes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.dialogue.labels import ResetTarget
from bot.dialogue.state import Phase, QuestionKind
from bot.errors import ConfigError

__all__ = ["PublishedState", "answers_options", "conversations", "state_after", "states_before"]

Row = Mapping[str, Any]

_RESET_TARGETS: Final[Mapping[str, ResetTarget]] = {
    "reset - reset_everything": "everything",
    "reset - reset_movies": "items",
    "reset - reset_properties": "properties",
}


@dataclass(frozen=True, slots=True)
class PublishedState:
    """What the next row's label may depend on.

    Attributes:
        question: kind of the open question.
        shown: whether a recommended item is on show.
        reset: what the user wants to reset, once said.
        last: message of the row before.
    """

    phase: Phase = Phase.IDLE
    question: QuestionKind | None = None
    shown: bool = False
    reset: ResetTarget | None = None
    last: str = ""


def conversations(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows of one file by user id (as a string), each in the file's order."""
    users: dict[str, list[Row]] = {}
    for row in rows:
        users.setdefault(str(row["userID"]), []).append(row)
    return users


def states_before(rows: Iterable[Row]) -> Iterator[tuple[PublishedState, Row]]:
    """Each row of one user's conversation with the state before it."""
    state = PublishedState()
    for row in rows:
        yield state, row
        state = state_after(state, row)


def state_after(state: PublishedState, row: Row) -> PublishedState:
    """The state after a row.

    Args:
        state: before it.
        row: with "intent", "events", "recognizedObjects" and "message"; lists are strings joined with ", ".

    Returns:
        What the next row may depend on.
    """
    intent = str(row["intent"])
    events = {event for event in str(row["events"]).split(", ") if event}
    shown = _shown_after(state, intent, events)
    following = PublishedState(shown=shown, last=str(row["message"]))
    if intent in _RESET_TARGETS:
        return replace(following, phase=Phase.RESET_CONFIRMATION, reset=_RESET_TARGETS[intent])
    if intent == "reset_profile":
        return replace(following, phase=Phase.RESET_MENU, question="reset", shown=False)
    if "disambiguation" in events:
        return _asking(following, row, critique=shown)
    if _keeps_question(state, intent, events):
        return replace(state, last=following.last)
    return replace(following, phase=_settled(state, intent, events, shown))


def _shown_after(state: PublishedState, intent: str, events: set[str]) -> bool:
    """An item stays on show only as long as every row says so; a bare "recommendation" is a refused request."""
    if "finished_recommendation" in events or intent.endswith("- stop"):
        return False
    if "recommendation" in events:
        return bool(events & {"question", "preference"})
    return state.shown and intent.startswith("request_recommendation -")


def _asking(following: PublishedState, row: Row, *, critique: bool) -> PublishedState:
    """An item that is recorded already leaves only the confirmation of its property open."""
    phase = Phase.DISAMBIGUATING_WHILE_RECOMMENDING if critique else Phase.DISAMBIGUATING
    if str(row["intent"]).startswith("show_profile"):
        return replace(following, phase=phase, question="delete")
    kind: QuestionKind = "confirmation" if row["recognizedObjects"] else "item"
    return replace(following, phase=phase, question=kind)


def _keeps_question(state: PublishedState, intent: str, events: set[str]) -> bool:
    asked = state.phase in {Phase.DISAMBIGUATING, Phase.DISAMBIGUATING_WHILE_RECOMMENDING}
    return asked and not events and (intent.endswith(("help", "allback Intent", "fallback")) or "smalltalk" in intent)


def _settled(state: PublishedState, intent: str, events: set[str], shown: bool) -> Phase:
    if "suggestion" in events:
        return Phase.SUGGESTING
    if shown:
        return Phase.RECOMMENDING
    if "finished_recommendation" in events:
        return Phase.FINISHED
    if intent.startswith("show_profile") or (state.phase is Phase.PROFILE and intent == "help"):
        return Phase.PROFILE
    return Phase.IDLE


def answers_options(state: PublishedState, text: str, *, domain: str = "movie") -> bool:
    """Whether a message takes up the open question about an earlier mention.

    The published rows do not hold the options that were on offer, so a text counts as an answer when it says more on
    what was mentioned: a role, or the same name again or with something added.

    Args:
        state: before the message.
        text: the message.
        domain: outside the film domain the published system took every opinion for a new preference.

    Returns:
        False when nothing is asked.
    """
    if state.question not in {"item", "role", "confirmation"} or domain != "movie":
        return False
    words, before, kinds = _words(text), _words(state.last), _load().kinds
    if words & kinds and not words & kinds <= before:
        return True
    return bool(words & before) and not words < before


def _words(text: str) -> frozenset[str]:
    kept = "".join(char if char.isalnum() else " " for char in text.lower())
    return frozenset(kept.split()) - _load().ignored


class _Words(BaseModel):
    """The file's content: words for what a thing may be, and words that do not tell which one is meant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: frozenset[str]
    ignored: frozenset[str]


@cache
def _load() -> _Words:
    text = resources.files(__package__).joinpath("published.yaml").read_text("utf-8")
    try:
        return _Words.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"bot/dialogue/published.yaml: {error}; correct it") from error
