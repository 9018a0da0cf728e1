"""Repairing what was misunderstood: taking back, correcting, changing one's mind."""

from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.namesakes import asked_of_a_name, namesake
from bot.dialogue.opinions import Opinion, acknowledged, note, take, take_properties
from bot.dialogue.profile import with_preference, without
from bot.dialogue.questions import MENUS, raised, resolved, role_said
from bot.dialogue.scene import Handler, Move, Scene, current
from bot.dialogue.state import Change, Choice, Preference, Question
from data.model import Polarity, PropertyId, Qid
from nlu.entities.answers import read_answer
from nlu.entities.message import Message
from nlu.entities.words import load_words
from nlu.intents.coarse import ANSWERING, REACTING
from nlu.model import Mention, Reference

_FRESH = 3
"""Turns for which a correction that names nothing is about what was stored last."""


def _last(scene: Scene) -> Change | None:
    return scene.state.history[-1] if scene.state.history else None


def taken_back(move: Move, change: Change) -> Move:
    """The move with the profile as it was before a change."""
    old = next((given for given in move.profile.preferences if given.qid == change.qid), None)
    profile = without(move.profile, [change.qid])
    if change.previous:
        before = old or Preference(change.qid, change.previous, change.domain or move.state.domain)
        profile = with_preference(move.profile, replace(before, polarity=change.previous))
    return replace(move, profile=profile).with_state(
        history=tuple(other for other in move.state.history if other is not change)
    )


def _undo(scene: Scene) -> Move:
    named = {_likely(mention) for mention in scene.understood.mentions}
    about = [change for change in reversed(scene.state.history) if change.qid in named]
    told_of = [mention.accepted for mention in scene.understood.mentions if mention.accepted]
    if told_of and not about:
        return scene.move(scene.say("not_in_profile", titles=[scene.name(qid) for qid in told_of]), then="remind")
    change = about[0] if about else _last(scene)
    if change is None:
        return scene.move(scene.say("nothing_to_undo"), then="remind")
    move = taken_back(scene.move(events=frozenset({"preference"})), change)
    return move.also(scene.say("undone", item=scene.name(change.qid)), then="remind")


# --------------------------------------------------------------------------------------- "no, I meant the 1999 one"


def corrects(scene: Scene) -> bool:
    """Whether the message corrects what was understood."""
    heard = scene.hears("correction") and bool(_last(scene) or _guessed(scene) or _denied(scene))
    return not scene.does and (heard or namesake(scene) is not None)


def _guessed(scene: Scene) -> Question | None:
    """An open question about one thing that the bot took the words for."""
    question = scene.question
    return question if question and question.kind in {"polarity", "role", "confirmation"} else None


def _denied(scene: Scene) -> set[Qid | None]:
    """What the message says was not meant: "not Dune, I meant Neuromancer". That is no opinion on it."""
    text = scene.understood.text
    return {_likely(one) for one in scene.understood.mentions if scene.say.hears("denying", text[: one.start])}


def _of_that_name(scene: Scene, other: Qid) -> Move:
    """The item of another kind in place of the one that was understood, with the same opinion."""
    move, question, change = scene.move(events=frozenset({"preference"})), asked_of_a_name(scene), _last(scene)
    polarity = question.polarity if question else None
    if question:
        move = replace(move, state=resolved(move.state, question))
    elif change:
        move, polarity = taken_back(move, change), change.polarity
    meant = Mention(0, 0, scene.name(other), (), other, polarity)
    return replace(acknowledged(scene, take(scene, move, [meant])), then="ask" if polarity is None else "remind")


def _correct(scene: Scene) -> Move:
    if other := namesake(scene):
        return _of_that_name(scene, other)
    question = _guessed(scene)
    move = scene.move(events=frozenset({"preference"}))
    if _denied(scene) & {*scene.state.seeds}:
        return _resembling(scene)
    if question:
        return _instead(scene, replace(move, state=resolved(move.state, question)), None)
    change = _wrong(scene)
    if change is None:
        return _instead(scene, move, None)
    meant = None if _named_instead(scene, change) else _other(scene, change)
    if meant and meant.qid:
        left = tuple(other for other in change.others if other is not meant)
        given = Opinion(meant.qid, change.polarity, mention=change.mention, others=left)
        return replace(acknowledged(scene, note(scene, taken_back(move, change), given)), then="remind")
    return _instead(scene, taken_back(move, change), change)


def _wrong(scene: Scene) -> Change | None:
    """What a correction is about: a change that it names, one that its words tell apart, or the last one if fresh."""
    recent = tuple(reversed(scene.state.history))
    named = {_likely(mention) for mention in scene.understood.mentions}
    about = [change for change in recent if change.qid in named]
    told = [change for change in recent if picked(scene.turn.text, change.others)]
    late = [change for change in recent if not _denied(scene) and scene.state.turns - change.turn <= _FRESH]
    return next(iter((*about, *told, *late)), None)


