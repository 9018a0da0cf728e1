"""Showing the profile, deleting from it and resetting it."""

from collections.abc import Sequence
from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.opinions import REMEMBERED
from bot.dialogue.profile import known, reset, without
from bot.dialogue.prompts import menu
from bot.dialogue.questions import raised, yes_or_no
from bot.dialogue.scene import Handler, Move, Scene
from bot.dialogue.state import Change, Choice, Phase, Preference, Question
from data.model import Domain, Qid
from nlu.intents.coarse import RESETS

OFFERED = 6
"""Preferences offered for deletion when none was named."""


def _show(scene: Scene) -> Move:
    move = recommending.left(scene.move(then="none")).with_state(phase=Phase.PROFILE)
    lines = []
    for domain in scene.know.domains:
        for polarity, key in (("+", "profile_liked"), ("-", "profile_disliked")):
            names = [scene.named_in_role(given) for given in known(scene.profile, domain) if given.polarity == polarity]
            if names:
                lines.append(scene.say(key, domain=scene.domain_label(domain), names=names))
    if not lines:
        return move.also(scene.say("profile_empty"), options=menu(scene))
    told = (scene.say("profile_title"), *lines, scene.say("profile_footer"))
    return move.also(*told, options=menu(scene, "delete", "reset"))


def _named(scene: Scene) -> list[Preference]:
    """Preferences that the message names, by entity or by words of their names."""
    wanted = {
        qid
        for mention in scene.understood.mentions
        for qid in (mention.accepted, *(candidate.qid for candidate in mention.candidates))
    }
    if found := [given for given in scene.profile.preferences if given.qid in wanted]:
        return found
    text = f" {scene.turn.text.casefold()} "
    return [
        given
        for given in scene.profile.preferences
        if f" {scene.know.catalogue.label(given.qid, scene.state.language).casefold()} " in text.replace(".", " ")
    ]


def _delete(scene: Scene) -> Move:
    named = _named(scene)
    move = recommending.left(scene.move()) if scene.phase is Phase.PROFILE else scene.move()
    if len(named) == 1:
        return deleted(scene, move, [named[0].qid])
    if not named and scene.understood.mentions:
        unknown = [mention.text for mention in scene.understood.mentions]
        return move.also(scene.say("not_in_profile", titles=unknown), events={"preference"}, then="none")
    offered = named or list(reversed(scene.profile.preferences))
    if not offered:
        return move.also(scene.say("profile_empty"), events={"preference"}, then="none")
    choices = tuple(Choice("", scene.named_in_role(given), qid=given.qid) for given in offered[:OFFERED])
    return move.also(state=raised(move.state, [Question("delete", choices)]), events={"preference"})


def deleted(scene: Scene, move: Move, qids: Sequence[Qid]) -> Move:
    """The move without opinions on these."""
    names = [scene.name(qid) for qid in qids]
    gone = [given for given in move.profile.preferences if given.qid in qids]
    undoing = tuple(Change(given.qid, given.polarity, given.polarity, domain=given.domain) for given in gone)
    kept = tuple(change for change in move.state.history if change.qid not in qids)
    move = replace(move, profile=without(move.profile, qids))
    return move.with_state(history=(*kept, *undoing)[-REMEMBERED:]).also(
        scene.say("deleted", names=names), events={"preference"}
    )


def _ask_reset(scene: Scene) -> Move:
    if scene.coarse != "reset_profile":
        move = recommending.left(scene.move(events=frozenset({"question"}))).with_state(questions=())
        return confirm_reset(scene, move, scene.coarse.removeprefix("reset_"), scene.state.domain)
    label = scene.domain_label(scene.state.domain)
    choices = tuple(Choice("", scene.say.label(name, domain=label)) for name in RESETS)
    move = recommending.left(scene.move()).with_state(questions=())
    return replace(move, state=raised(move.state, [Question("reset", choices)]))


def confirm_reset(scene: Scene, move: Move, target: str, domain: Domain) -> Move:
    """The move with a warning of what is about to be forgotten, to be confirmed."""
    what = scene.say.label(f"reset_{target}", domain=scene.domain_label(domain))
    asked = Question("reset_confirmation", yes_or_no(scene), target, domain=domain)
    return move.also(scene.say("reset_warning", what=what), state=raised(move.state, [asked]))


def reset_done(scene: Scene, move: Move, target: str, domain: Domain) -> Move:
    """The move without what was to be reset: all of it, or a domain's items or other preferences."""

    def is_item(qid: Qid) -> bool:
        entity = scene.know.catalogue.get(qid)
        return bool(entity and entity.is_item)

    def keeps(given: Preference) -> bool:
        return target != "everything" and (given.domain != domain or is_item(given.qid) != (target == "items"))

    def keeps_shown(domain_shown: Domain) -> bool:
        return target == "properties" or (target == "items" and domain_shown != domain)

    profile = reset(move.profile, keeps, lambda shown: keeps_shown(shown.domain))
    cycles = {} if target == "everything" else {**move.state.cycles, domain: (0, 0)}
    move = replace(move, profile=profile).with_state(history=(), cycles=cycles)
    return move.also(scene.say(f"reset_done_{target}", domain=scene.domain_label(domain)), then="none")


HANDLERS = (
    Handler("show_profile", lambda scene: scene.coarse == "show_profile", _show),
    Handler("delete_preference", lambda scene: scene.coarse == "delete_preference", _delete),
    Handler("reset", lambda scene: scene.coarse in {"reset_profile", *RESETS}, _ask_reset),
)
