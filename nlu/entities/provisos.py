"""Conditions on the item on show: "only if it isn't American", "unless it's a musical", "as long as it's short"."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from data.model import Constraint
from nlu.entities.message import Message, Segment

__all__ = ["Proviso", "proviso"]

_LONGEST_LEAD = 5


@dataclass(frozen=True, slots=True)
class Proviso:
    """What must hold of the item on show.

    Attributes:
        text: the user's words.
        conditions: at least one.
    """

    text: str
    conditions: tuple[Constraint, ...]


def proviso(message: Message, conditions: Sequence[Constraint], *, pointed: bool) -> Proviso | None:
    """The proviso that a message consists of, but for words such as "okay, but"; None when it is none.

    Args:
        message: the words.
        conditions: all that were found in it, as in requests.
        pointed: whether it points to the item on show. After a single word it must: "if I want a comedy" does not.
    """
    words = message.words
    led = _lead(message)
    if led is None or not conditions or (led.last - led.first == 1 and not pointed):
        return None
    text = message.surface(led.first, len(message))
    stated = tuple(_as_stated(message, one) for one in conditions)
    if message.phrase(led.first, led.last) in words.exclusions:
        stated = tuple(replace(one, negated=not one.negated) for one in stated)
    return Proviso(text, stated)


def _lead(message: Message) -> Segment | None:
    """The longest lead that nothing but common words precede."""
    leads = message.words.provisos | message.words.exclusions
    for first in range(len(message)):
        if not message.is_common(0, first):
            return None
        for last in range(min(first + _LONGEST_LEAD, len(message)), first, -1):
            if message.phrase(first, last) in leads:
                return Segment(first, last)
    return None


def _as_stated(message: Message, condition: Constraint) -> Constraint:
    """The condition, negated where the negation follows: "Tom Cruise is not in it"."""
    last = max((segment.last for segment in message.occurrences(condition.text)), default=len(message))
    denied = any(message.word(place) in message.words.negations for place in range(last, len(message)))
    return replace(condition, negated=True) if denied else condition
