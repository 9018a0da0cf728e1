"""One small model of a recorded dialogue, in which all published formats meet.

Fields that only one format has go into `details`, under that format's own name; `present` lists what a dialogue
holds, so that a conversion can say what its target has no field for.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from data.model import Polarity, Qid

_YEAR_10000 = 253_402_300_800_000
_LONGEST_ID = 30

Role = Literal["seeker", "recommender"]

STATE_LABELS = ("yes", "unsure", "no", "not applicable")
"""Labels of knowledge and interest."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named in an utterance.

    Attributes:
        text: the words, "" when the format records only the entity.
        entity: the format's own id (ReDial movie id, IMDb id), None when there is none.
        qid: Wikidata id, None when unknown.
        polarity: the seeker's opinion as recorded with the utterance.
        knowledge: who said so ("seeker": first person, "recommender": second person) to the label.
        interest: the same for interest.
    """

    text: str = ""
    entity: str | None = None
    qid: Qid | None = None
    polarity: Polarity | None = None
    knowledge: Mapping[str, str] = field(default_factory=dict)
    interest: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntityLabel:
    """What the two parties answered about an entity after the dialogue (ReDial's three questions).

    Attributes:
        suggested: party to whether the recommender brought it up.
        seen: party to whether the seeker has seen it; None for "did not say".
        liked: party to whether the seeker liked it; None for "did not say".
    """

    entity: str
    name: str | None = None
    qid: Qid | None = None
    suggested: Mapping[str, bool] = field(default_factory=dict)
    seen: Mapping[str, bool | None] = field(default_factory=dict)
    liked: Mapping[str, bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of one party.

    Attributes:
        at: milliseconds since 1970 (UTC) when `Dialogue.clock` is "absolute", since its start when "offset".
    """

    id: str
    role: Role
    text: str
    at: int | None = None
    mentions: tuple[Mention, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Participant:
    """A party of the dialogue with the answers to a questionnaire, by question."""

    id: str
    role: Role
    questionnaire: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Vote:
    """A comparison of two systems by one user; `choice` is one of the two names or "tie"."""

    session: str
    user: str
    first: str
    second: str
    choice: str
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation of a seeker with a recommender (a person or a system)."""

    id: str
    utterances: tuple[Utterance, ...]
    domain: str | None = None
    participants: tuple[Participant, ...] = ()
    entities: tuple[EntityLabel, ...] = ()
    satisfaction: str | None = None
    votes: tuple[Vote, ...] = ()
    clock: Literal["absolute", "offset"] = "absolute"
    details: Mapping[str, Any] = field(default_factory=dict)

    def participant(self, role: Role) -> Participant | None:
        """The party in that role, None when it is not recorded."""
        return next((party for party in self.participants if party.role == role), None)


def moment(milliseconds: object) -> int | None:
    """A time as `Utterance.at` has it; None for what is no number, or lies outside of the years 1970 to 9999."""
    is_number = isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool)
    return int(milliseconds) if is_number and 0 <= milliseconds < _YEAR_10000 else None  # type: ignore[operator, call-overload]


def is_number(text: str) -> bool:
    """Whether a text is a plain decimal number, as ids are."""
    return text.isascii() and text.isdecimal() and len(text) < _LONGEST_ID


def not_held(dialogue: Dialogue, held: frozenset[str]) -> Counter[str]:
    """Counts what a dialogue holds and a format has no field for.

    Args:
        dialogue: of any origin.
        held: names of fields as `present` gives them; "domain.*" stands for all that begin so.
    """
    return Counter(
        {
            name: count
            for name, count in present(dialogue).items()
            if name not in held and f"{name.split('.')[0]}.*" not in held
        }
    )


def present(dialogue: Dialogue) -> Counter[str]:
    """Counts what a dialogue holds, by dotted field name ("utterance.intent", "mention.knowledge", "satisfaction").

    "mention.outside_text" are mentions whose words do not stand in the utterance: formats that mark mentions in the
    text cannot hold them.
    """
    found: Counter[str] = Counter()
    for name in ("entities", "satisfaction", "votes"):
        if getattr(dialogue, name):
            found[name] += 1
    if dialogue.domain:
        found[f"domain.{dialogue.domain}"] += 1
    found.update(f"dialogue.{key}" for key, value in dialogue.details.items() if not _empty(value))
    for party in dialogue.participants:
        found[f"{party.role}.id"] += 1
        if party.questionnaire:
            found["questionnaire"] += 1
    for utterance in dialogue.utterances:
        _count_utterance(utterance, found)
    return +found


def _count_utterance(utterance: Utterance, found: Counter[str]) -> None:
    found[f"{utterance.role}.text"] += 1
    found["utterance.id"] += 1
    if utterance.at is not None:
        found["utterance.at"] += 1
    found.update(f"utterance.{key}" for key, value in utterance.details.items() if not _empty(value))
    for mention in utterance.mentions:
        found["mention.outside_text"] += not mention.text or mention.text not in utterance.text
        for name in ("text", "entity", "qid", "polarity", "knowledge", "interest"):
            if getattr(mention, name):
                found[f"mention.{name}"] += 1


def _empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}
