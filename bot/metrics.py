"""Figures for Prometheus: turns by intent, time by stage, fallbacks, look-ups, errors, what is in hand."""

from collections.abc import Sequence
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bot.channels.base import Turn
from bot.channels.conversation import Conversation
from bot.records import TurnResult
from nlu.model import LOOKED_UP, LOOKUP_FAILED

_LOOKUPS = {LOOKED_UP: "answered", LOOKUP_FAILED: "failed"}
_SECONDS = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """The figures of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.turns = Counter("converse_turns", "Turns answered", ["channel", "intent"], registry=self._registry)
        self.fallbacks = Counter("converse_fallbacks", "Messages not understood", registry=self._registry)
        self.notes = Counter("converse_notes", "Turns that went otherwise", ["note"], registry=self._registry)
        self.lookups = Counter("converse_lookups", "Turns with a look-up", ["outcome"], registry=self._registry)
        self.errors = Counter("converse_errors", "Turns that failed", ["kind"], registry=self._registry)
        self.in_hand = Gauge("converse_turns_in_hand", "Turns answered or in the queue", registry=self._registry)
        self.seconds = Histogram(
            "converse_turn_seconds", "Time of a whole turn", buckets=_SECONDS, registry=self._registry
        )
        self.stages = Histogram(
            "converse_stage_seconds", "Time of a stage of a turn", ["stage"], buckets=_SECONDS, registry=self._registry
        )

    def text(self) -> bytes:
        """All figures in Prometheus's text format."""
        return generate_latest(self._registry)

    def count(self, turn: Turn, result: TurnResult, seconds: float) -> None:
        """Counts an answered turn."""
        self.seconds.observe(seconds)
        record = result.record
        self.turns.labels(turn.user.channel, record.coarse_intent if record else "none").inc()
        if record is None:
            return
        if record.coarse_intent == "fallback":
            self.fallbacks.inc()
        for name, value in record.backends:
            if value == "yes":
                self.notes.labels(name).inc()
            if name in _LOOKUPS:
                self.lookups.labels(_LOOKUPS[name]).inc()
        self._time(record.stages_ms, seconds)

    def _time(self, stages: Sequence[tuple[str, float]], seconds: float) -> None:
        """Counts the stages of a turn; what is left of its time went into keeping it."""
        for stage, milliseconds in stages:
            self.stages.labels(stage).observe(milliseconds / 1000)
        if stages:
            self.stages.labels("keep").observe(max(0.0, seconds - sum(taken for _, taken in stages) / 1000))


class Measured:
    """A conversation whose turns are counted."""

    def __init__(self, conversation: Conversation, metrics: Metrics) -> None:
        self._conversation = conversation
        self._metrics = metrics

    async def handle(self, turn: Turn) -> TurnResult:
        """Answers a turn. Raises StorageError when it cannot be kept."""
        started = perf_counter()
        with self._metrics.in_hand.track_inprogress():
            try:
                result = await self._conversation.handle(turn)
            except Exception as error:
                self._metrics.errors.labels(type(error).__name__).inc()
                raise
        self._metrics.count(turn, result, perf_counter() - started)
        return result
