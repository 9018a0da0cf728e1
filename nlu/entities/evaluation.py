"""How well the linker does on published rows, whose recognised objects are what the original took them for.

Measured are trusted preference rows with a single recognised object that the catalogue holds, without the state of the
conversation. `docs/understanding-linking.md` explains the definitions.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rapidfuzz.distance import OSA

from data.catalogue import Catalogue
from data.model import Domain, Entity, Qid
from nlu.entities.folding import fold
from nlu.entities.index import allowed_edits
from nlu.entities.message import Message, Segment
from nlu.entities.words import Words
from nlu.intents.coarse import coarse_intent
from nlu.intents.rules import mend
from nlu.intents.text import normalize
from nlu.model import Context, EntityLinker, Linking

_COMMANDS = {"help", "reset_everything", "reset_items", "reset_profile", "reset_properties", "show_profile", "skip"}
_TALK = {"bye", "chitchat", "greet", "praise", "start", "stop", "thanks"}
NAMELESS = frozenset({"affirm", "deny", *_COMMANDS, *_TALK})
"""Coarse intents of messages that name no entity."""

_NAME_SIMILARITY = 0.8


@dataclass(slots=True)
class Counts:
    """Counts over rows; shares are taken in `figures`.

    Attributes:
        preferences: messages that state preferences; with_question: those with a mention that is asked about.
    """

    n: int = 0
    found: int = 0
    accepted: int = 0
    right: int = 0
    nameless: int = 0
    false: int = 0
    preferences: int = 0
    with_question: int = 0
    nothing: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Shares, None where nothing was counted."""
        return {
            "n": self.n,
            "accepted_or_offered": _share(self.found, self.n),
            "accepted": _share(self.accepted, self.n),
            "accepted_right": _share(self.right, self.accepted),
            "false_mentions_share": _share(self.false, self.nameless),
            "nameless_messages": self.nameless,
            "questions_per_preference": _share(self.with_question, self.preferences),
            "nothing_recognised_share": _share(self.nothing, self.preferences),
            "preferences": self.preferences,
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def mislabelled(text: str, entity: Entity, words: Words, names: Container[str]) -> bool:
    """Whether no name of the recorded entity is what the message names, even with typing errors.

    A part of the message names the entity when its key has the digits of one of its names and is at least 0.8 similar
    to it (edit distance over the longer length), or when each of its telling words is a word of one name, typing
    errors forgiven as in the index. Of both ways only the very name counts when another entity has it: "action" does
    not name the genre "live action".

    Args:
        text: the message.
        entity: the recorded one.
        words: for what counts as a telling word.
        names: keys of the labels and aliases of all entities.
    """
    message = Message(text, words)
    whole = Segment(0, len(message))
    cores = [message.core(part) for part in (*message.clauses, *_parts(message), whole)]
    own = _own_names(entity)
    return not any(_names(message, core, own, words, names) for core in cores if core.first < core.last)


def _parts(message: Message) -> Iterator[Segment]:
    for clause in message.clauses:
        yield from message.parts(clause)


def is_title(text: str, words: Words, names: Container[str]) -> bool:
    """Whether the message is the very name, in several words, of an entity, but for common words around it.

    The original took "American Beauty" for a compliment: such a row names something, whatever its label.
    """
    message = Message(text, words)
    core = message.core(Segment(0, len(message)))
    return core.last - core.first > 1 and message.key(core.first, core.last) in names


def _own_names(entity: Entity) -> list[str]:
    return [entity.label, *entity.aliases, *entity.labels.values()]


def _names(message: Message, core: Segment, own: Sequence[str], words: Words, names: Container[str]) -> bool:
    said = {message.key(first, core.last) for first in (core.first, max(core.first - 1, 0))}
    keys = [key for key in map(fold, own) if key]
    if said & set(keys):
        return True
    if any(one in names for one in said):
        return False
    return any(_resembles(message, core, name, words) for name in own)


def _resembles(message: Message, core: Segment, name: str, words: Words) -> bool:
    key, said = fold(name), message.key(core.first, core.last)
    if not key or sorted(filter(str.isdecimal, said)) != sorted(filter(str.isdecimal, key)):
        return False
    if OSA.normalized_similarity(said, key) >= _NAME_SIMILARITY:
        return True
    own = [token.key for token in Message(name, words).tokens]
    telling = [
        message.tokens[place].key
        for place in range(core.first, core.last)
        if message.word(place) not in words.common or message.word(place).isdecimal()
    ]
    return bool(telling) and all(any(_alike(word, other) for other in own) for word in telling)


def _alike(word: str, other: str) -> bool:
    return OSA.distance(word, other) <= min(allowed_edits(len(word)), allowed_edits(len(other)))


async def evaluate(
    linker: EntityLinker,
    catalogue: Catalogue,
    words: Words,
    rows: Iterable[tuple[Domain, dict[str, Any]]],
) -> tuple[dict[Domain, Counts], dict[Domain, Counts]]:
    """Counts by domain: without the rows whose recorded entity is wrong, and with them.

    Args:
        linker: without a look-up, so that figures do not depend on a network.
        catalogue: the one that the linker uses.
        words: for what counts as a telling word.
        rows: published rows with their domain, each user's in order.
    """
    offered: dict[tuple[Domain, Any, Any], bool] = {}
    names = {fold(name) for entity in catalogue.entities() for name in _own_names(entity)}
    clean: dict[Domain, Counts] = {}
    every: dict[Domain, Counts] = {}
    for domain, row in rows:
        text = normalize(row["message"])
        linking = await linker.link(text, Context(domain=domain))
        user = (domain, row["userID"], row["interactionType"])
        for counts in (clean.setdefault(domain, Counts()), every.setdefault(domain, Counts())):
            nameless = not offered.get(user, False) and not is_title(text, words, names)
            _count_message(counts, text, row, linking, nameless=nameless)
        offered[user] = "disambiguation" in row["events"]
        qid = _single_object(row, catalogue)
        if qid is None:
            continue
        entity = catalogue.get(qid)
        if entity is None:
            continue
        _count_linked(every[domain], text, entity, linking)
        if not mislabelled(text, entity, words, names):
            _count_linked(clean[domain], text, entity, linking)
    return clean, every


def _count_message(counts: Counts, text: str, row: dict[str, Any], linking: Linking, *, nameless: bool) -> None:
    intent = row["intent"]
    if intent == "preference":
        counts.preferences += 1
        counts.with_question += any(mention.accepted is None for mention in linking.mentions)
        counts.nothing += not linking.mentions and not linking.property_references and linking.item_reference is None
    if nameless and not row["recognizedObjects"] and mend(intent, text, coarse_intent(intent, text)) in NAMELESS:
        counts.nameless += 1
        counts.false += bool(linking.mentions)
        if linking.mentions:
            counts.errors.append(_error("false mention", text, None, linking))


def _count_linked(counts: Counts, text: str, entity: Entity, linking: Linking) -> None:
    counts.n += 1
    offered = {candidate.qid for mention in linking.mentions for candidate in mention.candidates}
    counts.found += entity.qid in offered
    accepted = [mention.accepted for mention in linking.mentions]
    if accepted and None not in accepted:
        counts.accepted += 1
        counts.right += entity.qid in accepted
        if entity.qid not in accepted:
            counts.errors.append(_error("wrongly accepted", text, entity, linking))
    elif entity.qid not in offered:
        counts.errors.append(_error("not found", text, entity, linking))


def _error(kind: str, text: str, entity: Entity | None, linking: Linking) -> dict[str, Any]:
    return {
        "kind": kind,
        "text": text,
        "recorded": f"{entity.label} ({entity.kind}, {entity.year}, {entity.qid})" if entity else None,
        "found": [
            [mention.text, [f"{one.label} ({one.description}, {one.score})" for one in mention.candidates]]
            for mention in linking.mentions
        ],
    }


def _single_object(row: dict[str, Any], catalogue: Catalogue) -> Qid | None:
    """The recognised object of a trusted preference row that has one, in the catalogue."""
    objects = [part for part in row["recognizedObjects"].split(", ") if part]
    if row["intent"] != "preference" or row["toCheck"] is not False or len(objects) != 1:
        return None
    entity = catalogue.get(objects[0].rstrip("+-"))
    return entity.qid if entity else None


def total(counts: Sequence[Counts]) -> Counts:
    """The sum over domains."""
    summed = Counts()
    for one in counts:
        for name in Counts.__dataclass_fields__:
            setattr(summed, name, getattr(summed, name) + getattr(one, name))
    return summed
