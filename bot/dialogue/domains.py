"""Domains that a message names without saying more: "books and films"."""

from bot.dialogue.scene import Scene
from data.model import Domain
from nlu.entities.message import Message
from nlu.entities.words import load_words

__all__ = ["named_domains", "nouns_of"]


def named_domains(scene: Scene) -> tuple[Domain, ...]:
    """The domains of a message that names several and nothing else, in its order; none otherwise."""
    understood = scene.understood
    if scene.turn.kind != "text" or understood.mentions or understood.constraints or understood.property_references:
        return ()
    message = Message(understood.text, load_words())
    found: list[Domain] = []
    for place in range(len(message)):
        of_noun = [domain for domain in scene.know.domains if message.word(place) in nouns_of(scene, domain)]
        if not of_noun and message.word(place) not in message.words.common:
            return ()
        found += of_noun[:1]
    several = tuple(dict.fromkeys(found))
    return several if len(several) > 1 else ()


def nouns_of(scene: Scene, domain: Domain) -> set[str]:
    """Words for the items of a domain, and its name, in any language."""
    config = scene.know.domains[domain]
    labels = {label.casefold() for label in config.labels.values()}
    return labels | {noun for of_language in config.nouns.values() for noun in of_language}
