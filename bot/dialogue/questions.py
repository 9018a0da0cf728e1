"""Questions that the bot may raise, and the stack they wait on."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from bot.dialogue.scene import Scene
from bot.dialogue.state import Choice, DialogueState, Question, asks_several
from data.model import Entity, Polarity, PropertyId, Qid
from nlu.model import Candidate, Mention, Reference

MOST_VALUES: Final = 6
"""Values of a property that are offered: the first actors, not the whole cast."""

RESETTING: Final = frozenset({"reset", "reset_confirmation"})
"""Questions about what to forget."""
MENUS: Final = RESETTING | {"domain", "delete"}
"""Questions about what to do, not about a preference: a new subject drops them, while the others return once."""

__all__ = [
    "MENUS",
    "RESETTING",
    "aged",
    "candidate_choice",
    "collective",
    "confirmation",
    "grouped",
    "has_one_option",
    "is_role",
    "raised",
    "resolved",
    "role_said",
    "roles_to_ask",
    "which_item",
    "which_polarity",
    "which_role",
    "which_value",
    "without_answered",
    "without_menus_left",
    "without_old_menus",
    "yes_or_no",
]


def raised(state: DialogueState, questions: Sequence[Question]) -> DialogueState:
    """The state with more questions waiting; the first of them is asked first."""
    first = max((state.turns * 100, *(asked.serial + 1 for asked in state.questions)))
    numbered = [
        replace(question, serial=first + index, domain=question.domain or state.domain)
        for index, question in enumerate(questions)
    ]
    kept = (asked for asked in state.questions if not any(_same(asked, question) for question in numbered))
    return replace(state, questions=(*kept, *(_with_ids(question) for question in reversed(numbered))))


def _same(one: Question, other: Question) -> bool:
    """Whether both ask the same of the same entity, so that only the later one waits."""
    return one.kind == other.kind and one.qid is not None and (one.qid, one.property) == (other.qid, other.property)


def _with_ids(question: Question) -> Question:
    choices = (replace(choice, id=f"pick:{question.serial}:{n}") for n, choice in enumerate(question.choices))
    return replace(question, choices=tuple(choices))


def resolved(state: DialogueState, question: Question) -> DialogueState:
    """The state without a question."""
    return replace(state, questions=tuple(asked for asked in state.questions if asked.serial != question.serial))


def aged(state: DialogueState, patience: int) -> DialogueState:
    """The state one turn later: questions that were asked age; old ones are dropped, later if yet to be asked again."""
    older = (replace(question, age=question.age + bool(question.times)) for question in state.questions)
    kept = (question for question in older if question.age <= patience * (2 if question.times == 1 else 1))
    return replace(state, questions=tuple(kept))


def without_old_menus(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions without menus that were asked before: unlike questions about preferences they do not wait."""
    return tuple(asked for asked in questions if asked.kind not in MENUS or not asked.times)


