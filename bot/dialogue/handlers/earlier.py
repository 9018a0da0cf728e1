"""What was suggested before: "what was the first one?"."""

from collections.abc import Iterable
from datetime import timedelta

from bot.dialogue.prompts import menu
from bot.dialogue.scene import Handler, Move, Scene
from bot.dialogue.state import Shown

_MOST = 10
"""Suggestions that are told, the latest."""
_APART = timedelta(hours=6)
"""A longer pause begins another conversation."""


def _lately(shown: Iterable[Shown]) -> list[Shown]:
    """What was recommended in this conversation, in order, each item once."""
    visit: list[Shown] = []
    for one in shown:
        if one.kind != "recommended" or one.qid in {other.qid for other in visit}:
            continue
        if visit and one.at and (before := visit[-1].at) and one.at - before > _APART:
            visit = []
        visit.append(one)
    return visit


def _earlier(scene: Scene) -> Move:
    told = _lately(scene.profile.shown)[-_MOST:]
    if not told:
        return scene.move(scene.say("nothing_shown"), options=menu(scene))
    lines = (f"{number}. {scene.name(one.qid)}" for number, one in enumerate(told, 1))
    return scene.move("\n".join([scene.say("suggested_before"), *lines]), options=menu(scene), then="remind")


HANDLERS = (Handler("earlier", lambda scene: scene.does == "earlier", _earlier),)
