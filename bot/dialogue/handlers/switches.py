"""Switching the domain, the interaction mode and the language."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from bot.dialogue import recommending
from bot.dialogue.domains import named_domains
from bot.dialogue.handlers.basics import which_domain
from bot.dialogue.questions import MENUS, raised
from bot.dialogue.scene import Handler, Move, Scene
from bot.dialogue.state import InteractionMode
from data.model import Domain
from nlu.intents.coarse import CHOOSING


def switched_domain(move: Move, domain: Domain) -> Move:
    """The move in another domain; what was under way in the old one is left."""
    left = recommending.left(move).with_state(domain=domain, domain_chosen=True)
    kept = tuple(asked for asked in left.state.questions if asked.kind not in {"domain", "reset", "reset_confirmation"})
    return left.with_state(questions=kept)


def _domain(scene: Scene) -> Move:
    if several := named_domains(scene):
        return _first_of(scene, several)
    named = scene.action.value if scene.does == "domain" and scene.action else scene.understood.domain
    if named is None or named not in scene.know.domains:
        return scene.move(scene.say("domain_unknown", domains=list(scene.know.domains)), exported=False, then="none")
    exported = scene.does != "domain"
    label = scene.domain_label(named)
    move = switched_domain(scene.move(exported=exported, then="none"), named)
    here = replace(scene, state=move.state)
    if any(given.domain == named for given in scene.profile.preferences):
        return move.also(here.say("domain_switched_known", domain=label))
    return move.also(here.say("domain_switched", domain=label))


def _first_of(scene: Scene, several: Sequence[Domain]) -> Move:
    """The first of several domains, or the one in force if it is among them; the others come later."""
    stays = scene.state.domain_chosen and scene.state.domain in several
    domain = scene.state.domain if stays else several[0]
    told = in_turn(scene, (domain, *(other for other in several if other != domain)))
    return scene.move(told, then="remind") if stays else switched_domain(scene.move(told, then="none"), domain)


def in_turn(scene: Scene, domains: Sequence[Domain]) -> str:
    """That the first of these domains comes first, and how to go on with the others."""
    first, *others = map(scene.domain_label, domains)
    return scene.say("domain_first", domain=first, others=others)


def _only_names_a_domain(scene: Scene) -> bool:
    """Whether a message chooses a domain and speaks of nothing else ("let's talk about books", "movies")."""
    understood, state = scene.understood, scene.state
    asked_else = scene.question is not None and scene.question.kind in MENUS
    if scene.coarse in CHOOSING | {"affirm"} and named_domains(scene):
        return not asked_else
    if understood.domain is None or understood.mentions or understood.constraints or understood.property_references:
        return False
    nouns = {noun for of_language in scene.know.domains[understood.domain].nouns.values() for noun in of_language}
    if understood.text.strip(" .!?").casefold() in nouns:
        return True
    judged = scene.shown is not None or scene.coarse == "preference"  # "I like Earth Song" chooses no domain
    here = understood.domain == state.domain and state.domain_chosen and judged
    return not here and scene.coarse in CHOOSING | {"affirm"}


def _another_subject(scene: Scene) -> Move:
    """What is under way is left, and the user asked what to talk about."""
    move = recommending.left(scene.move())
    return move.with_state(questions=raised(move.state, [which_domain(scene)]).questions)


def _mode(scene: Scene) -> Move:
    wanted = scene.action.value if scene.action else ""
    if scene.know.policy.fixed_mode:
        return scene.move(scene.say("mode_fixed"), exported=False)
    if wanted not in get_args(InteractionMode):
        modes = list(get_args(InteractionMode))
        return scene.move(scene.say("mode_unknown", modes=modes), exported=False, then="none")
    move = scene.move(exported=False).with_state(mode=wanted)
    return move.also(scene.say(f"mode_{wanted}"))


def _language(scene: Scene) -> Move:
    """The voice of the scene already speaks the new language, if there is one."""
    wanted = scene.action.value if scene.action else ""
    if wanted != scene.say.language:
        return scene.move(scene.say("language_unknown"), exported=False, then="none")
    return scene.move(scene.say("language_switched"), exported=False).with_state(language=wanted)


HANDLERS = (
    Handler("language", lambda scene: scene.does == "language", _language),
    Handler("mode", lambda scene: scene.does == "mode", _mode),
    Handler("subject", lambda scene: scene.does == "subject", _another_subject),
    Handler("domain", lambda scene: scene.does == "domain" or _only_names_a_domain(scene), _domain),
)
