"""What the bot says last: the one question of a reply, with its options."""

from collections.abc import Iterable
from dataclasses import replace

from bot.channels.base import Option, Reply
from bot.dialogue import recommending
from bot.dialogue.questions import has_one_option
from bot.dialogue.scene import Move, Scene, current
from bot.dialogue.state import Phase, Question, asks_several
from nlu.model import LOOKUP_FAILED

__all__ = ["follow_up", "rendered", "with_language_offered"]

TIMES_ASKED = 2
"""A question that was asked this often is set aside without another word."""

CLEAR_WORDS = 2
"""Common words of another language that a message must hold for its user to be offered that language."""

_EVENTS = {
    "item": {"question", "disambiguation"},
    "role": {"question", "disambiguation"},
    "polarity": {"question", "disambiguation"},
    "confirmation": {"question", "disambiguation"},
    "delete": {"question", "disambiguation"},
    "reset": {"question"},
}


_DECLINED_BY = {
    "item": "none_of_these", "role": "skip", "polarity": "no_opinion", "delete": "keep_all", "reset": "cancel",
    "domain": "skip",
}  # fmt: skip
"""Kind of question to the label of the option that leaves it; the others have a "no"."""


def follow_up(scene: Scene, move: Move) -> Move:
    """The move with what comes next: a waiting question, the next item, a reminder, or something to rate."""
    move = _without_lookup(scene, move)
    if move.then == "none":
        return move
    if question := _to_ask(move):
        returning = move.then == "advance" and question.times
        return _asked(scene, move, replace(question, critique=True) if returning else question)
    if move.state.position is not None:
        return _with_item(scene, move)
    stated = "preference" in move.events and move.then != "remind"
    if stated and (suggestion := recommending.suggested(scene, move)):
        return suggestion
    return _reminded(scene, move) if move.state.suggested else move


def _without_lookup(scene: Scene, move: Move) -> Move:
    """Says once in a conversation that an unknown title could not be looked up."""
    failed = scene.understood.unknown and LOOKUP_FAILED in scene.understood.notes
    return move.once("lookup_failed", scene.say("lookup_failed")) if failed else move


def with_language_offered(scene: Scene, move: Move) -> Move:
    """Offers once to go on in the language that the user clearly writes; no question, as one may be open."""
    other, named = scene.say.ear_language, scene.understood.mentions
    text = scene.understood.text
    rest = "".join(char for place, char in enumerate(text) if not any(m.start <= place < m.end for m in named))
    clear = scene.turn.kind == "text" and other != move.state.language and scene.say.heard_words(rest) >= CLEAR_WORDS
    if not clear or "language_offer" in move.state.told:
        return move
    button = Option(f"do:language:{other}", scene.say.heard[-1].name)
    return replace(move.once("language_offer", scene.say.in_ear("language_offer")), aside=(button,))


def _with_item(scene: Scene, move: Move) -> Move:
    if move.then == "refresh":
        return recommending.refreshed(scene, move)
    return recommending.advanced(scene, move) if move.then == "advance" else _reminded(scene, move)


def _to_ask(move: Move) -> Question | None:
    """The last question, unless it waits behind an item on show or a new subject, or was asked often enough."""
    question = move.state.questions[-1] if move.state.questions else None
    if question is None or not question.times:
        return question
    if question.times >= TIMES_ASKED or move.then == "refresh":
        return None
    if move.then == "advance":
        return question if question.age > 1 else None  # before the next item; the list goes on after the answer
    behind_item = question.age > 1 and (move.state.position is not None or move.state.suggested)
    return None if behind_item or move.objects else question


def _asked(scene: Scene, move: Move, question: Question) -> Move:
    now = replace(question, age=0, times=question.times + 1)
    move = move.with_state(questions=(*move.state.questions[:-1], now))
    again = "_again" if question.times else ""
    events = set(_EVENTS.get(question.kind, ()))
    if move.state.position is not None:
        events.add("recommendation")
    return move.also(standalone=(_question_text(scene, question, again),), events=events, then="none")


