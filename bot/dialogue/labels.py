"""The one table of labels: exact intents, contexts with life spans, and the order of events.

A text is classified into a coarse intent; the phase of the conversation decides which of the published intents it
is. `EXACT` is that table; `nlu.intents.coarse` is the way back, used to train on published rows.
"""

from collections.abc import Collection, Mapping
from typing import Final, Literal

from bot.dialogue import families
from bot.dialogue.state import Phase, QuestionKind
from data.formats.converse import CONTEXTS
from nlu.intents.coarse import CHOOSING, COARSE, COARSE_INTENTS, SMALL_TALK, coarse_intent

__all__ = [
    "COARSE",
    "COARSE_INTENTS",
    "CONTEXT_ORDER",
    "EXACT",
    "SMALL_TALK",
    "coarse_intent",
    "contexts_after",
    "exact_intent",
    "order_events",
]

ResetTarget = Literal["everything", "items", "properties"]

_REC: Final = "request_recommendation"
_PREF: Final = "preference"
_DELETE: Final = "show_profile - delete_preference"

# ---------------------------------------------------------------------------------------- coarse + phase -> exact

I, S, R, D = Phase.IDLE, Phase.SUGGESTING, Phase.RECOMMENDING, Phase.DISAMBIGUATING  # noqa: E741
X, M, C = Phase.DISAMBIGUATING_WHILE_RECOMMENDING, Phase.RESET_MENU, Phase.RESET_CONFIRMATION
P, F = Phase.PROFILE, Phase.FINISHED

EXACT: Final[Mapping[str, Mapping[Phase | None, str]]] = {
    # None: every phase without an entry of its own; {reset}: reset_everything, reset_movies or reset_properties
    "preference": {None: _PREF, R: f"{_REC} - preference", X: f"{_REC} - preference"},
    "inform": {
        None: _PREF,
        R: f"{_REC} - preference",
        D: "preference - disambiguation",
        X: f"{_REC} - critiquing - disambiguation",
    },
    "affirm": {
        None: "smalltalk.confirmation.yes",
        S: _PREF,
        R: f"{_REC} - preference",
        D: "preference - yes",
        X: f"{_REC} - critiquing - yes",
        C: "reset - {reset} - yes",
    },
    "deny": {
        None: "smalltalk.confirmation.no",
        S: _PREF,
        R: f"{_REC} - preference",
        D: "preference - no",
        X: f"{_REC} - critiquing - no",
        M: "reset_profile - cancel",
        C: "reset - {reset} - no",
    },
    "skip": {
        None: "skip",
        R: f"{_REC} - skip",
        X: f"{_REC} - skip",
        M: "reset_profile - cancel",
        C: "reset_profile - cancel",
    },
    "stop": {
        None: "smalltalk.confirmation.cancel",
        R: f"{_REC} - stop",
        X: f"{_REC} - stop",
        M: "reset_profile - cancel",
        C: "reset_profile - cancel",
    },
    "request_recommendation": {None: _REC},
    "details": {None: f"{_REC} - details"},
    "why": {None: f"{_REC} - why"},
    "trailer": {None: f"{_REC} - trailer"},
    "yes_but": {None: _PREF, R: f"{_REC} - yes_but", X: f"{_REC} - yes_but"},
    "no_but": {None: _PREF, R: f"{_REC} - no_but", X: f"{_REC} - no_but"},
    "show_profile": {None: "show_profile"},
    "delete_preference": {None: _DELETE},
    "reset_profile": {None: "reset_profile"},
    "reset_everything": {None: "reset_profile", M: "reset - reset_everything", C: "reset - reset_everything"},
    "reset_items": {None: "reset_profile", M: "reset - reset_movies", C: "reset - reset_movies"},
    "reset_properties": {None: "reset_profile", M: "reset - reset_properties", C: "reset - reset_properties"},
    "help": {
        None: "help",
        R: f"{_REC} - help",
        D: "preference - help",
        X: f"{_REC} - critiquing - help",
        P: "show_profile - help",
    },
    "start": {None: "start"},
    "greet": {None: "smalltalk.greetings.hello"},
    "bye": {None: "smalltalk.greetings.bye"},
    "thanks": {None: "smalltalk.appraisal.thank_you"},
    "praise": {None: "smalltalk.appraisal.good"},
    "chitchat": {None: "smalltalk.agent.chatbot"},
    "fallback": {
        None: "Default Fallback Intent",
        R: f"{_REC} - fallback",
        D: "preference - disambiguation_fallback",
        X: f"{_REC} - critiquing - fallback",
    },
}
"""Coarse intent, then phase, to the exact intent."""

