"""The coarse intents that the text classifier tells apart, and which of them each published intent is."""

from collections.abc import Mapping
from typing import Final

from data.model import Polarity
from nlu.intents.rules import decided

__all__ = [
    "ABOUT_THE_ITEM",
    "ANSWERING",
    "CHOOSING",
    "COARSE",
    "COARSE_INTENTS",
    "JUDGING",
    "OF_THE_ITEM",
    "OF_THE_REST",
    "REACTING",
    "RESETS",
    "SMALL_TALK",
    "STATING",
    "TALK",
    "coarse_intent",
]

COARSE_INTENTS: Final = (
    "preference", "inform", "affirm", "deny", "skip", "stop", "request_recommendation", "details", "why", "trailer",
    "yes_but", "no_but", "show_profile", "delete_preference", "reset_profile", "reset_everything", "reset_items",
    "reset_properties", "help", "start", "greet", "bye", "thanks", "praise", "chitchat",
)  # fmt: skip
"""What the text classifier tells apart; "fallback" is decided afterwards."""

OF_THE_ITEM: Final[Mapping[str, Polarity]] = {"yes_but": "+", "no_but": "-"}
"""Critiques, with what they say of the item on show."""
OF_THE_REST: Final[Mapping[str, Polarity]] = {"yes_but": "-", "no_but": "+"}
"""Critiques, with what they say of the things that are named against it."""

STATING: Final = frozenset({"preference", "inform", *OF_THE_ITEM})
"""What may state a preference: an opinion, or a bare name."""
JUDGING: Final = STATING | {"affirm", "deny"}
"""What may rate the item on show."""
REACTING: Final = JUDGING | {"praise", "chitchat"}
"""What may be a change of mind."""
CHOOSING: Final = frozenset({"preference", "inform", "praise", "chitchat", "greet", "fallback"})
"""What may name one of the options on offer: "Hello" is a greeting and a song."""
ANSWERING: Final = CHOOSING | {"affirm", "deny"}
"""What may answer an open question."""
TALK: Final = frozenset({"praise", "chitchat", "greet", "thanks", "bye"})
"""What is said for the sake of company."""
ABOUT_THE_ITEM: Final = frozenset({"details", "why", "trailer"})
"""Questions about the item on show."""
RESETS: Final = ("reset_items", "reset_properties", "reset_everything")
"""What the reset menu offers, in its order."""

_REC: Final = "request_recommendation"
_DELETE: Final = "show_profile - delete_preference"

SMALL_TALK: Final[Mapping[str, str]] = {
    "smalltalk.agent.acquaintance": "chitchat",
    "smalltalk.agent.age": "chitchat",
    "smalltalk.agent.bad": "chitchat",
    "smalltalk.agent.beautiful": "praise",
    "smalltalk.agent.can_you_help": "help",
    "smalltalk.agent.chatbot": "chitchat",
    "smalltalk.agent.fired": "chitchat",
    "smalltalk.agent.good": "chitchat",
    "smalltalk.agent.my_friend": "chitchat",
    "smalltalk.agent.ready": "chitchat",
    "smalltalk.agent.residence": "chitchat",
    "smalltalk.appraisal.bad": "chitchat",
    "smalltalk.appraisal.good": "praise",
    "smalltalk.appraisal.no_problem": "thanks",
    "smalltalk.appraisal.thank_you": "thanks",
    "smalltalk.appraisal.welcome": "thanks",
    "smalltalk.confirmation.cancel": "stop",
    "smalltalk.confirmation.no": "deny",
    "smalltalk.confirmation.yes": "affirm",
    "smalltalk.emotions.ha_ha": "chitchat",
    "smalltalk.greetings.bye": "bye",
    "smalltalk.greetings.hello": "greet",
    "smalltalk.greetings.how_are_you": "chitchat",
    "smalltalk.user.angry": "chitchat",
    "smalltalk.user.likes_agent": "chitchat",
    "smalltalk.user.loves_agent": "chitchat",
    "smalltalk.user.needs_advice": "request_recommendation",
}
"""The small-talk intents of the published files (and the one that ours adds) to coarse intents."""

COARSE: Final[Mapping[str, str]] = {
    "Default Fallback Intent": "fallback",
    "Default Welcome Intent": "greet",
    "help": "help",
    "preference": "preference",
    "preference - disambiguation": "inform",
    "preference - disambiguation_fallback": "fallback",
    "preference - help": "help",
    "preference - no": "deny",
    "preference - yes": "affirm",
    f"{_REC} - critiquing - disambiguation": "inform",
    f"{_REC} - critiquing - fallback": "fallback",
    f"{_REC} - critiquing - help": "help",
    f"{_REC} - critiquing - no": "deny",
    f"{_REC} - critiquing - yes": "affirm",
    f"{_REC} - details": "details",
    f"{_REC} - fallback": "fallback",
    f"{_REC} - help": "help",
    f"{_REC} - no_but": "no_but",
    f"{_REC} - preference": "preference",
    f"{_REC} - skip": "skip",
    f"{_REC} - stop": "stop",
    f"{_REC} - trailer": "trailer",
    f"{_REC} - why": "why",
    f"{_REC} - yes_but": "yes_but",
    _REC: "request_recommendation",
    "reset - reset_everything": "reset_everything",
    "reset - reset_everything - no": "deny",
    "reset - reset_everything - yes": "affirm",
    "reset - reset_movies": "reset_items",
    "reset - reset_movies - no": "deny",
    "reset - reset_movies - yes": "affirm",
    "reset - reset_properties": "reset_properties",
    "reset - reset_properties - no": "deny",
    "reset - reset_properties - yes": "affirm",
    "reset_profile": "reset_profile",
    "reset_profile - cancel": "stop",
    "show_profile": "show_profile",
    "show_profile - help": "help",
    _DELETE: "delete_preference",
    f"{_DELETE} - disambiguation": "inform",
    f"{_DELETE} - help": "help",
    "skip": "skip",
    "start": "start",
    **SMALL_TALK,
}
"""Exact intent to the coarse one, where the text does not decide (see `coarse_intent`)."""


def coarse_intent(exact: str, text: str) -> str:
    """The coarse intent of a published row: its label's, but for texts whose form says what they are by themselves.

    An answer that states an opinion ("I like the second") is a preference, a bare "yes" an affirmation: which intent
    they become is the phase's doing.

    Args:
        exact: published intent.
        text: the message.

    Returns:
        One of `COARSE_INTENTS`, "fallback" for the fallback intents, "chitchat" for small talk never seen before.
    """
    otherwise = "chitchat" if exact.startswith("smalltalk.") else "fallback"
    return decided("forms", exact, text) or COARSE.get(exact, otherwise)
