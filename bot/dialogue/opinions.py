"""From what a message says about things to preferences, and to the questions that must come first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.dialogue.profile import opinion, with_preference
from bot.dialogue.questions import (
    candidate_choice,
    collective,
    confirmation,
    grouped,
    is_role,
    raised,
    role_said,
    roles_to_ask,
    which_item,
    which_polarity,
    which_role,
    which_value,
    without_answered,
)
from bot.dialogue.scene import Move, Scene
from bot.dialogue.state import Change, Choice, Preference, Question
from data.model import Polarity, PropertyId, Qid
from nlu.model import Mention, Reference

__all__ = [
    "Opinion",
    "acknowledged",
    "kept_without_role",
    "note",
    "note_values",
    "owns",
    "settled",
    "take",
    "take_properties",
    "with_properties",
]

REMEMBERED = 8
"""Changes that can be undone or corrected."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What is known of a preference before it is noted.

    Attributes:
        mention: the user's words; others: the other things they may have meant.
    """

    qid: Qid
    polarity: Polarity
    role: PropertyId | None = None
    source: Literal["stated", "rated", "inferred"] = "stated"
    mention: str = ""
    others: tuple[Choice, ...] = ()


def note(scene: Scene, move: Move, given: Opinion) -> Move:
    """The move with a preference recorded, and remembered so that it can be undone."""
    entity = scene.know.catalogue.get(given.qid)
    domain = entity.domain if entity and entity.domain else scene.state.domain
    preference = Preference(
        given.qid,
        given.polarity,
        domain,
        given.role,
        given.source,
        scene.now,
    )
    before, turn = opinion(move.profile, given.qid), scene.state.turns
    change = Change(given.qid, given.polarity, before, given.mention, given.others, turn=turn)
    waiting = (without_answered(scene, asked, given.qid) for asked in move.state.questions)
    history = (*move.state.history, change)[-REMEMBERED:]
    examples = tuple(qid for qid in move.state.seeds if given.polarity == "+" or qid != given.qid)
    state = replace(move.state, history=history, questions=tuple(filter(None, waiting)), seeds=examples)
    return move.also(
        state=state,
        profile=with_preference(move.profile, preference),
        objects=((given.qid, given.polarity),),
        events={"preference"},
    )


def acknowledged(scene: Scene, move: Move) -> Move:
    """The move with a sentence on what was recorded."""
    stored = {given.qid: given for given in move.profile.preferences}
    liked = [scene.named_in_role(stored[qid]) for qid, polarity in move.objects if polarity == "+"]
    disliked = [scene.named_in_role(stored[qid]) for qid, polarity in move.objects if polarity == "-"]
    if liked and disliked:
        return move.also(scene.say("noted_both", liked=liked, disliked=disliked))
    if liked:
        return move.also(scene.say("noted_liked", liked=liked))
    return move.also(scene.say("noted_disliked", disliked=disliked)) if disliked else move


def kept_without_role(scene: Scene, move: Move, questions: Iterable[Question]) -> Move:
    """The move with the likings that nobody told the role of noted without one, unless they are known by now."""
    for question in questions:
        unsaid = question.kind == "role" and question.qid and question.polarity
        if unsaid and opinion(move.profile, question.qid or "") is None:
            move = note(scene, move, Opinion(question.qid or "", question.polarity or "+", mention=question.mention))
    return move


def settled(scene: Scene, given: Opinion, *, critique: bool = False) -> Opinion | Question:
    """The opinion with the role in which a person is meant, or the question that must be answered first."""
    entity = scene.know.catalogue.get(given.qid)
    roles = roles_to_ask(scene, entity) if entity and given.role is None else ()
    if len(roles) > 1 and (said := role_said(scene, roles)):
        return replace(given, role=said)
    if len(roles) > 1:
        return which_role(scene, given.qid, given.polarity, roles, critique=critique)
    return replace(given, role=given.role or (roles[0] if roles else None))


def take(
    scene: Scene,
    move: Move,
    mentions: Sequence[Mention],
    *,
    unstated: Polarity | None = None,
    critique: bool = False,
) -> Move:
    """Notes every opinion on a mention, and raises the questions that the rest needs.

    Args:
        scene: the turn.
        move: what was done before.
        mentions: what the message names.
        unstated: polarity of mentions without one of their own; None to ask.
        critique: whether they criticise the item on show.

    Returns:
        The move with preferences, objects and questions; unknown names are said.
    """
    questions: list[Question] = []
    for mention in (decided(scene, found) for found in joined(scene, mentions)):
        polarity = mention.polarity or unstated or _carried_over(scene, mention)
        if mention.accepted is None:
            questions += [which_item(mention, polarity, critique=critique)] if mention.candidates else []
        elif polarity is None:
            questions.append(which_polarity(scene, mention.accepted, mention, critique=critique))
        else:
            given = Opinion(mention.accepted, polarity, mention.role, mention=mention.text, others=_others(mention))
            match settled(scene, given, critique=critique):
                case Question() as question:
                    questions.append(question)
                case Opinion() as ready:
                    move = note(scene, move, ready)
    unknown = [one.whole or one.text for one in mentions if one.whole or not (one.candidates or one.accepted)]
    move = move.also(state=raised(move.state, grouped(scene, questions)), events={"preference"})
    return move.also(scene.say("unknown_title", titles=unknown)) if unknown else move


def owns(scene: Scene, mention: Mention, properties: Sequence[Reference]) -> bool:
    """Whether a name only says of what a property is meant: "the actress of Alien", "Alien's director"."""
    text = scene.understood.text
    return any(
        scene.say.hears("owned_by", text[one.end : mention.start])
        or scene.say.hears("owning", text[mention.end : one.start])
        for one in properties
    )


def joined(scene: Scene, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions; one that is only listed after another ("The Matrix and Inception") shares its opinion."""
    found: list[Mention] = []
    for mention in mentions:
        before = found[-1] if found else None
        between = scene.understood.text[before.end : mention.start] if before else ""
        listed = before is not None and mention.polarity is None and scene.say.hears("joining", between)
        found.append(replace(mention, polarity=before.polarity) if listed and before else mention)
    return found


