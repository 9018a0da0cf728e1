"""Items of one name in several domains: "the book", right after the film of that name."""

from collections.abc import Iterator

from bot.dialogue.domains import nouns_of
from bot.dialogue.scene import Scene
from bot.dialogue.state import Question
from data.model import Domain, Entity, Qid
from nlu.entities.message import Message
from nlu.entities.words import load_words

__all__ = ["asked_of_a_name", "namesake"]


def asked_of_a_name(scene: Scene) -> Question | None:
    """The open question that is about a title."""
    question = scene.question
    return question if question and question.kind in {"item", "polarity"} and not question.property else None


def namesake(scene: Scene) -> Qid | None:
    """The item of another kind that the message means in place of the one that was just understood."""
    domain = scene.understood.domain
    if domain is None or not _only_says_the_kind(scene, domain):
        return None
    taken = [entity for qid in _just_understood(scene) if (entity := scene.know.catalogue.get(qid)) and entity.is_item]
    if not taken or any(entity.domain == domain for entity in taken):
        return None
    names = set(_names(taken[0]))
    return next((item.qid for item in scene.know.catalogue.items(domain) if names & {*_names(item)}), None)


def _just_understood(scene: Scene) -> list[Qid]:
    """What the open question is about, else what was noted in the turn before."""
    if question := asked_of_a_name(scene):
        return [qid for qid in (question.qid, *(choice.qid for choice in question.choices)) if qid]
    return [change.qid for change in scene.state.history[-1:] if scene.state.turns - change.turn == 1]


def _only_says_the_kind(scene: Scene, domain: Domain) -> bool:
    """Whether the message is no more than a word for the items of a domain, as of a certain one: "no, the novel"."""
    understood = scene.understood
    message = Message(understood.text, load_words())
    words, nouns = message.words, nouns_of(scene, domain)
    places = [place for place in range(len(message)) if message.word(place) in nouns]
    if understood.mentions or understood.constraints or not places or not message.is_common(0, len(message)):
        return False
    definite = message.word(places[0] - 1) in words.articles - words.indefinite
    return len(places) == 1 and (scene.hears("correction") or (definite and scene.coarse in {"inform", "preference"}))


def _names(entity: Entity) -> Iterator[str]:
    yield from (name.casefold() for name in (entity.label, *entity.labels.values()))
