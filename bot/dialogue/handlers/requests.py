"""Requests for recommendations, with or without conditions."""

from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.domains import named_domains
from bot.dialogue.handlers.basics import which_domain
from bot.dialogue.handlers.switches import switched_domain
from bot.dialogue.opinions import Opinion, note
from bot.dialogue.questions import raised
from bot.dialogue.scene import Handler, Move, Scene, current
from bot.dialogue.wishes import counted, likens, narrowed, told, wants_its_own
from data.model import UNKNOWN_VALUE, Constraint, Domain, Qid
from nlu.model import Mention
from recommender.candidates import meets


def _domain(scene: Scene) -> Domain | None:
    """The domain that is wanted; None when that is anybody's guess."""
    if scene.understood.domain:
        return scene.understood.domain
    if several := named_domains(scene):
        return scene.state.domain if scene.state.domain_chosen and scene.state.domain in several else several[0]
    if scene.state.domain_chosen:
        return scene.state.domain
    mentioned = _where_it_is_met(scene) or {given.domain for given in scene.profile.preferences}
    return mentioned.pop() if len(mentioned) == 1 else None


def _where_it_is_met(scene: Scene) -> set[Domain]:
    """The domains whose items the conditions and examples fit: films, for "something with Denzel Washington"."""
    catalogue = scene.know.catalogue
    wanted = {value for one in scene.understood.constraints if not one.negated for value in one.values}
    wanted |= {mention.accepted for mention in scene.understood.mentions if mention.example and mention.accepted}
    near = [entity for qid in wanted for entity in map(catalogue.get, (qid, *catalogue.holders(qid)))]
    return {entity.domain for entity in near if entity is not None and entity.is_item and entity.domain}


def _handle(scene: Scene) -> Move:
    scene = _with_unwanted(scene)
    domain = _domain(scene)
    if domain is None:
        asked = replace(which_domain(scene), mention="recommend")
        move, examples = _named(scene, told(scene, scene.move()))
        move = replace(move, state=raised(move.state, [asked]))
        return move.with_state(constraints=scene.understood.constraints, seeds=examples)
    move = scene.move()
    if domain != scene.state.domain or not scene.state.domain_chosen:
        move = switched_domain(move, domain)
    shown = current(move.state)
    if shown:
        move = recommending.rated(move, shown, "skip")
    move, examples = _named(scene, told(scene, move))
    move = move.once("one_by_one", scene.say("one_by_one")) if counted(scene) else move
    if shown and _goes_on(scene):
        return _next(scene, move)
    move = move.with_state(suggested=None, constraints=scene.understood.constraints, seeds=examples)
    return recommending.started(scene, move)


def _with_unwanted(scene: Scene) -> Scene:
    """The scene with namesakes that are not wanted as a condition: "no King Kong please" means any of them."""
    refused = [one for one in scene.understood.mentions if one.polarity == "-" and not one.accepted and one.candidates]
    if not refused:
        return scene
    unwanted = [
        Constraint(one.text, values=tuple(candidate.qid for candidate in one.candidates), negated=True)
        for one in refused
    ]
    kept = tuple(one for one in scene.understood.mentions if one not in refused)
    conditions = (*scene.understood.constraints, *unwanted)
    return replace(scene, understood=replace(scene.understood, mentions=kept, constraints=conditions))


def _goes_on(scene: Scene) -> bool:
    """Whether a request goes on with the list on show ("another one", "something newer", "no musicals")."""
    understood = scene.understood
    if likens(scene) or wants_its_own(scene) or any(mention.example for mention in understood.mentions):
        return False
    unwanted = {value for constraint in understood.constraints if constraint.negated for value in constraint.values}
    wanted = any(mention.accepted not in unwanted for mention in understood.mentions)
    return scene.hears("another") or not (wanted or understood.domain)


def _next(scene: Scene, move: Move) -> Move:
    """The next item of the list, under the conditions of the message too."""
    new = scene.understood.constraints
    state = move.state
    move = move.with_state(constraints=narrowed(state.constraints, new))
    last = state.position is None or state.position + 1 == len(state.recommendations)
    move = move if last else move.also(scene.say("another"))
    return replace(move, then="refresh" if scene.wishes or new else "advance")


def _named(scene: Scene, move: Move) -> tuple[Move, tuple[Qid, ...]]:
    """The move with the opinions of a request noted, and what the items should resemble."""
    told_already = " ".join(scene.understood.unheard)
    examples = [scene.shown] if scene.shown and likens(scene) else []
    whole = scene.understood.text.strip(" .!?")  # "recomend" is a request, not a name
    unknown = [name for name in scene.understood.unknown if name not in told_already and name != whole]
    conditions = {value for constraint in scene.understood.constraints for value in constraint.values}
    unmet = [constraint.text for constraint in scene.understood.constraints if UNKNOWN_VALUE in constraint.values]
    for mention in scene.understood.mentions:
        qid = mention.accepted or (mention.candidates[0].qid if mention.candidates else None)
        if qid is None or mention.whole:
            unknown.append(mention.whole or mention.text)
        elif qid in conditions or any(text.endswith(mention.text) for text in unmet):
            continue  # "with Tom Hanks" is a condition of this list, not an opinion
        elif mention.polarity and mention.accepted and not _resembled(scene, mention):
            move = note(scene, move, Opinion(qid, mention.polarity, mention.role, mention=mention.text))
        else:
            examples.append(qid)
    if unknown:
        move = move.also(scene.say("unknown_title", titles=list(dict.fromkeys(unknown))))
    return move, tuple(examples)


def _resembled(scene: Scene, mention: Mention) -> bool:
    """Whether the words before a name make it an example ("something like Inception")."""
    return scene.say.hears("resembling", scene.understood.text[: mention.start]) is not None


def _handle_proviso(scene: Scene) -> Move:
    """The item on show stays when it meets the conditions; else the next one does."""
    item = scene.know.catalogue.get(scene.shown or "")
    known = [one for one in scene.understood.constraints if UNKNOWN_VALUE not in one.values]
    if item is None or not known:
        return _handle(scene)
    fits = all(meets(scene.know.catalogue, item, one) for one in known)
    told = scene.say(
        "proviso_met" if fits else "proviso_unmet", item=scene.name(item.qid), words=scene.understood.proviso
    )
    if fits:
        return scene.move(told, then="remind")
    move = _handle(scene)
    return replace(move, texts=(told, *move.texts))


HANDLERS = (
    Handler("proviso", lambda scene: bool(scene.understood.proviso and scene.shown), _handle_proviso),
    Handler("request", lambda scene: scene.coarse == "request_recommendation", _handle),
)