def _question_text(scene: Scene, question: Question, again: str) -> str:
    """The question with its numbered options, where they are not buttons alone."""
    say, value = scene.say, ""
    if question.kind == "confirmation" and question.qid and question.property:
        entity = scene.know.catalogue.get(question.qid)
        values = entity.relations.get(question.property, ()) if entity else ()
        value = say.join([scene.know.catalogue.label(qid, scene.state.language) for qid in values[:3]])
    text = say(
        _question_key(scene, question, again),
        mention=scene.name(question.qid) if question.qid else question.mention,
        choices=[choice.label for choice in question.choices],
        opinion=say.label({"+": "you_like", "-": "you_dislike", None: "you_mean"}[question.polarity]),
        property=scene.property_label(question.property) if question.property else "",
        value=value,
    )
    if question.kind in {"item", "delete"} and not has_one_option(question) and scene.state.mode != "buttons":
        lines = [f"{number}. {choice.label}" for number, choice in enumerate(question.choices, 1)]
        return "\n".join([text, *lines])
    return text


def _question_key(scene: Scene, question: Question, again: str) -> str:
    """The message that asks it: one option is asked for with yes or no, and a repeated question has its own words."""
    kind: str = "value" if question.kind == "item" and question.property and question.qid else question.kind
    kind = "polarities" if asks_several(question) else kind
    ways = (f"ask_{kind}_one" if has_one_option(question) else "", f"ask_{kind}{again}", f"ask_{kind}")
    return next(way for way in ways if way in scene.say.wording.says)


def _reminded(scene: Scene, move: Move) -> Move:
    """The move with a reminder of the item that waits for a rating."""
    qid = current(move.state) or move.state.suggested
    if qid is None:
        return move
    kind = "suggestion" if move.state.suggested else "recommendation"
    return move.also(standalone=(scene.say("remind", item=scene.name(qid)),), events={kind, "question"}, then="none")


# ------------------------------------------------------------------------------------------------------- options


def _options(scene: Scene, move: Move) -> Iterable[Option]:
    state, label = move.state, scene.say.label
    question = state.questions[-1] if state.questions else None
    if question and question.times and question.age == 0:
        yield from _answers(scene, question)
        if state.mode == "buttons":
            yield Option("do:stop", label("stop"))
    elif qid := current(state) or state.suggested:
        verbs = ("like", "dislike", "skip", "details", "why", "preview")
        for verb in verbs if state.position is not None else ("like", "dislike", "seen", "unseen"):
            yield Option(f"{verb}:{qid}", label(verb))
        yield Option("do:stop", label("stop"))
    elif move.options or state.mode == "buttons" or state.phase in {Phase.FINISHED, Phase.PROFILE}:
        yield from move.options or menu(scene)


def _answers(scene: Scene, question: Question) -> Iterable[Option]:
    """The options of a question, with all of them and none of them where that makes sense."""
    label = scene.say.label
    if has_one_option(question):
        yield from (Option(question.choices[0].id, label("yes")), Option(f"none:{question.serial}", label("no")))
        return
    if asks_several(question):
        yield Option(f"all:{question.serial}", label("like_all"))
    yield from (Option(choice.id, choice.label) for choice in question.choices)
    if question.kind in {"item", "role"}:
        yield Option(f"all:{question.serial}", label("all"))
    if name := _DECLINED_BY.get(question.kind):
        yield Option(f"none:{question.serial}", label(name))


def menu(scene: Scene, *first: str) -> tuple[Option, ...]:
    """What can be done when nothing is under way; `first` names what comes before the usual."""
    names = (*first, "recommend", "rate", "profile", "undo", "help")
    others = (domain for domain in scene.know.domains if domain != scene.state.domain)
    switches = tuple(Option(f"do:domain:{domain}", scene.domain_label(domain)) for domain in others)
    return (*(Option(f"do:{name}", scene.say.label(name)) for name in names), *switches)


def rendered(scene: Scene, move: Move) -> Reply:
    """The reply of a finished move; in mode "nl" without any options."""
    texts = tuple("\n".join(part) for part in (move.texts, move.standalone) if part)
    options = () if move.state.mode == "nl" else (*_options(scene, move), *move.aside)
    return Reply(texts or (scene.say("nothing_to_say"),), options, move.image, move.links, sketch=move.sketch)
