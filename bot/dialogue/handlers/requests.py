"""Requests for recommendations, with or without conditions."""

from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.handlers.basics import which_domain
from bot.dialogue.handlers.switches import switched_domain
from bot.dialogue.opinions import Opinion, note
from bot.dialogue.questions import raised
from bot.dialogue.scene import Handler, Move, Scene, current
from data.model import Domain
from nlu.model import Mention


def _domain(scene: Scene) -> Domain | None:
    """The domain that is wanted; None when that is anybody's guess."""
    if scene.understood.domain:
        return scene.understood.domain
    if scene.state.domain_chosen:
        return scene.state.domain
    mentioned = {given.domain for given in scene.profile.preferences}
    return mentioned.pop() if len(mentioned) == 1 else None


def _handle(scene: Scene) -> Move:
    domain = _domain(scene)
    if domain is None:
        asked = replace(which_domain(scene), mention="recommend")
        return replace(scene.move(), state=raised(scene.state, [asked]))
    move = scene.move()
    if domain != scene.state.domain or not scene.state.domain_chosen:
        move = switched_domain(move, domain)
    if beyond := scene.say.hears("beyond", scene.understood.text):
        move = move.also(scene.say("beyond_me", words=beyond.group()))
    shown = current(move.state)
    if shown:
        move = recommending.rated(move, shown, "skip")
    if shown and not scene.understood.mentions:  # "another one", "something newer": the list goes on
        narrowed = recommending.narrowed(move.state.constraints, scene.conditions)
        move = move.also(scene.say("another")).with_state(constraints=narrowed)
        return replace(move, then="refresh" if scene.conditions else "advance")
    return _new_list(scene, move.with_state(suggested=None))


def _new_list(scene: Scene, move: Move) -> Move:
    """A list under the conditions of the message; what it names is what the items should resemble."""
    resemble = []
    wanted = {value for constraint in scene.understood.constraints for value in constraint.values}
    for mention in scene.understood.mentions:
        qid = mention.accepted or (mention.candidates[0].qid if mention.candidates else None)
        if qid is None:
            move = move.also(scene.say("unknown_title", titles=[mention.text]))
        elif qid in wanted:
            continue  # "with Tom Hanks" is a condition of this list, not an opinion
        elif mention.polarity and mention.accepted and not _resembled(scene, mention):
            move = note(scene, move, Opinion(qid, mention.polarity, mention.role, mention=mention.text))
        else:
            resemble.append(qid)
    move = move.with_state(constraints=scene.understood.constraints, seeds=tuple(resemble))
    return recommending.started(scene, move)


def _resembled(scene: Scene, mention: Mention) -> bool:
    """Whether the words before a name make it an example ("something like Inception")."""
    return scene.say.hears("resembling", scene.understood.text[: mention.start]) is not None


HANDLERS = (Handler("request", lambda scene: scene.coarse == "request_recommendation", _handle),)
