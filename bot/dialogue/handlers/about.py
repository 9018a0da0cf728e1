"""Questions about the item on show: one fact, all details, why, preview."""

from dataclasses import replace

from bot.dialogue import facts, items, recommending
from bot.dialogue.profile import marked
from bot.dialogue.prompts import menu
from bot.dialogue.scene import Handler, Move, Scene
from data.model import Qid
from recommender.sketch import sketched


def _item(scene: Scene) -> Qid | None:
    """The item on show, or one that the message names."""
    named = [mention.accepted for mention in scene.understood.mentions if mention.accepted]
    items_named = [qid for qid in named if (entity := scene.know.catalogue.get(qid)) and entity.is_item]
    return items_named[0] if items_named else scene.shown


def _nothing(scene: Scene) -> Move:
    return scene.move(scene.say("nothing_shown"), options=menu(scene))


def _details(scene: Scene) -> Move:
    qid = _item(scene)
    if qid is None:
        return _nothing(scene)
    if told := facts.answers(scene, qid):
        move = scene.move(*told, then="remind")
    else:
        text = items.details(scene, qid) or scene.say("no_details", item=scene.name(qid))
        move = scene.move(text, then="remind", links=items.pages(scene, qid), image=items.image(scene, qid))
    return replace(move, profile=marked(move.profile, qid, details=True))


def _why(scene: Scene) -> Move:
    qid = _item(scene)
    if qid is None:
        return _nothing(scene)
    because = recommending.explained(scene, scene.move(), qid)
    told = items.reasons(scene, because, scene.profile)
    if qid == scene.state.suggested:
        text = scene.say("why_suggested", item=scene.name(qid))
    else:
        text = scene.say("why", item=scene.name(qid), reasons="; ".join(told)) if told else scene.say("why_unknown")
    sketch = sketched(qid, because, scene.name, scene.property_label)
    move = scene.move(text, then="remind", sketch=sketch if sketch.branches else None)
    return replace(move, profile=marked(move.profile, qid, why=True))


def _preview(scene: Scene) -> Move:
    qid = _item(scene)
    if qid is None:
        return _nothing(scene)
    link, own = items.preview(scene, qid)
    move = scene.move(
        scene.say("preview" if own else "preview_search", item=scene.name(qid)), links=(link,), then="remind"
    )
    return replace(move, profile=marked(move.profile, qid, preview=True))


HANDLERS = (
    Handler("details", lambda scene: scene.coarse == "details", _details),
    Handler("why", lambda scene: scene.coarse == "why", _why),
    Handler("preview", lambda scene: scene.coarse == "trailer", _preview),
)
