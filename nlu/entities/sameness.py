"""Conditions that point to the item on show: "by the same author", "by this director", "what else did he write"."""

from collections.abc import Iterator

from data.model import Domain, Entity, PropertyId
from nlu.entities.message import Message, Segment
from nlu.entities.references import References


def same(
    message: Message, shown: Entity | None, references: References, domain: Domain
) -> Iterator[tuple[Segment, PropertyId]]:
    """Stretches that ask for what the item on show has too, each with the property that it names.

    Args:
        message: the message.
        shown: the item on show.
        references: the names of the domain's properties.
        domain: the domain in force.
    """
    if shown is None:
        return
    for place in range(len(message)):
        found = _named(message, place, references, domain) or _pronoun(message, place, shown)
        if found is not None and shown.relations.get(found[1]):
            yield found


def _named(message: Message, place: int, references: References, domain: Domain) -> tuple[Segment, PropertyId] | None:
    """A property beside a word that points: "the same director", "by this author"."""
    words = message.words
    word, before = message.word(place), message.word(place - 1)
    named = references.span_at(message, place + 1, domain)
    if named is None or not (word in words.same or (word in words.demonstratives and before in words.by)):
        return None
    last, pid = named
    first = place
    while message.is_article(first - 1):
        first -= 1
    first -= message.word(first - 1) in words.by
    return Segment(first, last), pid


def _pronoun(message: Message, place: int, shown: Entity) -> tuple[Segment, PropertyId] | None:
    """A person: "something by her", "what else has he directed"."""
    words = message.words
    word, before = message.word(place), message.word(place - 1)
    if word not in words.doers:
        return None
    if before in words.by:
        pids: tuple[PropertyId, ...] = words.by[before]
        first, last = place - 1, place + 1
    elif words.others & set(message.phrase(0, place)):
        deed = next((other for other in range(place - 1, len(message)) if message.word(other) in words.deeds), None)
        pids = tuple(words.deeds[message.word(deed)]) if deed is not None else ()
        first, last = 0, len(message) if deed is None else deed + 1
    else:
        return None
    pid = next((pid for pid in pids if shown.relations.get(pid)), None)
    return None if pid is None else (Segment(first, max(last, place + 1)), pid)
