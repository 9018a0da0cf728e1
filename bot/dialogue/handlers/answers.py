"""Answers to the questions of the bot, given at once or a few messages late."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.domains import named_domains
from bot.dialogue.handlers.profile import confirm_reset, deleted, reset_done
from bot.dialogue.handlers.switches import in_turn, switched_domain
from bot.dialogue.opinions import Opinion, acknowledged, kept_without_role, note, note_values, settled, take_properties
from bot.dialogue.questions import grouped, has_one_option, raised, resolved, which_polarity
from bot.dialogue.scene import Handler, Move, Scene
from bot.dialogue.several import excepts, opinions_on
from bot.dialogue.state import Choice, Question, asks_several
from bot.dialogue.wishes import narrowed
from data.model import Polarity, Qid
from nlu.intents.coarse import ANSWERING
from nlu.model import Mention, Reference


def _asked(scene: Scene) -> Question | None:
    """The question that the turn answers: the one whose button was pressed, or the last one."""
    if scene.action and scene.does == "answer":
        serial = scene.action.value
        return next((asked for asked in scene.state.questions if str(asked.serial) == serial), None)
    return scene.waiting


def _chosen(scene: Scene, question: Question) -> tuple[Choice, ...]:
    answer = scene.understood.answer
    positions = answer.chosen if answer else ()
    if scene.coarse == "affirm" and has_one_option(question):
        return question.choices
    return tuple(question.choices[position] for position in positions if position < len(question.choices))


def _check(scene: Scene) -> bool:
    question = _asked(scene)
    if question is None:
        return False
    answer = scene.understood.answer
    picks = bool(answer and (answer.none or answer.among or _chosen(scene, question)))
    if scene.does == "answer":
        return picks
    if scene.question is None:  # set aside: only a clear pick of an option brings it back
        return picks and scene.coarse in ANSWERING and not scene.understood.mentions
    return (picks and scene.coarse in ANSWERING) or _fits(scene, question)


def _fits(scene: Scene, question: Question) -> bool:
    """Whether the text answers without naming an option ("yes", "I love it", "books")."""
    plain = not scene.understood.mentions
    match question.kind:
        case "confirmation" | "reset_confirmation":
            return plain and scene.coarse in {"affirm", "deny"}
        case "polarity":
            tells = plain and (_stated(scene) is not None or scene.hears("partly"))
            return scene.coarse in ANSWERING and (tells or excepts(scene, question))
        case "item" | "role" | "delete":
            agrees = scene.coarse == "affirm" and has_one_option(question)
            return plain and (scene.coarse == "deny" or agrees or _only_judges(scene, question))
        case "reset":
            return scene.coarse in {"reset_items", "reset_properties", "reset_everything", "deny"}
        case "domain":
            named = scene.understood.domain is not None or named_domains(scene)
            return plain and bool(named) and scene.coarse != "request_recommendation"


def _only_judges(scene: Scene, question: Question) -> bool:
    """Whether "which one?" is answered by what the user thinks of it: it must be asked once more."""
    judged = scene.coarse == "preference" and _stated(scene) is not None
    named = bool(scene.understood.mentions or scene.understood.answer)
    return question.kind in {"item", "role"} and judged and scene.shown is None and not named


def _asked_again(scene: Scene, question: Question) -> Move | None:
    """The question once more, with what the message says of it: fewer options, or an opinion; None when it answers."""
    answer = scene.understood.answer
    if answer and answer.among:
        left = replace(question, choices=tuple(question.choices[place] for place in answer.among))
    elif asks_several(question) and scene.hears("partly"):
        left = replace(question, times=1)
    elif _only_judges(scene, question):
        left = replace(question, polarity=_stated(scene))
    else:
        return None
    others = tuple(asked for asked in scene.state.questions if asked.serial != question.serial)
    move = scene.move(events=frozenset({"preference"}))
    return move.with_state(questions=(*others, replace(left, times=left.times if asks_several(left) else 0, age=0)))


def _stated(scene: Scene) -> Polarity | None:
    """The opinion that a text states without naming anything."""
    reference = scene.understood.item_reference
    plain = {"affirm": "+", "deny": "-"}.get(scene.coarse)
    stated = reference.polarity if reference else plain or scene.understood.overall
    return stated or plain or ("+" if scene.coarse == "praise" else None)  # type: ignore[return-value]


def _handle(scene: Scene) -> Move:
    question = _asked(scene)
    if question is None:
        return scene.move()
    if again := _asked_again(scene, question):
        return again
    move = replace(scene.move(), state=resolved(scene.state, question))
    move = _ANSWERS[question.kind](scene, move, question)
    if question.critique:
        move = recommending.honoured(scene, move, (qid for qid, polarity in move.objects if polarity == "-"))
    if move.then == "ask" and question.critique and not any(asked.critique for asked in move.state.questions):
        return replace(move, then="refresh")
    return move


def _item(scene: Scene, move: Move, question: Question) -> Move:
    chosen = _chosen(scene, question)
    if not chosen:
        return move.also(scene.say("none_chosen", mention=question.mention), events={"preference"})
    others = tuple(choice for choice in question.choices if choice not in chosen)
    for choice in chosen:
        if choice.qid is None:
            continue
        if question.polarity is None:
            mention = Mention(0, 0, choice.label, (), choice.qid, role=question.property)
            asked = which_polarity(scene, choice.qid, mention, critique=question.critique)
            move = _asked_together(scene, move, asked)
            continue
        role = None if _is_item(scene, choice.qid) else question.property
        move = note(scene, move, Opinion(choice.qid, question.polarity, role, "stated", question.mention, others))
        if question.property and role is None:
            bare = Reference(0, 0, "", question.polarity, question.property)
            move = take_properties(scene, move, [bare], [(0, choice.qid)], unstated=None, critique=question.critique)
    return acknowledged(scene, move)


def _asked_together(scene: Scene, move: Move, asked: Question) -> Move:
    """The move with one more question whether something is liked, joined to one that was not asked yet."""
    top = move.state.questions[-1] if move.state.questions else None
    joined = [top] if top and top.kind == "polarity" and not top.times else []
    left = resolved(move.state, top) if top and joined else move.state
    return move.also(state=raised(left, grouped(scene, [asked, *joined])), events={"preference"})


def _is_item(scene: Scene, qid: Qid) -> bool:
    entity = scene.know.catalogue.get(qid)
    return entity is not None and entity.is_item


def _role(scene: Scene, move: Move, question: Question) -> Move:
    chosen = _chosen(scene, question)
    if not chosen and scene.coarse != "deny":
        return acknowledged(scene, kept_without_role(scene, move, [question]))
    if question.qid is None or question.polarity is None or not chosen:
        return move.also(scene.say("question_skipped"), events={"preference"})
    role = chosen[0].property if len(chosen) == 1 else None
    given = Opinion(question.qid, question.polarity, role, mention=question.mention)
    return acknowledged(scene, note(scene, move, given))


def _polarities(scene: Scene, move: Move, question: Question) -> Move:
    """Opinions on several things; a button picks one, and the others are asked about again."""
    stated: Polarity | None = "-" if _none_of_them(scene) else _stated(scene)
    signs = opinions_on(scene, question, _chosen(scene, question), None if scene.does == "answer" else stated)
    if not signs:
        return move.also(scene.say("no_opinion_noted", mention=question.mention), events={"preference"})
    if scene.does == "answer":
        move = move.with_state(questions=(*move.state.questions, replace(question, times=0, age=0)))
    for choice in question.choices:
        if choice.qid and (sign := signs.get(choice.qid)):
            given = Opinion(choice.qid, sign, choice.property, mention=choice.label)
            ready = settled(scene, given)
            move = note(scene, move, ready if isinstance(ready, Opinion) else given)
    return acknowledged(scene, move)


def _none_of_them(scene: Scene) -> bool:
    answer = scene.understood.answer
    return answer is not None and answer.none


def _polarity(scene: Scene, move: Move, question: Question) -> Move:
    if asks_several(question):
        return _polarities(scene, move, question)
    answer = scene.understood.answer
    picked = answer.chosen[0] if answer and answer.chosen else None
    polarity = _stated(scene) or (("+", "-")[picked] if picked is not None and picked < 2 else None)
    if question.qid is None or polarity is None or _none_of_them(scene):
        return move.also(scene.say("no_opinion_noted", mention=question.mention), events={"preference"})
    given = Opinion(question.qid, polarity, question.property, mention=question.mention)
    ready = settled(scene, given)
    opinion = ready if isinstance(ready, Opinion) else given
    return acknowledged(scene, note(scene, move, opinion))


def _confirmation(scene: Scene, move: Move, question: Question) -> Move:
    entity = scene.know.catalogue.get(question.qid or "")
    if scene.coarse != "affirm" or entity is None or question.property is None or question.polarity is None:
        return _of_another(scene, move, question) or move.also(scene.say("not_confirmed"), events={"preference"})
    values = entity.relations.get(question.property, ())
    return acknowledged(scene, note_values(scene, move, values, question.property, question.polarity, question.mention))


def _of_another(scene: Scene, move: Move, question: Question) -> Move | None:
    """The move with the property that is named in place of the one asked about: "no, the actor"; None without one."""
    others = [one for one in scene.understood.property_references if one.property != question.property]
    if not others or question.qid is None or question.polarity is None:
        return None
    meant = [replace(one, polarity=question.polarity) for one in others]
    items = [(0, question.qid)]
    return acknowledged(
        scene, take_properties(scene, move, meant, items, unstated=question.polarity, critique=question.critique)
    )


def _delete(scene: Scene, move: Move, question: Question) -> Move:
    chosen = [choice.qid for choice in _chosen(scene, question) if choice.qid]
    if not chosen:
        return move.also(scene.say("nothing_deleted"), events={"preference"}, then="none")
    return deleted(scene, move, chosen)


def _reset(scene: Scene, move: Move, question: Question) -> Move:
    target = scene.coarse.removeprefix("reset_") if scene.coarse.startswith("reset_") else None
    if target is None:
        return move.also(scene.say("reset_cancelled"), then="none")
    return confirm_reset(scene, move, target, question.domain)


def _reset_confirmation(scene: Scene, move: Move, question: Question) -> Move:
    if scene.coarse != "affirm":
        return move.also(scene.say("reset_cancelled"), then="none")
    return reset_done(scene, move, question.mention, question.domain)


def _domain(scene: Scene, move: Move, question: Question) -> Move:
    answer, domains = scene.understood.answer, tuple(scene.know.domains)
    chosen = tuple(domains[place] for place in answer.chosen) if answer else ()
    several = named_domains(scene) or chosen
    domain = several[0] if several else scene.understood.domain
    if domain is None:
        return move.also(scene.say("question_skipped"))
    if len(several) > 1:
        move = move.also(in_turn(scene, several))
    conditions = narrowed(scene.state.constraints, scene.understood.constraints)
    move = switched_domain(move, domain).with_state(constraints=conditions, seeds=scene.state.seeds)
    return (
        recommending.started(scene, move)
        if question.mention
        else move.also(scene.say("first_preference", domain=scene.domain_label(domain)), then="none")
    )


_ANSWERS: Mapping[str, Callable[[Scene, Move, Question], Move]] = {
    "item": _item,
    "role": _role,
    "polarity": _polarity,
    "confirmation": _confirmation,
    "delete": _delete,
    "reset": _reset,
    "reset_confirmation": _reset_confirmation,
    "domain": _domain,
}

HANDLERS = (Handler("answer", _check, _handle),)
