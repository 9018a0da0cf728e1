"""The reasons for one item as a small picture's words: what was liked, what it shares with the item, the item."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from data.model import PropertyId, Qid
from recommender.model import Reason

__all__ = ["Branch", "Sketch", "sketched"]

_BRANCHES = 8


@dataclass(frozen=True, slots=True)
class Branch:
    """One way from what was liked to the item.

    Attributes:
        value: name of what the item has.
        property: name of the property by which it has it.
        liked: names of the liked items that have it too.
        own: whether the value itself was liked.
        weight: share of the item's score that flows through it, 0 to 1.
    """

    value: str
    property: str
    liked: tuple[str, ...] = ()
    own: bool = False
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Sketch:
    """What `recommender.plot.draw` draws; plain text, so that it can be stored and drawn later."""

    item: str
    branches: tuple[Branch, ...]


def sketched(
    item: Qid, reasons: Sequence[Reason], label: Callable[[Qid], str], property_label: Callable[[PropertyId], str]
) -> Sketch:
    """The strongest eight reasons that name a value, in words.

    Args:
        item: the recommended item.
        reasons: for it, strongest first.
        label: name of an entity.
        property_label: name of a property.
    """
    told = [reason for reason in reasons if reason.kind in ("shared", "liked")][:_BRANCHES]
    branches = tuple(
        Branch(
            value=label(reason.value or ""),
            property=property_label(reason.property or ""),
            liked=tuple(label(qid) for qid in reason.liked),
            own=reason.kind == "liked",
            weight=reason.weight,
        )
        for reason in told
    )
    return Sketch(label(item), branches)
