"""Which phase may follow which; `docs/dialogue.md` shows it as a chart."""

from collections.abc import Mapping
from typing import Final

from bot.dialogue.state import Phase

__all__ = ["ANYWHERE", "OWN", "TRANSITIONS"]

ANYWHERE: Final[Mapping[Phase, str]] = {
    Phase.IDLE: "start, stop, another domain",
    Phase.RECOMMENDING: "request_recommendation",
    Phase.DISAMBIGUATING: "a preference that must be asked about, delete_preference",
    Phase.SUGGESTING: "an item to rate",
    Phase.PROFILE: "show_profile",
    Phase.RESET_MENU: "reset_profile",
    Phase.RESET_CONFIRMATION: "reset_everything, reset_items, reset_properties",
}
"""Phases that a turn may lead to from anywhere, with what leads there."""

OWN: Final[Mapping[Phase, Mapping[Phase, str]]] = {
    Phase.IDLE: {},
    Phase.SUGGESTING: {
        Phase.SUGGESTING: "rated, skip, unseen",
        Phase.IDLE: "five are rated",
    },
    Phase.RECOMMENDING: {
        Phase.RECOMMENDING: "rated, skip, why, details, trailer",
        Phase.DISAMBIGUATING_WHILE_RECOMMENDING: "yes_but, no_but, a preference that must be asked about",
        Phase.FINISHED: "rated or skipped the last item, or asked for another",
    },
    Phase.DISAMBIGUATING: {Phase.IDLE: "answered, skip"},
    Phase.DISAMBIGUATING_WHILE_RECOMMENDING: {
        Phase.DISAMBIGUATING_WHILE_RECOMMENDING: "one more question",
        Phase.RECOMMENDING: "answered, skip",
        Phase.FINISHED: "answered with the last item on show",
    },
    Phase.RESET_MENU: {
        Phase.RESET_CONFIRMATION: "reset_everything, reset_items, reset_properties",
        Phase.IDLE: "deny, skip",
    },
    Phase.RESET_CONFIRMATION: {Phase.IDLE: "affirm, deny, skip"},
    Phase.PROFILE: {Phase.PROFILE: "help", Phase.IDLE: "anything else"},
    Phase.FINISHED: {Phase.RECOMMENDING: "affirm", Phase.IDLE: "anything else"},
}
"""Phase to the phases that only it leads to, or leads to in its own way."""

TRANSITIONS: Final[Mapping[Phase, frozenset[Phase]]] = {
    phase: frozenset({phase, *ANYWHERE, *own}) for phase, own in OWN.items()
}
"""Phase to every phase that one turn may lead to; a turn that changes nothing stays."""
