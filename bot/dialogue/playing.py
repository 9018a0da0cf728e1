"""One turn as a pure function: from what was understood to the reply, the new state and the labels of the log."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from bot.channels.base import Reply
from bot.dialogue.domains import named_domains
from bot.dialogue.families import family_of, talks
from bot.dialogue.handlers import HANDLERS
from bot.dialogue.handlers.repair import corrects, revises, specifies
from bot.dialogue.labels import ResetTarget, contexts_after, exact_intent, order_events
from bot.dialogue.opinions import kept_without_role
from bot.dialogue.prompts import follow_up, rendered, with_language_offered
from bot.dialogue.questions import RESETTING, aged, without_menus_left, without_old_menus
from bot.dialogue.reactions import reaction
from bot.dialogue.scene import Move, Scene, phase_of
from bot.dialogue.state import DialogueState, Phase, Question
from bot.dialogue.wishes import counted, likens
from nlu.intents.coarse import OF_THE_ITEM, RESETS, STATING, TALK
from nlu.model import Reference, Understanding

__all__ = ["Played", "mended", "play", "prepared"]

COMMAND: Final = "command"
"""Intent of what the ConveRSE export leaves out."""

_TARGETS: Final[dict[str, ResetTarget]] = {
    "reset_items": "items", "reset_properties": "properties", "reset_everything": "everything",
}  # fmt: skip
_ACTED: Final = {
    "undo": "delete_preference",
    "seen": "skip",
    "unseen": "skip",
    "rate": "preference",
    "subject": "chitchat",
    "earlier": "details",
}
_KEEPS_MENUS: Final = {"unreadable", "help", "fallback", "small_talk", "greet"}
"""Handlers that do not change the subject, so that a menu stays open."""
_LEAVES: Final = {"start", "stop"}
"""Handlers that drop the questions that wait."""
_UNCHANGING: Final = {"unreadable", "unknown_command", "stale"}


@dataclass(frozen=True, slots=True)
class Played:
    """A finished turn.

    Attributes:
        move: what was done, with the state as it is to be saved.
        intent: exact intent; contexts and events in the published order.
        coarse: coarse intent as it was acted on.
        handler: name of the handler that took the turn.
    """

    move: Move
    reply: Reply
    intent: str
    contexts: tuple[str, ...]
    events: tuple[str, ...]
    coarse: str
    handler: str


def prepared(state: DialogueState, patience: int) -> DialogueState:
    """The state as handlers see it: one turn later, with lasting phases over."""
    return replace(aged(state, patience), phase=Phase.IDLE, turns=state.turns + 1)


def play(scene: Scene, before: DialogueState) -> Played:
    """Plays a turn.

    Args:
        scene: the turn, with the prepared state.
        before: the state as it was saved.

    Returns:
        What the bot does and says, and how the log labels it.
    """
    scene = replace(scene, understood=mended(scene))
    handler = next(handler for handler in HANDLERS if handler.check(scene))
    if scene.does in _UNCHANGING:
        scene = replace(scene, state=replace(before, turns=before.turns + 1))
    move = _with_likings(scene, handler.handle(scene), before, leaves=handler.name in _LEAVES)
    if handler.name != "preference":
        move = move.with_state(unplaced=None)
    if handler.name not in _KEEPS_MENUS:
        move = move.with_state(questions=without_old_menus(move.state.questions))
    move = with_language_offered(scene, follow_up(scene, move))
    move = move.with_state(questions=without_menus_left(move.state.questions))
    move = move.with_state(phase=phase_of(move.state))
    if not move.exported:
        contexts = tuple(before.contexts)
        return Played(move, rendered(scene, move), COMMAND, contexts, (), COMMAND, handler.name)
    intent, question = _label(scene, answers=handler.name == "answer"), scene.question
    alive = contexts_after(
        before.contexts, intent, domain=move.state.domain, question=question.kind if question else None
    )
    events = order_events(intent, move.events, while_shown=before.position is not None)
    move = move.with_state(contexts=alive)
    return Played(move, rendered(scene, move), intent, tuple(alive), events, scene.coarse, handler.name)


def _with_likings(scene: Scene, move: Move, before: DialogueState, *, leaves: bool) -> Move:
    """The move with the likings kept that waited for a role until the question was dropped; nothing is said of them."""
    asked = () if leaves else scene.state.questions
    dropped = [one for one in before.questions if one.serial not in {other.serial for other in asked}]
    kept = kept_without_role(scene, move, dropped)
    return replace(kept, events=move.events, objects=move.objects)


def mended(scene: Scene) -> Understanding:
    """The understanding with the coarse intent that buttons, fixed words and the open question make of it."""
    scene = replace(scene, understood=_with_pronoun(scene))
    if said := reaction(scene):
        item = Reference(0, 0, "", said)
        return replace(scene.understood, coarse_intent="preference", item_reference=item, domain=None, constraints=())
    understood, coarse = scene.understood, _coarse(scene)
    if coarse == "preference" and understood.coarse_intent == "praise" and not understood.item_reference:
        return replace(understood, coarse_intent=coarse, item_reference=Reference(0, 0, "", understood.overall or "+"))
    return replace(understood, coarse_intent=coarse)


def _with_pronoun(scene: Scene) -> Understanding:
    """The understanding with what a pronoun is said to be, where no name or word for an item says it: "l'ho odiato"."""
    understood = scene.understood
    if understood.mentions or understood.item_reference:
        return understood
    loved, hated = scene.hears("loving"), scene.hears("hating")
    if bool(loved) == bool(hated):
        return understood
    return replace(understood, item_reference=Reference(0, 0, "", "+" if loved else "-"))


def _coarse(scene: Scene) -> str:
    understood, question = scene.understood, scene.question
    coarse, answer = understood.coarse_intent, understood.answer
    if scene.does in _ACTED:
        return _ACTED[scene.does]
    if corrects(scene) or revises(scene) or specifies(scene):
        return "preference"
    if (question.kind in RESETTING if question else coarse in RESETS) and named_domains(scene):
        return "fallback"  # "books and films" resets nothing
    if question and answer and answer.chosen and not understood.mentions:
        return _picked(coarse, question, answer.chosen)
    if question and question.kind in RESETTING and coarse not in {"affirm", *RESETS}:
        return "deny" if (answer and answer.none) or scene.hears("revision") else coarse
    return _by_content(scene)


def _by_content(scene: Scene) -> str:
    """The coarse intent by what the message names, when it answers nothing in particular."""
    understood, question, coarse = scene.understood, scene.question, scene.coarse
    if (talk := talks(understood.text)) and not understood.mentions:
        return talk
    resetting = question is not None and question.kind in RESETTING
    if likens(scene) or (coarse in STATING and (_wants_elsewhere(scene) or _wants_several(scene))):
        return "request_recommendation"
    if coarse in RESETS and scene.turn.kind == "text" and not (resetting or scene.hears("forgetting")):
        return "fallback"  # "both" asks for no reset
    if scene.shown and not question and (scene.hears("none") or scene.hears("not_now")):
        return "skip"
    if coarse in OF_THE_ITEM or (coarse == "preference" and scene.shown and _contrasts(understood)):
        return _critique(coarse, understood)
    if scene.phase is Phase.FINISHED and coarse == "affirm":
        return "request_recommendation"
    if coarse in STATING | {"praise"} and not _names_anything(understood) and family_of("chitchat", understood.text):
        return "chitchat"  # "I really like you" is about the bot, also while an item is on show
    if coarse in STATING and understood.confidence < scene.know.policy.sure and _says_nothing(understood):
        return "fallback"
    if coarse in TALK and any(mention.polarity for mention in understood.mentions):
        return "preference"
    return "preference" if coarse == "praise" and scene.shown and not question else coarse


def _wants_elsewhere(scene: Scene) -> bool:
    """Whether it says how items of another domain should be: "I only like old films", while books are talked about."""
    domain = scene.understood.domain
    return bool(scene.wishes and not scene.understood.mentions and domain and domain != scene.state.domain)


def _wants_several(scene: Scene) -> bool:
    """Whether it says how many items are wanted: "give me 3 books"."""
    return bool(scene.hears("giving") and not scene.understood.mentions and counted(scene))


def _contrasts(understood: Understanding) -> bool:
    """Whether the item on show is judged one way and something else the other ("I like it, but not the ending")."""
    item = understood.item_reference
    others = {found.polarity for found in understood.property_references}
    others |= {mention.polarity for mention in understood.mentions}
    return item is not None and item.polarity is not None and bool(others - {None, item.polarity})


def _critique(coarse: str, understood: Understanding) -> str:
    """The critique that the opinion on the item makes it, whatever the words look like."""
    said = understood.item_reference.polarity if understood.item_reference else None
    return next((name for name, sign in OF_THE_ITEM.items() if sign == said), coarse)


def _names_anything(understood: Understanding) -> bool:
    found = understood.mentions or understood.property_references or understood.constraints or understood.answer
    return bool(found or understood.item_reference)


def _says_nothing(understood: Understanding) -> bool:
    return not _names_anything(understood) and not understood.overall and not understood.domain


def _picked(coarse: str, question: Question, chosen: Collection[int]) -> str:
    """The intent of picking an option of a question whose options have intents of their own."""
    position = next(iter(chosen))
    if question.kind in {"confirmation", "reset_confirmation"}:
        return ("affirm", "deny")[position]
    if question.kind == "reset":
        return RESETS[position] if len(chosen) == 1 else "reset_everything"
    return "inform" if coarse in RESETS else coarse  # "all", "everything"


def _label(scene: Scene, *, answers: bool) -> str:
    question = scene.question
    target = _TARGETS.get(scene.coarse)
    if target is None and question and question.kind == "reset_confirmation":
        target = question.mention  # type: ignore[assignment]
    return exact_intent(
        scene.coarse,
        scene.phase,
        question=question.kind if question else None,
        answers=answers,
        reset=target,
        text=scene.turn.text,
    )