def decided(scene: Scene, mention: Mention) -> Mention:
    """The mention with what it means where that needs no question: the only likely candidate, or a series."""
    if mention.accepted or mention.whole or not mention.candidates:
        return mention
    best = mention.candidates[0]
    if len(mention.candidates) == 1 or best.score >= scene.know.policy.sure_candidate:
        return replace(mention, accepted=best.qid)
    return replace(mention, accepted=_series(scene, mention))


def _series(scene: Scene, mention: Mention) -> Qid | None:
    """The series that the candidates belong to, when the words name it rather than one of them ("Star Wars")."""
    said, catalogue = mention.text.casefold(), scene.know.catalogue
    if any(candidate.label.casefold() == said for candidate in mention.candidates):
        return None
    entities = [entity for candidate in mention.candidates if (entity := catalogue.get(candidate.qid))]
    values = Counter(value for entity in entities for found in entity.relations.values() for value in found)
    for value, _ in values.most_common():
        series = catalogue.get(value)
        if series and series.kind == "series" and said in series.label.casefold():
            return value
    return None


def _carried_over(scene: Scene, mention: Mention) -> Polarity | None:
    """The opinion that a bare name goes on with, repeats or mends."""
    state, waiting = scene.state, scene.waiting
    if waiting and waiting.kind == "polarity" and waiting.qid == mention.accepted:
        return "+"  # named once more in answer to "do you like it?"
    if scene.question and scene.question.kind in {"item", "role"} and scene.question.polarity:
        return scene.question.polarity
    if state.history and scene.hears("continuing"):
        return state.history[-1].polarity
    return state.unplaced or (opinion(scene.profile, mention.accepted) if mention.accepted else None)


def _others(mention: Mention) -> tuple[Choice, ...]:
    return tuple(candidate_choice(other) for other in mention.candidates if other.qid != mention.accepted)


def with_properties(
    mentions: Sequence[Mention], references: Sequence[Reference]
) -> tuple[tuple[Mention, ...], tuple[Reference, ...]]:
    """Bare properties of a name that is still ambiguous wait with it; the others are returned."""
    waiting: dict[int, PropertyId] = {}
    free = []
    for reference in references:
        nearest = min(mentions, key=lambda mention: abs(mention.start - reference.start), default=None)
        if nearest and nearest.accepted is None and nearest.candidates and reference.property:
            waiting[nearest.start] = reference.property
        else:
            free.append(reference)
    held = (replace(mention, role=mention.role or waiting.get(mention.start)) for mention in mentions)
    return tuple(held), tuple(free)


def note_values(
    scene: Scene, move: Move, values: Iterable[Qid], pid: PropertyId, polarity: Polarity, mention: str
) -> Move:
    """Notes an opinion on every value of a property of an item."""
    for value in values:
        move = note(scene, move, Opinion(value, polarity, pid, "inferred", mention))
    return move


def take_properties(
    scene: Scene, move: Move, references: Iterable[Reference], items: Sequence[tuple[int, Qid]], *,
    unstated: Polarity | None, confirm: bool = True, critique: bool = False,
) -> Move:  # fmt: skip
    """Attaches bare properties ("for the director") to the nearest item named, or to the one on show.

    Args:
        scene: the turn.
        move: what was done before.
        references: the bare properties.
        items: positions in the text and ids of the items they may belong to.
        unstated: polarity of references without one of their own.
        confirm: whether it must be confirmed in any case, or only where several people or dislikes are at stake.
        critique: whether they criticise the item on show.

    Returns:
        The move with preferences, or with a question for each: which of several values, or whether the one value is
        meant; a property without a known value is said.
    """
    for reference in references:
        polarity = reference.polarity or unstated
        if not items or polarity is None or reference.property is None:
            continue
        _, qid = min(items, key=lambda item: abs(item[0] - reference.start))
        entity = scene.know.catalogue.get(qid)
        values = entity.relations.get(reference.property, ()) if entity else ()
        people = len(values) > 1 and is_role(scene, reference.property)
        question = None
        if people and not collective(scene, reference):
            question = which_value(scene, qid, reference.property, values, polarity, critique=critique)
        elif confirm or people or (len(values) > 1 and polarity == "-"):
            question = confirmation(scene, qid, reference.property, polarity, reference.text, critique=critique)
        if not values:
            label = scene.property_label(reference.property)
            move = move.also(scene.say("property_unknown", property=label, item=scene.name(qid)))
        elif question:
            move = move.also(state=raised(move.state, [question]), events={"preference"})
        else:
            move = note_values(scene, move, values, reference.property, polarity, reference.text)
    return move