def _likely(mention: Mention) -> Qid | None:
    return mention.accepted or (mention.candidates[0].qid if mention.candidates else None)


def _other(scene: Scene, change: Change) -> Choice | None:
    """The other meaning of the words that the message picks."""
    if len(change.others) == 1 and scene.hears("other"):
        return change.others[0]
    return picked(scene.turn.text, change.others)


def _named_instead(scene: Scene, change: Change | None) -> list[Mention]:
    """What the message names besides the wrong one, or the wrong one in another role; with the opinion on that."""
    wrong, polarity = _denied(scene), None
    if change:
        wrong, polarity = wrong | {change.qid}, change.polarity
    named = (mention for mention in scene.understood.mentions if mention.role or _likely(mention) not in wrong)
    return [replace(mention, polarity=polarity or mention.polarity) for mention in named]


def _instead(scene: Scene, move: Move, change: Change | None) -> Move:
    """What the message names takes the wrong one's place; without a name, the other candidates are offered."""
    if meant := _named_instead(scene, change):
        return replace(acknowledged(scene, take(scene, move, meant)), then="ask")
    if change and change.others:
        asked = Question("item", change.others, change.mention, polarity=change.polarity)
        return move.also(state=raised(move.state, [asked]))
    return move.also(scene.say("not_that_one"), then="remind")


def _resembling(scene: Scene) -> Move:
    """The last request once more, for items like what is named in place of the wrong example."""
    meant = tuple(qid for mention in _named_instead(scene, None) if (qid := _likely(mention)))
    kept = tuple(qid for qid in scene.state.seeds if qid not in _denied(scene))
    move, shown = scene.move(), current(scene.state)
    move = recommending.rated(move, shown, "skip") if shown else move
    return recommending.started(scene, move.with_state(seeds=(*kept, *meant)))


def picked(text: str, choices: tuple[Choice, ...]) -> Choice | None:
    """The one choice that the text tells from the others (by year, kind or name); None when it tells none."""
    answer, _ = read_answer(Message(text, load_words()), [choice.label for choice in choices])
    return choices[answer.chosen[0]] if answer and len(answer.chosen) == 1 else None


# ------------------------------------------------------------------------------------------ "actually I hated it"


def revises(scene: Scene) -> bool:
    """A change of mind that names nothing, so it is about what was said last rather than about the item on show."""
    understood = scene.understood
    about_it = understood.coarse_intent in REACTING and understood.domain in {None, scene.state.domain}
    named = bool(understood.mentions or understood.constraints)
    opinion = _new_opinion(scene) is not None and _last(scene) is not None
    if scene.question and scene.question.kind in MENUS:
        return False  # "I changed my mind" leaves the menu
    return scene.hears("revision") and not scene.hears("other") and about_it and not named and opinion


def _new_opinion(scene: Scene) -> Polarity | None:
    reference = scene.understood.item_reference
    return reference.polarity if reference else scene.understood.overall


def _revise(scene: Scene) -> Move:
    change, polarity = _last(scene), _new_opinion(scene)
    if change is None or polarity is None:
        return scene.move()
    move = note(scene, scene.move(), Opinion(change.qid, polarity, mention=change.mention))
    return replace(acknowledged(scene, move), then="remind")


# -------------------------------------------------------------------------------------- "actor", said a turn later

_ROLE_WORDS = 4
"""Words that a message may have which only says in which role somebody is meant."""


def specifies(scene: Scene) -> bool:
    """Whether the message only says in which role what was noted last is meant."""
    understood = scene.understood
    waiting = scene.question or (scene.waiting and scene.waiting.kind == "role")
    idle = not (waiting or scene.shown or understood.mentions or understood.item_reference)
    short = len(scene.turn.text.split()) <= _ROLE_WORDS
    said = idle and short and scene.coarse in ANSWERING
    return said and _last(scene) is not None and _role(scene) is not None


def _role(scene: Scene) -> PropertyId | None:
    properties = scene.know.domains[scene.state.domain].properties
    return role_said(scene, [pid for pid, config in properties.items() if config.role])


def _specify(scene: Scene) -> Move:
    """The role of a person, or the people in that role of an item ("I like Titanic" … "the director")."""
    change, role = _last(scene), _role(scene)
    if change is None:
        return scene.move()
    entity = scene.know.catalogue.get(change.qid)
    held = role in dict(scene.know.catalogue.roles(change.qid, scene.state.domain))
    if entity and not held and role in entity.relations:
        people = Reference(0, 0, scene.turn.text, change.polarity, role)
        return acknowledged(scene, take_properties(scene, scene.move(), [people], [(0, change.qid)], unstated=None))
    given = Opinion(change.qid, change.polarity, role if held else None, mention=change.mention)
    return acknowledged(scene, note(scene, scene.move(), given))


HANDLERS = (
    Handler("undo", lambda scene: scene.does == "undo", _undo),
    Handler("revision", revises, _revise),
    Handler("correction", corrects, _correct),
    Handler("role", specifies, _specify),
)
