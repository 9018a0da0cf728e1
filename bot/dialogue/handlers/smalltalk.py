"""Small talk, yes and no to nothing, and what was not understood."""

from bot.dialogue import recommending
from bot.dialogue.families import family_of
from bot.dialogue.handlers.basics import welcome
from bot.dialogue.prompts import menu
from bot.dialogue.reading import foreign_script
from bot.dialogue.scene import Handler, Move, Scene
from bot.dialogue.state import Phase
from nlu.intents.coarse import TALK

_FALLBACKS = {
    Phase.DISAMBIGUATING: "fallback_question",
    Phase.DISAMBIGUATING_WHILE_RECOMMENDING: "fallback_question",
    Phase.RESET_MENU: "fallback_question",
    Phase.RESET_CONFIRMATION: "fallback_question",
    Phase.RECOMMENDING: "fallback_item",
    Phase.SUGGESTING: "fallback_item",
}


def _greet(scene: Scene) -> Move:
    if family_of(scene.coarse, scene.turn.text):
        return _reply(scene)
    if scene.shown or scene.waiting:
        return scene.move(scene.say("hello"))
    text = welcome(scene) if not scene.profile.preferences or scene.state.turns == 0 else scene.say("hello_again")
    return scene.move(text, options=menu(scene))


def _fallback(scene: Scene) -> Move:
    text = scene.turn.text
    if foreign_script(text):
        return scene.move(scene.say("foreign_script"), options=menu(scene))
    if text.strip().isdigit() and not scene.question:
        return scene.move(scene.say("bare_number", number=text.strip()), options=menu(scene))
    events = {"preference"} if scene.coarse == "inform" and scene.question else ()
    if scene.understood.unknown and not scene.question:
        return scene.move(scene.say("unknown_title", titles=scene.understood.unknown), options=menu(scene))
    return scene.move(scene.say(_FALLBACKS.get(scene.phase, "fallback")), options=menu(scene)).also(events=events)


def _reply(scene: Scene) -> Move:
    """An answer to the family of small talk, and a way back to what the bot is for unless something is open."""
    told = [scene.say(f"small_{family_of(scene.coarse, scene.turn.text) or scene.coarse}")]
    if scene.coarse == "bye":
        left = recommending.left(scene.move(*told, then="none"))  # who leaves is asked nothing more
        return left.with_state(questions=(), told=())
    if not (scene.shown or scene.waiting):
        told.append(scene.say("lead_back"))
    return scene.move(" ".join(told), options=menu(scene))


HANDLERS = (
    Handler("greet", lambda scene: scene.coarse == "greet", _greet),
    Handler("small_talk", lambda scene: scene.coarse in TALK | {"affirm", "deny"}, _reply),
    Handler("fallback", lambda _: True, _fallback),
)
