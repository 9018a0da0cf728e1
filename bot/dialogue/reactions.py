"""Reactions to the item on show that look like something else: it is known already, or it will do."""

from bot.dialogue.scene import Scene
from data.model import Polarity

__all__ = ["accepts", "reaction"]


def reaction(scene: Scene) -> Polarity | None:
    """What a message says of the item on show in passing ("seen it, loved it", "I'll watch it tonight"); else None."""
    understood = scene.understood
    if scene.shown is None or scene.question or scene.does or _of_other_things(scene):
        return None
    if scene.hears("knowing"):
        return (understood.item_reference and understood.item_reference.polarity) or understood.overall
    return "+" if accepts(scene) else None


def _of_other_things(scene: Scene) -> bool:
    """Whether it asks, names something or has wishes; a mood may be heard in any word ("lo leggerò")."""
    understood = scene.understood
    firm = [one for one in scene.conditions if not one.loose]
    found = understood.mentions or understood.property_references or firm or understood.unheard
    return bool(found) or understood.text.rstrip().endswith("?")


def accepts(scene: Scene) -> bool:
    """Whether the user will have the item on show."""
    return scene.hears("accepting")
