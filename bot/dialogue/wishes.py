"""The conditions of requests: what they do to the earlier ones, and what is said of those that are hard to meet."""

from collections.abc import Iterable, Sequence

from bot.dialogue.scene import Move, Scene
from data.model import UNKNOWN_VALUE, Constraint
from nlu.entities.message import Message
from nlu.entities.words import load_words

__all__ = ["counted", "likens", "narrowed", "told", "wants_its_own"]

_MEASURED = frozenset({"year", "runtime", "kind"})
_ONE_AT_A_TIME = _MEASURED | {"age"}
_VALUES_TOLD = 4
"""Genres that are named for a mood."""


_HOW_MANY = range(2, 21)
"""Numbers of items that somebody may ask for."""
_BEFORE_NOUN = (1, 2, 3)
"""How far behind its number a noun stands: "three good old films"."""

_LIKENING = frozenset({"request_recommendation", "details", "inform", "affirm", "thanks", "praise"})
"""Intents that the classifier hears in "a book in the same style"."""


def likens(scene: Scene) -> bool:
    """Whether something like the item on show is wanted: "more like this", "a book in the same style"."""
    if scene.shown is None or not scene.hears("like_shown"):
        return False
    return scene.coarse in _LIKENING or (scene.coarse == "preference" and scene.hears("asking"))


def counted(scene: Scene) -> bool:
    """Whether the message says how many items it is about: "three films", "a couple of good books"."""
    message = Message(scene.understood.text, load_words())
    nouns = {noun for one in scene.know.domains.values() for of_one in one.nouns.values() for noun in of_one}
    places = [place for place in range(len(message)) if _number(message, place) in _HOW_MANY]
    named = any(message.word(place + ahead) in nouns for place in places for ahead in _BEFORE_NOUN)
    return named or bool(scene.hears("several") and any(message.word(place) in nouns for place in range(len(message))))


def _number(message: Message, place: int) -> int:
    word = message.word(place)
    return int(word) if word.isdecimal() else message.words.numbers.get(word, 0)


def wants_its_own(scene: Scene) -> bool:
    """Whether it shall have what the item on show has: "by the same author", "what else has he directed"."""
    relations = item.relations if (item := scene.know.catalogue.get(scene.shown or "")) else {}
    asked = (one for one in scene.understood.constraints if one.property and not one.negated)
    return any(relations.get(one.property or "") == one.values for one in asked)


def narrowed(old: Iterable[Constraint], new: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """Conditions with more of them; an old one that cannot be met together with a new one gives way."""
    return (*(kept for kept in old if not any(_gives_way(kept, other) for other in new)), *new)


def _gives_way(old: Constraint, new: Constraint) -> bool:
    if old.negated != new.negated:
        return bool({*old.values} & {*new.values})
    return old.property == new.property and (old.property in _ONE_AT_A_TIME or not new.negated)


def told(scene: Scene, move: Move) -> Move:
    """The move with what becomes of wishes that are hard to meet, so that none is dropped without a word.

    The genres that stand for a mood are named, and what is kept out; what the catalogue cannot tell is said to be so.
    """
    conditions = scene.understood.constraints
    known = [one for one in conditions if UNKNOWN_VALUE not in one.values]
    beyond = [one.text for one in conditions if one.negated and one not in known]
    for one in known:
        if one.loose:
            key = "loosely_without" if one.negated else "loosely"
            move = move.also(scene.say(key, words=one.text, genres=_names(scene, one)[:_VALUES_TOLD]))
    refused = (one for one in known if one.negated and not one.loose and one.property not in _MEASURED)
    if kept_out := [name for one in refused for name in _names(scene, one)]:
        move = move.also(scene.say("left_out", names=kept_out))
    unheard = scene.understood.unheard if scene.shown is None else _without_likeness(scene)
    if unheard := (*unheard, *beyond):
        move = move.also(scene.say("beyond_me", words=scene.say.join(unheard)))
    return move


def _without_likeness(scene: Scene) -> tuple[str, ...]:
    """What was not understood, but for "similar": it means the item on show."""
    return tuple(words for words in scene.understood.unheard if not scene.say.hears("like_shown", words))


def _names(scene: Scene, constraint: Constraint) -> list[str]:
    """What the catalogue calls the values of a condition; the user's words where there are none or too many."""
    if constraint.property in _MEASURED or (len(constraint.values) > 1 and not constraint.loose):
        return [constraint.text]
    known = (qid for qid in constraint.values if scene.know.catalogue.get(qid))
    return [scene.name(qid) for qid in known] or [constraint.text]
