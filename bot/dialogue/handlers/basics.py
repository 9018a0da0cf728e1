"""Starting, help, stopping and skipping."""

from dataclasses import replace

from bot.dialogue import recommending
from bot.dialogue.opinions import acknowledged, kept_without_role
from bot.dialogue.profile import known
from bot.dialogue.prompts import menu
from bot.dialogue.questions import raised, resolved
from bot.dialogue.scene import Followup, Handler, Move, Scene, current
from bot.dialogue.state import Choice, Phase, Question

_HELP = {
    Phase.DISAMBIGUATING: "help_question",
    Phase.DISAMBIGUATING_WHILE_RECOMMENDING: "help_question",
    Phase.RECOMMENDING: "help_item",
    Phase.SUGGESTING: "help_suggestion",
    Phase.PROFILE: "help_profile",
    Phase.RESET_MENU: "help_reset",
    Phase.RESET_CONFIRMATION: "help_reset",
}


def which_domain(scene: Scene) -> Question:
    """Which domain is meant."""
    return Question("domain", tuple(Choice("", scene.domain_label(domain)) for domain in scene.know.domains))


def welcome(scene: Scene) -> str:
    """A greeting that tells a returning user what is known."""
    if not scene.profile.preferences:
        return scene.say("welcome", domains=[scene.domain_label(domain) for domain in scene.know.domains])
    counts = [(scene.domain_label(domain), len(known(scene.profile, domain))) for domain in scene.know.domains]
    liked = [scene.name(given.qid) for given in scene.profile.preferences if given.polarity == "+"][-3:]
    told = [f"{label} ({count})" for label, count in counts if count]
    return scene.say("welcome_back", counts=told, liked=liked) if liked else scene.say("welcome_again", counts=told)


def _start(scene: Scene) -> Move:
    move = recommending.left(scene.move(welcome(scene), options=menu(scene))).with_state(questions=(), told=())
    if not scene.state.domain_chosen:
        return move.with_state(questions=raised(move.state, [which_domain(scene)]).questions)
    if scene.profile.preferences:
        return move.also(scene.say("go_on", domain=scene.domain_label(scene.state.domain)), then="none")
    if suggestion := recommending.suggested(scene, move):
        return suggestion
    return move.also(scene.say("first_preference", domain=scene.domain_label(scene.state.domain)), then="none")


def _help(scene: Scene) -> Move:
    text = scene.say(_HELP.get(scene.phase, "help"))
    state = scene.state
    if scene.question:  # still open: it is neither asked again nor set aside
        state = replace(state, questions=(*state.questions[:-1], replace(scene.question, age=0)))
    phase = Phase.PROFILE if scene.phase is Phase.PROFILE else state.phase
    return scene.move(text, options=menu(scene), then="none").with_state(questions=state.questions, phase=phase)


def _stop(scene: Scene) -> Move:
    busy = scene.state.position is not None or scene.state.suggested or scene.state.questions
    events = {"recommendation"} if scene.state.position is not None else ()
    move = recommending.left(scene.move(options=menu(scene))).with_state(questions=())
    return move.also(scene.say("stopped" if busy else "nothing_to_stop"), events=events, then="none")


def _skip(scene: Scene) -> Move:
    if scene.waiting and (scene.question or not scene.shown):
        move = replace(scene.move(events=frozenset({"preference"})), state=resolved(scene.state, scene.waiting))
        kept = acknowledged(scene, kept_without_role(scene, move, [scene.waiting]))
        told = kept if kept.objects else move.also(scene.say("question_skipped"))
        return replace(told, objects=(), then=_after(scene.waiting))  # a skipped question has no objects in the log
    otherwise = "seen" if scene.hears("knowing") else "skip"
    reaction = {"seen": "seen", "unseen": "unseen"}.get(scene.does, otherwise)
    if scene.shown is None:
        return scene.move(scene.say("nothing_to_skip"), options=menu(scene))
    move = recommending.rated(scene.move(scene.say(f"noted_{reaction}")), scene.shown, reaction)  # type: ignore[arg-type]
    if current(scene.state):
        return replace(move, then="advance")
    return next_suggestion(scene, move)


def _after(question: Question) -> Followup:
    return "refresh" if question.critique else "ask"


def next_suggestion(scene: Scene, move: Move) -> Move:
    """The move with one more item to rate, up to five in a row."""
    move = move.with_state(suggested=None)
    rated = sum(shown.kind == "suggested" and shown.rating in {"+", "-"} for shown in move.profile.shown)
    seen = sum(shown.kind == "suggested" for shown in move.profile.shown)
    enough = (rated % SUGGESTED_IN_A_ROW == 0 and rated > 0) or seen % (4 * SUGGESTED_IN_A_ROW) == 0
    suggestion = None if enough else recommending.suggested(scene, move, asked=True)
    return suggestion or move.also(scene.say("enough_rated"), options=menu(scene), then="none")


SUGGESTED_IN_A_ROW = 5


def _rate(scene: Scene) -> Move:
    move = recommending.left(scene.move(scene.say("rate_intro")))
    suggestion = recommending.suggested(scene, move, asked=True)
    return suggestion or move.also(scene.say("enough_rated"), options=menu(scene), then="none")


HANDLERS = (
    Handler("start", lambda scene: scene.coarse == "start", _start),
    Handler("help", lambda scene: scene.coarse == "help", _help),
    Handler("rate", lambda scene: scene.does == "rate", _rate),
    Handler("stop", lambda scene: scene.coarse == "stop", _stop),
    Handler("skip", lambda scene: scene.coarse == "skip", _skip),
)
