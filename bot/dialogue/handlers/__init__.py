"""Everything the bot can do in a turn, one family a module, in the order in which they are tried."""

from bot.dialogue.handlers import (
    about,
    answers,
    basics,
    earlier,
    feedback,
    guards,
    preferences,
    profile,
    repair,
    requests,
    smalltalk,
    switches,
)
from bot.dialogue.scene import Handler

__all__ = ["HANDLERS"]

HANDLERS: tuple[Handler, ...] = (
    *guards.HANDLERS,
    *repair.HANDLERS,
    *answers.HANDLERS,
    *switches.HANDLERS,
    *basics.HANDLERS,
    *profile.HANDLERS,
    *earlier.HANDLERS,
    *about.HANDLERS,
    *requests.HANDLERS,
    *feedback.HANDLERS,
    *preferences.HANDLERS,
    *smalltalk.HANDLERS,
)
