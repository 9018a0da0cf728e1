"""The log record of one user message and its rest, which the ConveRSE format has no field for."""

from dataclasses import dataclass
from datetime import datetime

from bot.channels.base import Reply
from data.model import Domain, Polarity, Qid


@dataclass(frozen=True, slots=True)
class Record:
    """One user message with what the bot made of it.

    Attributes:
        intent: exact ConveRSE label.
        contexts: context names after the turn, in the published order.
        recognized_objects: entities with their polarity, in order; empty until disambiguated.
        events: event names in the published order.
        exported: False for messages that the ConveRSE export leaves out (commands, consent, media).
        ranking: the three most probable coarse intents.
        recommended: item on show after the turn.
        backends: component to what answered ("intents": "rasa" or "none", …).
        stages_ms: stage to milliseconds.
    """

    message: str
    received_at: datetime
    answered_at: datetime
    intent: str
    contexts: tuple[str, ...]
    recognized_objects: tuple[tuple[Qid, Polarity], ...]
    events: tuple[str, ...]
    pagerank_cycle: int
    number_recommendation_list: int
    interaction_type: str
    domain: Domain
    coarse_intent: str
    confidence: float
    ranking: tuple[tuple[str, float], ...]
    reply: Reply
    exported: bool = True
    recommended: Qid | None = None
    recommendation_list: tuple[Qid, ...] = ()
    condition: str | None = None
    backends: tuple[tuple[str, str], ...] = ()
    stages_ms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What `DialogueManager.handle` gives back.

    Attributes:
        reply: what to send.
        record: what was stored of the message; None when nothing was, or when the update was answered before.
    """

    reply: Reply
    record: Record | None = None
