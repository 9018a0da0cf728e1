"""Recommending one item after another out of a list, and suggesting items to rate."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.dialogue import items
from bot.dialogue.profile import excluded, known, marked, seeds, with_shown
from bot.dialogue.scene import Move, Scene, current
from bot.dialogue.state import DialogueState, Phase, Profile, Rating, Shown
from data.model import Constraint, Polarity, Qid
from recommender.model import ElicitationRequest, Reason, Request, Result

__all__ = [
    "advanced",
    "explained",
    "honoured",
    "left",
    "rated",
    "refreshed",
    "started",
    "suggested",
    "thin",
]


def request_for(scene: Scene, state: DialogueState, profile: Profile, n: int) -> Request:
    """What to ask the recommender for."""
    return Request(
        domain=state.domain,
        liked=state.seeds or (*seeds(profile, "+"), *_awaiting_role(state, "+")),
        disliked=(*seeds(profile, "-"), *_awaiting_role(state, "-")),
        excluded=excluded(profile) | frozenset(state.seeds) | _asked_about(state),
        constraints=state.constraints,
        n=n,
        variant=scene.know.policy.variant,
        seed=scene.rng.getrandbits(32),
    )


def _asked_about(state: DialogueState) -> frozenset[Qid]:
    """What a waiting question is about: it may turn out to be known or unwanted."""
    about = {choice.qid for question in state.questions for choice in question.choices}
    return frozenset(filter(None, about | {question.qid for question in state.questions}))


def _awaiting_role(state: DialogueState, polarity: Polarity) -> tuple[Qid, ...]:
    """Who is liked (or not) in a role that is yet to be told."""
    asked = (question for question in state.questions if question.kind == "role" and question.polarity == polarity)
    return tuple(dict.fromkeys(question.qid for question in asked if question.qid))


def thin(scene: Scene, profile: Profile) -> bool:
    """Whether so little is known that a recommendation can hardly be personal."""
    return len(profile.preferences) < scene.know.policy.thin


def started(scene: Scene, move: Move) -> Move:
    """The move with a new list and its first item."""
    result = scene.know.recommender.recommend(
        request_for(scene, move.state, move.profile, scene.know.policy.recommendations)
    )
    if not result.items:
        return left(move).also(scene.say("nothing_left"), events={"recommendation"})
    cycle, lists = move.state.cycles.get(move.state.domain, (0, 0))
    cycles = {**move.state.cycles, move.state.domain: (cycle + 1, lists + 1)}
    found = tuple(item.qid for item in result.items)
    move = move.with_state(recommendations=found, position=0, cycles=cycles, suggested=None)
    return _present(scene, _with_caveat(scene, _without_unmet(scene, move, result), result), result)


def _without_unmet(scene: Scene, move: Move, result: Result) -> Move:
    """The move with the conditions that nothing meets named and dropped."""
    if not result.unmet:
        return move
    kept = tuple(constraint for constraint in move.state.constraints if constraint not in result.unmet)
    conditions = [constraint.text for constraint in result.unmet]
    return move.with_state(constraints=kept).also(scene.say("unmet", conditions=conditions))


def _with_caveat(scene: Scene, move: Move, result: Result) -> Move:
    """The move with what the user should know about a list that is not personal, once in a conversation."""
    if result.fallback == "popularity":
        return move.once("popular_only", scene.say("popular_only"))
    if move.profile.preferences and thin(scene, move.profile):
        return move.once("thin_profile", scene.say("thin_profile", n=len(move.profile.preferences)))
    return move


def advanced(scene: Scene, move: Move) -> Move:
    """The move with the next item of the list, or with its end."""
    position = move.state.position
    if position is None or position + 1 >= len(move.state.recommendations):
        return _finished(scene, move)
    return _present(scene, move.with_state(position=position + 1), None)


def refreshed(scene: Scene, move: Move) -> Move:
    """The move with the next item, after the rest of the list was ranked anew."""
    position = move.state.position
    if position is None:
        return move
    done = move.state.recommendations[: position + 1]
    wanted = len(move.state.recommendations) - len(done)
    if not wanted:
        return started(scene, move) if scene.wishes else _finished(scene, move)
    result = scene.know.recommender.recommend(request_for(scene, move.state, move.profile, wanted))
    cycle, lists = move.state.cycles.get(move.state.domain, (0, 0))
    cycles = {**move.state.cycles, move.state.domain: (cycle + 1, lists)}
    move = move.with_state(recommendations=done + tuple(item.qid for item in result.items), cycles=cycles)
    return advanced(scene, _without_unmet(scene, move, result))


def honoured(scene: Scene, move: Move, criticised: Iterable[Qid]) -> Move:
    """The move with people, genres and the like that were criticised kept out of the rest of the list."""
    known = {constraint.values for constraint in move.state.constraints if constraint.negated}
    values = [qid for qid in criticised if (entity := scene.know.catalogue.get(qid)) and not entity.is_item]
    unwanted = tuple(Constraint(scene.name(qid), values=(qid,), negated=True) for qid in values if (qid,) not in known)
    return move.with_state(constraints=(*move.state.constraints, *unwanted))


def _present(scene: Scene, move: Move, result: Result | None) -> Move:
    state = move.state
    qid = current(state)
    if qid is None or state.position is None:
        return move
    cycle, _ = state.cycles.get(state.domain, (0, 0))
    shown = Shown(qid, state.domain, cycle, state.position, at=scene.now)
    card = [scene.say("recommend", item=scene.name(qid)), items.summary(scene, qid)]
    if scene.know.policy.explanations:
        asked = items.asked_for(scene, qid, state.constraints)
        because = _asked_first(asked, result.items[0].because) if result else explained(scene, move, qid)
        told = items.reasons(scene, because, move.profile, 1 + bool(asked))
        card += [scene.say("because", reasons="; ".join(dict.fromkeys(told))) for _ in because[:1]]
    card.append(scene.say("your_opinion"))
    return replace(
        move,
        profile=with_shown(move.profile, shown),
        standalone=tuple(line for line in card if line),
        image=items.image(scene, qid),
        events=move.events | {"recommendation", "question"},
        then="none",
    )


def explained(scene: Scene, move: Move, qid: Qid) -> tuple[Reason, ...]:
    """Reasons for an item under what is known now, what was asked for first."""
    found = scene.know.recommender.explain(request_for(scene, move.state, move.profile, 1), qid)
    return _asked_first(items.asked_for(scene, qid, move.state.constraints), found)


def _asked_first(asked: Sequence[Reason], because: Sequence[Reason]) -> tuple[Reason, ...]:
    """Reasons with those that meet a condition before the others, each value once."""
    told = {reason.value for reason in asked}
    return (*asked, *(reason for reason in because if reason.value is None or reason.value not in told))


def _finished(scene: Scene, move: Move) -> Move:
    move = left(move).with_state(phase=Phase.FINISHED)
    return move.also(
        scene.say("list_finished"), scene.say("more_or_not"), events={"finished_recommendation", "recommendation"},
        then="none",
    )  # fmt: skip


def left(move: Move) -> Move:
    """The move with nothing on show any more."""
    return move.with_state(
        recommendations=(), position=None, suggested=None, constraints=(), seeds=(), phase=Phase.IDLE
    )


def rated(move: Move, qid: Qid, rating: Rating, *, critiqued: bool = False) -> Move:
    """The move with the reaction to a shown item kept."""
    return replace(move, profile=marked(move.profile, qid, rating=rating, critiqued=critiqued))


def suggested(scene: Scene, move: Move, *, asked: bool = False) -> Move | None:
    """The move with an item to rate, while the profile is thin or when the user asked for one; None otherwise."""
    policy, state = scene.know.policy, move.state
    strategy = policy.elicitation or ("randPop" if asked else None)
    if strategy in {None, "none"} or not (asked or len(known(move.profile, state.domain)) < policy.thin):
        return None
    wanted = ElicitationRequest(
        state.domain, strategy or "", seeds(move.profile, "+"), seeds(move.profile, "-"), excluded(move.profile),
        seed=scene.rng.getrandbits(32),
    )  # fmt: skip
    found = scene.know.recommender.elicit(wanted)
    if not found:
        return None
    shown = Shown(found[0], state.domain, 0, 0, kind="suggested", at=scene.now)
    return replace(
        move.with_state(suggested=found[0]),
        profile=with_shown(move.profile, shown),
        standalone=(scene.say("suggest", item=scene.name(found[0])),),
        image=items.image(scene, found[0]),
        events=move.events | {"suggestion", "question"},
        then="none",
    )
