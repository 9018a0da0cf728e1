"""From a turn to what it means before any language is understood: buttons, commands, unreadable input, context."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.channels.base import Turn
from bot.dialogue.scene import Action, Knowledge, current
from bot.dialogue.state import Choice, DialogueState, Question, asks_several
from bot.dialogue.wording import Voice
from data.domains import DomainConfig
from data.model import Domain
from nlu.model import Answer, Asked, Context, Reference, Understanding

__all__ = ["COMMANDS", "FreeText", "Reading", "context_of", "foreign_script", "read_directly", "readable"]

COMMANDS: Final[Mapping[str, str]] = {
    "start": "start",
    "help": "help",
    "recommend": "request_recommendation",
    "profile": "show_profile",
    "delete": "delete_preference",
    "reset": "reset_profile",
    "skip": "skip",
    "stop": "stop",
    "cancel": "stop",
    "details": "details",
    "why": "why",
    "preview": "trailer",
}
"""Commands that say the same as a coarse intent."""

_ACTIONS: Final = ("undo", "rate", "mode", "language", "domain")
"""Commands that no coarse intent covers."""

_ITEM_VERBS: Final[Mapping[str, str]] = {
    "like": "preference", "dislike": "preference", "skip": "skip", "details": "details", "why": "why",
    "preview": "trailer",
}  # fmt: skip

_ASKED: Final[Mapping[str, Asked]] = {"reset_confirmation": "confirmation"}

_CUES: Final = ("undo", "subject", "rate", "unseen", "seen", "earlier")

Reading = tuple[Understanding, Action | None]


def _certain(text: str, coarse: str, **more: object) -> Understanding:
    return Understanding(text, coarse, 1.0, ((coarse, 1.0),), **more)  # type: ignore[arg-type]


def _acting(text: str, name: str, value: str = "") -> Reading:
    return _certain(text, "fallback"), Action(name, value)


def unreadable(turn: Turn, longest: int) -> str | None:
    """Why a message cannot be read at all: a key of the wording; None when it can."""
    if turn.kind == "media":
        return "media"
    text = readable(turn.text)
    if turn.kind == "option" or text.startswith("/"):
        return None
    if not text:
        return "empty"
    if len(text) > longest:
        return "too_long"
    return None if any(char.isalnum() for char in text) else "no_words"


def readable(text: str) -> str:
    """The text without control and invisible characters."""
    kept = (" " if unicodedata.category(char)[0] == "C" else char for char in text)
    return " ".join("".join(kept).split())


def foreign_script(text: str) -> bool:
    """Whether there are letters and none of them is Latin."""
    letters = [char for char in text if char.isalpha()]
    return bool(letters) and not any("LATIN" in unicodedata.name(char, "") for char in letters)


def understood_command(text: str, domains: Mapping[Domain, DomainConfig]) -> Reading:
    """What a message that starts with "/" asks for; an unknown command is an action of its own."""
    name, _, value = text[1:].partition(" ")
    name, value = name.split("@")[0].casefold(), value.strip().casefold()
    if name in COMMANDS:
        return _certain(text, COMMANDS[name]), None
    if name in _ACTIONS:
        return _acting(text, name, value)
    domain = _domain_named(name, domains)
    return _acting(text, "domain", domain) if domain else _acting(text, "unknown_command", name)


def _domain_named(name: str, domains: Mapping[Domain, DomainConfig]) -> Domain | None:
    for domain, config in domains.items():
        if name == domain or name in (label.casefold() for label in config.labels.values()):
            return domain
    return None


def understood_option(turn: Turn, state: DialogueState) -> Reading:
    """What a pressed button means; one that belongs to nothing open any more is the action "stale"."""
    verb, _, rest = (turn.option or "").partition(":")
    if verb == "do":
        name, _, value = rest.partition(":")
        if name in COMMANDS:
            return _certain(turn.text, COMMANDS[name]), None
        return _acting(turn.text, name, value) if name in _ACTIONS else _acting(turn.text, "stale")
    if verb in _ITEM_VERBS or verb in {"seen", "unseen"}:
        return _on_item(turn, state, verb, rest)
    return _on_question(turn, state.questions, verb, rest)


def _on_item(turn: Turn, state: DialogueState, verb: str, qid: str) -> Reading:
    if qid not in {current(state), state.suggested}:
        return _acting(turn.text, "stale")
    if verb in {"seen", "unseen"}:
        return _acting(turn.text, verb)
    polarity = {"like": "+", "dislike": "-"}.get(verb)
    reference = Reference(0, 0, "", polarity) if polarity else None  # type: ignore[arg-type]
    return _certain(turn.text, _ITEM_VERBS[verb], item_reference=reference), None


def _on_question(turn: Turn, questions: Iterable[Question], verb: str, rest: str) -> Reading:
    serial = rest.partition(":")[0]
    question = next((asked for asked in questions if str(asked.serial) == serial), None)
    ids = [choice.id for choice in question.choices] if question else []
    chosen = tuple(
        place for place, known in enumerate(ids) if verb == "all" or (verb == "pick" and known == turn.option)
    )
    if not chosen and (question is None or verb != "none"):
        return _acting(turn.text, "stale")
    return _certain(turn.text, "inform", answer=Answer(chosen, none=verb == "none")), Action("answer", serial)


@dataclass(frozen=True, slots=True)
class FreeText:
    """A message that has to be understood, with what fixed words in it ask for."""

    text: str
    action: Action | None = None


def read_directly(
    turn: Turn, state: DialogueState, know: Knowledge, voices: Iterable[Voice], voice: Voice
) -> Reading | FreeText:
    """What a turn means as far as no language needs to be understood.

    Args:
        turn: what the user did.
        state: before the turn.
        know: the domains and the policy.
        voices: all languages, for the words that switch to one.
        voice: the language in force.

    Returns:
        The meaning of a button, a command or something unreadable; else the text to understand.
    """
    if key := unreadable(turn, know.policy.longest_message):
        return _acting(turn.text, "unreadable", key)
    if turn.kind == "option":
        return understood_option(turn, state)
    text = readable(turn.text)
    if text.startswith("/"):
        return understood_command(text, know.domains)
    text = voice.spelled(text)
    if dismissed := voice.hears("dismissing", text):
        text = text[dismissed.end() :]
    return FreeText(text, cue_action(text, voices, voice))


def cue_action(text: str, voices: Iterable[Voice], voice: Voice) -> Action | None:
    """What fixed words ask for ("undo", "speak Italian", "no buttons"), if any."""
    for other in voices:
        if other.hears("this_language", text):
            return Action("language", other.language)
    for mode in ("nl", "mixed", "buttons"):
        if voice.hears(f"mode_{mode}", text):
            return Action("mode", mode)
    return next((Action(cue) for cue in _CUES if voice.hears(cue, text)), None)


def _spelled(choice: Choice, domains: Mapping[Domain, DomainConfig]) -> str:
    """The label of an option; a role with its other names: "actor (actress, cast, starring)"."""
    found = (config.properties.get(choice.property or "") for config in domains.values())
    other = [alias for config in found if config for aliases in config.aliases.values() for alias in aliases]
    return f"{choice.label} ({', '.join(dict.fromkeys(other))})" if other else choice.label


def context_of(state: DialogueState, domains: Mapping[Domain, DomainConfig]) -> Context:
    """What the understanding may know of the conversation."""
    question = state.questions[-1] if state.questions else None
    shown = current(state) or state.suggested
    open_now = question is not None and question.times > 0 and question.age == 0
    answerable = open_now or not shown or (question is not None and question.kind in {"item", "role"})
    asked: Asked | None = "rating" if shown else None
    if question is not None and (open_now or not shown):
        asked = "item" if asks_several(question) else _ASKED.get(question.kind, question.kind)  # type: ignore[arg-type]
    asked_about = [question.qid] if question and question.qid else []
    recent = (*asked_about, *(change.qid for change in reversed(state.history)))
    return Context(
        domain=state.domain,
        language=state.language,
        asked=asked,
        options=tuple(_spelled(choice, domains) for choice in question.choices) if question and answerable else (),
        shown=shown,
        recent=tuple(dict.fromkeys(([shown] if shown else []) + list(recent))),
    )