_WHILE_DELETING: Final = {
    "inform": f"{_DELETE} - disambiguation",
    "preference": f"{_DELETE} - disambiguation",
    "deny": f"{_DELETE} - disambiguation",
    "affirm": "smalltalk.confirmation.yes",
    "help": f"{_DELETE} - help",
    "fallback": "Default Fallback Intent",
}
"""Exceptions while "which one do you want to delete?" is open."""

_ANSWERS: Final = {D: "preference - disambiguation", X: f"{_REC} - critiquing - disambiguation"}
"""What any text is that picks one of the options on offer ("I like the second one")."""

_RESETS: Final[Mapping[ResetTarget | None, str]] = {
    "everything": "reset_everything", "items": "reset_movies", "properties": "reset_properties",
    None: "reset_everything",
}  # fmt: skip


def exact_intent(
    coarse: str,
    phase: Phase,
    *,
    question: QuestionKind | None = None,
    answers: bool = False,
    reset: ResetTarget | None = None,
    text: str = "",
) -> str:
    """The published intent of a message.

    Args:
        coarse: one of `COARSE_INTENTS` or "fallback".
        phase: where the conversation stood before the message.
        question: kind of the open question, if any.
        answers: whether the text picks from the options on offer; then it is an answer, whatever else it looks like.
        reset: what the user wants to reset, once said; needed in the reset phases.
        text: the message; tells the families of small talk apart.

    Returns:
        One of the published intents.

    Raises:
        KeyError: for an unknown coarse intent.
    """
    row = EXACT[coarse]
    if label := families.published_label(coarse, text):
        return label
    if coarse in {"affirm", "deny"} and phase is R and families.acknowledges(text):
        return row[None]
    answered = (answers and coarse in CHOOSING) or _agrees_or_not(coarse, question)
    if question == "delete" and (answered or coarse in _WHILE_DELETING):
        return _WHILE_DELETING["inform" if answered else coarse]
    if phase in _ANSWERS and answered:
        return _ANSWERS[phase]
    return row.get(phase, row[None]).format(reset=_RESETS[reset])


def _agrees_or_not(coarse: str, question: QuestionKind | None) -> bool:
    """A bare "no" to "which one of these?" chooses none of them; only to a confirmation it is a no."""
    return coarse in {"affirm", "deny"} and question in {"item", "role", "polarity"}


# ------------------------------------------------------------------------------------------------------- contexts

CONTEXT_ORDER: Final = CONTEXTS
"""The published order of contexts within a row."""

_REC_ONLY: Final = {"request_recommendation-followup": 1}
_CRITIQUING: Final = {"request_recommendation-followup": 1, "request_recommendation-critiquing-followup": 2}

_SETS: Final[Mapping[str, Mapping[str, int]]] = {
    "preference": {"preference-followup": 2},
    "preference - disambiguation": {"property_type_disambiguation": 5, "preference-followup": 2},
    "preference - disambiguation_fallback": {"property_type_disambiguation": 2, "preference-followup": 2},
    "preference - help": {"property_type_disambiguation": 1, "preference-followup": 1},
    "preference - no": {"preference-followup": 1},
    "preference - yes": {"preference-followup": 1},
    _REC: _REC_ONLY,
    f"{_REC} - details": _REC_ONLY,
    f"{_REC} - fallback": _REC_ONLY,
    f"{_REC} - help": _REC_ONLY,
    f"{_REC} - skip": _REC_ONLY,
    f"{_REC} - trailer": _REC_ONLY,
    f"{_REC} - why": _REC_ONLY,
    f"{_REC} - preference": {"request_recommendation-followup": 1, "request_recommendation-preference-followup": 2},
    f"{_REC} - stop": {"request_recommendation-followup": 0, "request_recommendation-preference-followup": 0},
    f"{_REC} - yes_but": _CRITIQUING,
    f"{_REC} - no_but": _CRITIQUING,
    f"{_REC} - critiquing - yes": _CRITIQUING,
    f"{_REC} - critiquing - no": _CRITIQUING,
    f"{_REC} - critiquing - disambiguation": {
        "request_recommendation-followup": 1, "request_recommendation-critiquing-followup": 5,
    },
    f"{_REC} - critiquing - fallback": {
        "property_type_disambiguation": 2, "request_recommendation-critiquing-followup": 2,
    },
    f"{_REC} - critiquing - help": {
        "request_recommendation-followup": 1, "property_type_disambiguation": 1,
        "request_recommendation-critiquing-followup": 1,
    },
    "reset_profile": {"show_profile-reset-followup": 2, "reset_profile-followup": 2},
    "reset_profile - cancel": {"reset_profile-followup": 0},
    "reset - reset_everything": {"show_profile-reset-reset_everything-followup": 1},
    "reset - reset_movies": {"show_profile-reset-reset_movies-followup": 1},
    "reset - reset_properties": {"show_profile-reset-reset_properties-followup": 1},
    "show_profile": {"show_profile-followup": 2},
    "show_profile - help": {"show_profile-followup": 1},
    _DELETE: {"show_profile-delete_preference-followup": 2},
    f"{_DELETE} - disambiguation": {"property_type_disambiguation": 5},
    f"{_DELETE} - help": {"property_type_disambiguation": 1, "show_profile-delete_preference-followup": 1},
}  # fmt: skip
"""Intent to the contexts it sets, with their life spans in turns; 0 clears."""


