"""Opinions on the item on show: rating it, criticising it."""

from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.handlers.basics import next_suggestion
from bot.dialogue.handlers.preferences import meant
from bot.dialogue.opinions import Opinion, acknowledged, note, owns, take, take_properties
from bot.dialogue.reactions import accepts
from bot.dialogue.scene import Handler, Move, Scene, current
from bot.dialogue.several import judges
from bot.dialogue.wishes import narrowed, told
from data.model import Polarity
from nlu.intents.coarse import JUDGING, OF_THE_ITEM, OF_THE_REST, STATING


def _polarity(scene: Scene) -> Polarity | None:
    """What the message says of the item itself."""
    understood = scene.understood
    if understood.item_reference and understood.item_reference.polarity:
        return understood.item_reference.polarity
    if named := [mention.polarity for mention in understood.mentions if mention.accepted == scene.shown]:
        return named[0]
    bare = not (understood.mentions or understood.property_references or scene.wishes)
    if scene.coarse in OF_THE_ITEM and (bare or understood.item_reference):
        return OF_THE_ITEM[scene.coarse]
    contrasted = [reference.polarity for reference in understood.property_references] == ["-"]
    if scene.coarse == "yes_but" and contrasted and not understood.mentions:
        return "+"  # "yes, but not the director"
    plain: Polarity | None = {"affirm": "+", "deny": "-"}.get(scene.coarse)  # type: ignore[assignment]
    none = understood.text.endswith("?") or _goes_on(scene)  # "what do I like?" is no opinion
    stated = None if none else understood.overall
    return plain or stated if bare else None


def _goes_on(scene: Scene) -> bool:
    """Whether a name that was not made out goes on with something else: "also Lord of Ring", "other author"."""
    going_on = scene.hears("continuing") or scene.hears("another")
    return going_on and scene.coarse in STATING and not judges(scene)


def _check(scene: Scene) -> bool:
    """Any opinion while an item is on show; while a question is open too, only one that says something."""
    return scene.shown is not None and scene.coarse in JUDGING and not (scene.question and _says_nothing(scene))


def _says_nothing(scene: Scene) -> bool:
    understood = scene.understood
    found = understood.mentions or understood.property_references or scene.wishes
    return not found and _polarity(scene) is None


def _handle(scene: Scene) -> Move:
    shown, polarity = scene.shown, _polarity(scene)
    if shown is None:
        return scene.move()
    others = [mention for mention in scene.understood.mentions if mention.accepted != shown]
    criticised = bool(others or scene.understood.property_references or scene.wishes)
    move = scene.move(events=frozenset({"preference"}))
    if polarity:
        move = recommending.rated(move, shown, polarity, critiqued=criticised)
        move = note(scene, move, Opinion(shown, polarity, source="rated"))
    if not criticised:
        return _plain(scene, move, rated=polarity is not None)
    return _critique(scene, move, rated=polarity is not None)


def _plain(scene: Scene, move: Move, *, rated: bool) -> Move:
    if not rated:
        unknown = scene.understood.unknown
        told = scene.say("unknown_title", titles=unknown) if unknown else scene.say("opinion_unclear")
        return move.also(told, then="remind")
    liked = "noted_accepted" if accepts(scene) else "noted_rating_liked"
    move = move.also(scene.say(liked if move.objects[-1][1] == "+" else "noted_rating_disliked"))
    return replace(move, then="advance") if current(scene.state) else next_suggestion(scene, move)


def _critique(scene: Scene, move: Move, *, rated: bool) -> Move:
    """Notes what is said of other things; the next item honours it at once."""
    understood, shown = scene.understood, scene.shown or ""
    others = [mention for mention in meant(scene) if mention.accepted != shown]
    unstated = OF_THE_REST.get(scene.coarse)
    bare = understood.property_references
    move = take(scene, move, [one for one in others if not owns(scene, one, bare)], unstated=unstated, critique=rated)
    named = [(mention.start, mention.accepted) for mention in others if mention.accepted and not rated]
    contrasted = scene.coarse in OF_THE_ITEM
    move = take_properties(
        scene,
        move,
        bare,
        named or [(0, shown)],
        unstated=unstated,
        confirm=contrasted or bool(named),
        critique=not named,
    )
    if understood.unknown:
        move = move.also(scene.say("unknown_title", titles=understood.unknown))
    if scene.wishes:
        move = move.with_state(constraints=narrowed(move.state.constraints, scene.conditions))
        conditions = [constraint.text for constraint in scene.conditions if not constraint.loose]
        move = move.also(scene.say("critique_heard", conditions=conditions)) if conditions else told(scene, move)
    leaves = rated or bool(scene.wishes) or scene.hears("next_wanted")
    if leaves and not rated and current(scene.state):
        move = recommending.rated(move, shown, "skip", critiqued=bool(scene.wishes))
    move = recommending.honoured(scene, acknowledged(scene, move), (qid for qid, sign in move.objects if sign == "-"))
    if scene.state.suggested and leaves:
        return next_suggestion(scene, move)
    return replace(move, then="refresh" if leaves else "remind")


HANDLERS = (Handler("feedback", _check, _handle),)
