"""How an item is shown: a line of facts, its details, the reasons for it, links and picture."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from urllib.parse import quote_plus

import yaml
from pydantic import BaseModel, ConfigDict

from bot.channels.base import Link
from bot.dialogue.profile import opinion
from bot.dialogue.scene import Scene
from bot.dialogue.state import Profile
from data.model import Constraint, Entity, PropertyId, Qid
from recommender.model import Reason

__all__ = ["asked_for", "details", "image", "pages", "preview", "reasons", "summary"]

VALUES_SHOWN = 4
"""Values of one property that the details list."""

REASONS_SHOWN = 3
"""Strands of an explanation."""


class Links(BaseModel):
    """Where external ids lead: addresses with `{id}` or `{query}`.

    Attributes:
        preview: id name to address of a trailer or sample, best first.
        search: domain to an address that searches one; "*" for the other domains.
        pages: id name to address of a page about the item.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    preview: Mapping[str, str]
    search: Mapping[str, str]
    pages: Mapping[str, str]
    names: Mapping[str, str]


@cache
def links() -> Links:
    """The addresses in `links.yaml`."""
    return Links.model_validate(yaml.safe_load(resources.files(__package__).joinpath("links.yaml").read_text("utf-8")))


def _values(scene: Scene, entity: Entity, pid: str) -> list[str]:
    related = [scene.know.catalogue.label(qid, scene.state.language) for qid in entity.relations.get(pid, ())]
    return list(dict.fromkeys((*related, *entity.facts.get(pid, ()))))[:VALUES_SHOWN]


def summary(scene: Scene, qid: Qid) -> str:
    """One line: the first telling property and the genre."""
    entity = scene.know.catalogue.get(qid)
    if entity is None or entity.domain is None:
        return ""
    told: list[str] = []
    for pid, config in scene.know.domains[entity.domain].properties.items():
        if config.in_details and len(told) < 2 and (values := _values(scene, entity, pid)):
            told.append(f"{config.label(scene.state.language)}: {', '.join(values[:2])}")
    return " · ".join(told)


def details(scene: Scene, qid: Qid) -> str:
    """Everything worth telling about an item, one property a line; empty when nothing is known."""
    entity = scene.know.catalogue.get(qid)
    if entity is None or entity.domain is None:
        return ""
    lines = [scene.say("details_title", item=scene.name(qid))]
    for pid, config in scene.know.domains[entity.domain].properties.items():
        if config.in_details and (values := _values(scene, entity, pid)):
            lines.append(f"{config.label(scene.state.language)}: {', '.join(values)}")
    return "\n".join(lines) if len(lines) > 1 else ""


def reasons(scene: Scene, because: Iterable[Reason], profile: Profile, most: int = REASONS_SHOWN) -> list[str]:
    """The strands of an explanation as clauses ("it is directed by X, like Y")."""
    return [_reason(scene, reason, profile) for reason in because][:most]


def asked_for(scene: Scene, qid: Qid, conditions: Iterable[Constraint]) -> tuple[Reason, ...]:
    """What an item has of what was asked for, as reasons, in the order of the conditions."""
    relations = entity.relations if (entity := scene.know.catalogue.get(qid)) else {}
    wanted = [one for one in conditions if not one.negated]
    held = [
        [(pid, value) for pid, values in relations.items() for value in values if _meets(one, pid, value)]
        for one in wanted
    ]
    return tuple(Reason("liked", *found[0]) for found in held if found)


def _meets(condition: Constraint, pid: PropertyId, value: Qid) -> bool:
    return value in condition.values and condition.property in {None, pid}


def _reason(scene: Scene, reason: Reason, profile: Profile) -> str:
    if reason.value is None or reason.property is None:
        return scene.say("reason_popularity")
    value = scene.know.catalogue.label(reason.value, scene.state.language)
    if reason.kind == "avoids":
        return scene.say("reason_avoids", value=value)
    liked = {"liked": [scene.name(qid) for qid in reason.liked[:2]]} if reason.kind == "shared" else {}
    named = reason.kind == "liked" and opinion(profile, reason.value) != "+"
    kind = "named" if named else reason.kind
    return scene.say(f"reason_{kind}", fact=_fact(scene, reason.property, value), **liked)


def _fact(scene: Scene, pid: PropertyId, value: str) -> str:
    """A value of an item as a clause without its subject, as its domain file says it."""
    config = scene.property_config(pid)
    clause = config.clauses.get(scene.state.language) if config else None
    return clause.format(value=value) if clause else scene.say("fact", property=scene.property_label(pid), value=value)


def image(scene: Scene, qid: Qid) -> str | None:
    """Address of a poster or cover."""
    entity = scene.know.catalogue.get(qid)
    return entity.ids.get("image") if entity else None


def preview(scene: Scene, qid: Qid) -> tuple[Link, bool]:
    """A link to a trailer or sample, and whether it is one of this very item rather than a search."""
    entity = scene.know.catalogue.get(qid)
    label = scene.say.label("preview")
    for name, address in links().preview.items():
        if entity and name in entity.ids:
            return Link(label, address.format(id=entity.ids[name])), True
    search = links().search
    address = search.get(entity.domain or "*", search["*"]) if entity else search["*"]
    return Link(label, address.format(query=quote_plus(scene.name(qid)))), False


def pages(scene: Scene, qid: Qid) -> tuple[Link, ...]:
    """Links to pages about an item."""
    entity = scene.know.catalogue.get(qid)
    ids = {**entity.ids, "wikidata": qid} if entity else {}
    found = ((name, address) for name, address in links().pages.items() if name in ids)
    return tuple(Link(links().names[name], address.format(id=ids[name])) for name, address in found)