def contexts_after(
    previous: Mapping[str, int], intent: str, *, domain: str, question: QuestionKind | None = None
) -> dict[str, int]:
    """Contexts that are alive after a turn.

    Every context ages by one turn, then the intent sets its own. An open question keeps its own contexts alive.

    Args:
        previous: context name to remaining turns, as this function returned it for the turn before.
        intent: exact intent of this turn.
        domain: "preference-disambiguation-followup" exists outside the film domain only.
        question: kind of the question that was open before the turn.

    Returns:
        Context name to remaining turns, in the published order.
    """
    if intent.startswith("smalltalk."):
        return {}
    alive = {name: left - 1 for name, left in previous.items() if left > 1}
    alive.pop("property_type_disambiguation", None)
    alive.update(_kept_by(intent, question))
    alive.update(_SETS.get(intent, {}))
    if intent == "preference - disambiguation" and domain != "movie":
        alive["preference-disambiguation-followup"] = 2
    return {name: alive[name] for name in CONTEXT_ORDER if alive.get(name, 0) > 0}


def _kept_by(intent: str, question: QuestionKind | None) -> dict[str, int]:
    """Contexts of the question that was open; a change of subject shows no more than its ordinary ones."""
    if question == "confirmation" and intent in {"preference - yes", "preference - no"}:
        return {"confirmation": 1, "preference-followup": 1}
    if question == "confirmation" and intent.startswith(f"{_REC} - critiquing"):
        return {"confirmation": 1}
    if question is not None and intent in {"preference", "skip"}:
        return {"property_type_disambiguation": 1, "preference-followup": 1}
    return {}


# --------------------------------------------------------------------------------------------------------- events


def order_events(intent: str, events: Collection[str], *, while_shown: bool = False) -> tuple[str, ...]:
    """Events of a turn in the order in which the published files write them.

    Args:
        intent: exact intent of the turn.
        events: names, in any order; unknown names come last, alphabetically.
        while_shown: whether an item was already on show (a repeated request is written the other way round).

    Returns:
        Each event once.
    """
    names = set(events)
    order = _order(intent, names, while_shown)
    return (*(name for name in order if name in names), *sorted(names - set(order)))


def _order(intent: str, names: set[str], while_shown: bool) -> tuple[str, ...]:
    if "suggestion" in names:
        return ("preference", "recommendation", "question", "disambiguation", "suggestion")
    if "finished_recommendation" in names:
        if intent.endswith("- skip"):
            return ("recommendation", "finished_recommendation")
        return ("finished_recommendation", "preference", "recommendation", "question")
    if "recommendation" in names:
        return _order_with_item(intent, names, while_shown)
    if intent == "skip" or intent.endswith("- disambiguation"):
        return ("preference", "question", "disambiguation")
    return ("question", "preference", "disambiguation")


def _order_with_item(intent: str, names: set[str], while_shown: bool) -> tuple[str, ...]:
    if intent.endswith(("yes_but", "no_but", "critiquing - disambiguation")):
        return ("preference", "recommendation", "question", "disambiguation")
    if "preference" in names:
        pair = "question" not in names
        return ("preference", "recommendation") if pair else ("recommendation", "question", "preference")
    first_request = intent == _REC and not while_shown
    if first_request or intent.endswith("- trailer"):
        return ("question", "recommendation")
    return ("recommendation", "question")
