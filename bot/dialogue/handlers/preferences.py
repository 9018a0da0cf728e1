"""Preferences in free text: several things and opinions in one message."""

from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.opinions import acknowledged, owns, take, take_properties, with_properties
from bot.dialogue.scene import Handler, Move, Scene
from data.model import Domain, Polarity
from nlu.intents.coarse import OF_THE_REST, STATING
from nlu.model import Mention


def _check(scene: Scene) -> bool:
    named = bool(scene.understood.mentions)
    return scene.coarse in STATING - {"inform"} or (scene.coarse in STATING | {"fallback"} and named)


def _handle(scene: Scene) -> Move:
    understood = scene.understood
    unstated = OF_THE_REST.get(scene.coarse) if scene.shown else None
    mentions, bare = with_properties(meant(scene), understood.property_references)
    move = take(scene, scene.move(), [one for one in mentions if not owns(scene, one, bare)], unstated=unstated)
    named = [(mention.start, mention.accepted) for mention in mentions if mention.accepted]
    move = take_properties(scene, move, bare, named, unstated=_only_polarity(scene))
    move = acknowledged(scene, move)
    told = scene.say("unknown_title", titles=understood.unknown) if understood.unknown else ""
    if not understood.mentions:
        return move.with_state(unplaced=understood.overall).also(told or scene.say("nothing_recognised"))
    move = (move.also(told) if told else move).with_state(unplaced=None)
    move = _settled_domain(scene, move)
    if scene.hears("next_wanted") and not (move.state.questions or scene.shown):
        return recommending.started(scene, move)
    return _hinted(scene, move)


def meant(scene: Scene) -> tuple[Mention, ...]:
    """What the message has an opinion on: in "It by Stephen King" the book, not the author who only tells which."""
    found = scene.understood.mentions
    introduced = {
        value
        for constraint in scene.understood.constraints
        for value in constraint.values
        if not constraint.negated and not any(constraint.text == mention.text for mention in found)
    }
    holders = {qid for value in introduced for qid in scene.know.catalogue.holders(value)}
    if not any(mention.accepted in holders for mention in found):
        return found
    return tuple(mention for mention in found if mention.accepted not in introduced)


def _only_polarity(scene: Scene) -> Polarity | None:
    stated = {mention.polarity for mention in scene.understood.mentions if mention.polarity}
    return stated.pop() if len(stated) == 1 else None


def _settled_domain(scene: Scene, move: Move) -> Move:
    """The domain of what was named becomes the domain of the conversation when none was chosen yet."""
    if scene.state.domain_chosen or not move.objects:
        return move
    if scene.understood.domain:
        return move.with_state(domain=scene.understood.domain, domain_chosen=True)
    noted = {given.domain for given in move.profile.preferences if (given.qid, given.polarity) in move.objects}
    domain: Domain | None = noted.pop() if len(noted) == 1 else None
    return move.with_state(domain=domain, domain_chosen=True) if domain else move


def _hinted(scene: Scene, move: Move) -> Move:
    """A hint on what to do next, now and then while little is known."""
    count = len(move.profile.preferences)
    if not move.objects or move.state.questions or count not in {1, scene.know.policy.thin}:
        return move
    return replace(move.also(scene.say("hint_more" if count < scene.know.policy.thin else "hint_ready")))


HANDLERS = (Handler("preference", _check, _handle),)
