"""Answers to one question about an item: who directed it, when it came out, what it is about."""

from collections.abc import Iterable

from bot.dialogue.scene import Scene
from data.model import Entity, PropertyId, Qid

__all__ = ["answers"]

VALUES_TOLD = 4
"""Values of one property that an answer names."""

LENGTH: PropertyId = "P2047"

_GENRE: PropertyId = "P136"
"""What tells best whether something is sad or funny."""

STORY: tuple[PropertyId, ...] = ("P921", "P674", "P840", "P136")
"""Subjects, characters, places and genre: what comes nearest to a plot, best first."""


def answers(scene: Scene, qid: Qid) -> list[str]:
    """What the message asks of an item, in sentences; empty when it asks nothing in particular.

    A property is asked for by the words of the language file, or by its own name or another word for it.
    """
    entity = scene.know.catalogue.get(qid)
    if entity is None or entity.domain is None:
        return []
    asked = scene.say.asks(scene.turn.text) or (_GENRE,) * any(one.loose for one in scene.understood.constraints)
    told = [tell(scene, entity) for name, tell in _OWN_WORDS.items() if name in asked]
    return told or _properties(scene, entity, asked)


def _year(scene: Scene, entity: Entity) -> str:
    if entity.year is None:
        return scene.say("year_unknown", item=_label(scene, entity))
    return scene.say("year_known", item=_label(scene, entity), year=entity.year)


def _length(scene: Scene, entity: Entity) -> str:
    known = entity.facts.get(LENGTH)
    if not known:
        return scene.say("length_unknown", item=scene.name(entity.qid))
    return scene.say("length_known", item=scene.name(entity.qid), minutes=known[0])


def _story(scene: Scene, entity: Entity) -> str:
    """The catalogue holds no plots; what comes nearest stands in for one."""
    told = [clause for pid in STORY if (clause := _clause(scene, entity, pid))][:2]
    if not told:
        return scene.say("story_unknown", item=scene.name(entity.qid))
    return scene.say("story_known", item=scene.name(entity.qid), facts=", ".join(told))


def _availability(scene: Scene, entity: Entity) -> str:
    return scene.say("availability_unknown", item=scene.name(entity.qid))


def _score(scene: Scene, entity: Entity) -> str:
    return scene.say("score_unknown", item=scene.name(entity.qid))


_OWN_WORDS = {"year": _year, "length": _length, "story": _story, "availability": _availability, "score": _score}


def _properties(scene: Scene, entity: Entity, asked: Iterable[str]) -> list[str]:
    properties = scene.know.domains[entity.domain or ""].properties
    named = [reference.property for reference in scene.understood.property_references if reference.property]
    wanted = [pid for pid in dict.fromkeys((*asked, *named)) if pid in properties]
    known = [clause for pid in wanted if (clause := _clause(scene, entity, pid))]
    if known:
        return [scene.say("fact_known", item=scene.name(entity.qid), facts=", ".join(known))]
    if not wanted:
        return []
    label = scene.property_label(wanted[0], entity.domain)
    return [scene.say("fact_unknown", item=scene.name(entity.qid), property=label)]


def _clause(scene: Scene, entity: Entity, pid: PropertyId) -> str:
    """All that is known of one property, as a clause without its subject; empty when nothing is."""
    config = scene.know.domains[entity.domain or ""].properties.get(pid)
    related = [scene.know.catalogue.label(qid, scene.state.language) for qid in entity.relations.get(pid, ())]
    values = list(dict.fromkeys((*related, *entity.facts.get(pid, ()))))[:VALUES_TOLD]
    if config is None or not values:
        return ""
    value, clause = scene.say.join(values), config.clauses.get(scene.state.language)
    return clause.format(value=value) if clause else f"{config.label(scene.state.language)}: {value}"


def _label(scene: Scene, entity: Entity) -> str:
    return scene.know.catalogue.label(entity.qid, scene.state.language)