def without_menus_left(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions without menus that this reply does not ask, so that no later "yes" resets a profile."""
    return tuple(asked for asked in questions if asked.kind not in MENUS or asked.age == 0)


def candidate_choice(candidate: Candidate) -> Choice:
    """A candidate as an option: "The Avengers (2012 film)"."""
    description = candidate.description or candidate.kind
    return Choice("", f"{candidate.label} ({description})", qid=candidate.qid)


def which_item(mention: Mention, polarity: Polarity | None, *, critique: bool = False) -> Question:
    """Which of several entities the words mean."""
    choices = tuple(candidate_choice(candidate) for candidate in mention.candidates)
    return Question("item", choices, mention.text, polarity=polarity, property=mention.role, critique=critique)


def roles_to_ask(scene: Scene, entity: Entity) -> tuple[PropertyId, ...]:
    """Roles among which a person's one is unclear; one role or none when there is nothing to ask."""
    if entity.is_item:
        return ()
    properties = scene.know.domains[scene.state.domain].properties
    found = scene.know.catalogue.roles(entity.qid, scene.state.domain)
    counted = [(pid, count) for pid, count in found if pid in properties and properties[pid].role]
    policy, most = scene.know.policy, max((count for _, count in counted), default=0)
    if len(counted) > 1 and most >= policy.role_dominance * counted[1][1]:
        return (counted[0][0],)
    return tuple(pid for pid, count in counted if count >= policy.role_share * most)


def role_said(scene: Scene, roles: Iterable[PropertyId]) -> PropertyId | None:
    """The role that the message names somewhere ("because he is a good actor")."""
    properties = scene.know.domains[scene.state.domain].properties
    words = set("".join(char if char.isalnum() else " " for char in scene.turn.text.casefold()).split())
    for pid in roles:
        aliases = (name for names in properties[pid].aliases.values() for name in names)
        names = (*properties[pid].labels.values(), *aliases)
        if words & {name.casefold() for name in names}:
            return pid
    return None


def which_role(
    scene: Scene, qid: Qid, polarity: Polarity, roles: Iterable[PropertyId], *, critique: bool = False
) -> Question:
    """In which of several roles a person is meant."""
    choices = tuple(Choice("", scene.property_label(pid), qid=qid, property=pid) for pid in roles)
    return Question("role", choices, scene.name(qid), qid=qid, polarity=polarity, critique=critique)


def is_role(scene: Scene, pid: PropertyId) -> bool:
    """Whether a property is a role of people."""
    found = (config.properties.get(pid) for config in scene.know.domains.values())
    return any(known is not None and known.role for known in found)


def collective(scene: Scene, reference: Reference) -> bool:
    """Whether the words mean everybody in a role: "the cast", not "the actor"."""
    found = (config.properties.get(reference.property or "") for config in scene.know.domains.values())
    words = (word for known in found if known for words in known.collective.values() for word in words)
    return reference.text.casefold() in words


def which_value(
    scene: Scene, item: Qid, pid: PropertyId, values: Sequence[Qid], polarity: Polarity, *, critique: bool = False
) -> Question:
    """Which value of a property of an item is meant: "not the actor" says not which one."""
    choices = tuple(Choice("", scene.name(value), qid=value) for value in values[:MOST_VALUES])
    return Question("item", choices, scene.property_label(pid), item, polarity, pid, critique=critique)


def which_polarity(scene: Scene, qid: Qid, mention: Mention, *, critique: bool = False) -> Question:
    """Whether something that was only named is liked."""
    choices = tuple(Choice("", scene.say.label(name)) for name in ("like_it", "dislike_it"))
    return Question("polarity", choices, mention.text, qid=qid, property=mention.role, critique=critique)


def grouped(scene: Scene, questions: Sequence[Question]) -> list[Question]:
    """The questions with one in place of those whether something is liked; with buttons alone each is asked."""
    opinions = [question for question in questions if question.kind == "polarity"]
    if len(opinions) < 2 or scene.state.mode == "buttons":
        return [*questions]
    things = tuple(thing for question in opinions for thing in _things(scene, question))
    names = scene.say.join([thing.label for thing in things])
    asked = Question("polarity", things, names, critique=any(question.critique for question in opinions))
    return [*(question for question in questions if question.kind != "polarity"), asked]


def _things(scene: Scene, question: Question) -> tuple[Choice, ...]:
    """What a question asks an opinion on."""
    if asks_several(question) or question.qid is None:
        return question.choices
    return (Choice("", scene.name(question.qid), question.qid, question.property),)


def without_answered(scene: Scene, question: Question, qid: Qid) -> Question | None:
    """The question once something is known of an entity: None if it was about that, less of several things."""
    if not asks_several(question):
        return None if question.qid == qid else question
    left = tuple(choice for choice in question.choices if choice.qid != qid)
    if len(left) == len(question.choices):
        return question
    if len(left) > 1:
        return replace(question, choices=left)
    if not left or left[0].qid is None:
        return None
    alone = which_polarity(scene, left[0].qid, Mention(0, 0, left[0].label, (), role=left[0].property))
    return _with_ids(
        replace(question, choices=alone.choices, mention=alone.mention, qid=alone.qid, property=alone.property)
    )


def has_one_option(question: Question) -> bool:
    """Whether the only option of a choice is asked for with yes or no."""
    return question.kind in {"item", "delete"} and len(question.choices) == 1


def yes_or_no(scene: Scene) -> tuple[Choice, ...]:
    """The options of a yes/no question."""
    return tuple(Choice("", scene.say.label(name)) for name in ("yes", "no"))


def confirmation(
    scene: Scene, qid: Qid, pid: PropertyId, polarity: Polarity, mention: str, *, critique: bool = False
) -> Question:
    """Whether a bare property ("the director") was meant of this item."""
    return Question(
        "confirmation", yes_or_no(scene), mention, qid=qid, polarity=polarity, property=pid, critique=critique
    )
