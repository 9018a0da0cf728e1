"""The dialogue manager: one turn from the channel to the database and back."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Protocol

from bot.channels.base import Turn
from bot.dialogue.playing import Played, play, prepared
from bot.dialogue.reading import Reading, context_of, read_directly
from bot.dialogue.scene import Action, Knowledge, Policy, Scene, current
from bot.dialogue.state import DialogueState
from bot.dialogue.wording import Voice, Wording, load_wordings
from bot.records import Record, TurnResult
from bot.storage.base import OpenTurn, Outcome, Store
from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.model import Domain, Entity
from nlu.model import Context, Understanding
from recommender.model import Recommender

__all__ = ["DialogueManager", "Understands"]

UNAVAILABLE = "_unavailable"
"""How notes end that say a component could not answer."""


class Understands(Protocol):
    """What understands a message: `nlu.understanding.Understander`."""

    async def understand(self, text: str, context: Context) -> Understanding: ...


@dataclass(slots=True)
class _Stages:
    """Milliseconds that each stage of a turn took."""

    timer: Callable[[], float]
    last: float
    taken: list[tuple[str, float]]

    def done(self, name: str) -> None:
        now = self.timer()
        self.taken.append((name, round(1000 * (now - self.last), 2)))
        self.last = now


class DialogueManager:
    """Answers turns, one at a time for each user; everything that lasts is in the store.

    Args:
        store: where everything is kept.
        understander: understands free text.
        recommender: ranks items.
        catalogue: what is known of the world.
        domains: the domains by name.
        clock: gives the present moment, with time zone.
        rng: draws variants of messages and items to rate.
        policy: what an operator or a study decides.
        initial: state of a user never seen before.
        timer: gives seconds, for measuring stages.
        backends: component to what answers, for the log.

    Attributes:
        understander: understands free text.
        know: what the bot knows of the world.
    """

    def __init__(
        self,
        store: Store,
        understander: Understands,
        recommender: Recommender,
        catalogue: Catalogue,
        domains: Mapping[Domain, DomainConfig],
        *,
        clock: Callable[[], datetime],
        rng: Random,
        policy: Policy | None = None,
        initial: DialogueState | None = None,
        timer: Callable[[], float] = time.perf_counter,
        backends: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Takes the parts. Raises ConfigError when the wording files are malformed or disagree."""
        self._store = store
        self.understander = understander
        self.know = Knowledge(catalogue, domains, recommender, policy or Policy())
        self._clock = clock
        self._rng = rng
        self._initial = initial or DialogueState()
        self._timer = timer
        self._backends = backends
        self._wordings: Mapping[str, Wording] = load_wordings()

    async def handle(self, turn: Turn) -> TurnResult:
        """Answers one turn; an update that was answered before gets the stored reply and changes nothing.

        Args:
            turn: what the user did.

        Returns:
            The reply to send and the record that was stored.

        Raises:
            StorageError: the turn cannot be kept; nothing of it is.
        """
        stages = _Stages(self._timer, self._timer(), [])
        async with self._store.open_turn(turn) as opened:
            if opened.repeated is not None:
                return TurnResult(opened.repeated)
            stages.done("load")
            before = opened.state or self._first(turn)
            understood, action = await self._read(turn, before)
            stages.done("understand")
            played = self._play(turn, before, opened, understood, action)
            stages.done("decide")
            record = self._record(turn, understood, played, stages)
            learned = self._learn(understood)
            await opened.save(Outcome(played.move.state, played.move.profile, played.reply, (record,), learned))
        return TurnResult(played.reply, record)

    def _first(self, turn: Turn) -> DialogueState:
        """The state of a user never seen before, in the language of their program when the bot speaks it."""
        known = turn.language in self._wordings
        return replace(self._initial, language=turn.language) if turn.language and known else self._initial

    def _voices(self) -> dict[str, Voice]:
        return {language: Voice(language, wording, self._rng) for language, wording in self._wordings.items()}

    async def _read(self, turn: Turn, state: DialogueState) -> Reading:
        """What the turn means: at once for buttons, commands and what cannot be read, else by the understander."""
        voices = self._voices()
        voice = voices.get(state.language, voices["en"]).listening(turn.text, self._wordings)
        direct = read_directly(turn, state, self.know, voices.values(), voice)
        if isinstance(direct, tuple):
            return direct
        return await self.understander.understand(direct.text, context_of(state, self.know.domains)), direct.action

    def _play(
        self, turn: Turn, before: DialogueState, opened: OpenTurn, understood: Understanding, action: Action | None
    ) -> Played:
        voices = self._voices()
        language = before.language
        if action and action.name == "language" and action.value in voices:
            language = action.value
        scene = Scene(
            state=prepared(before, self.know.policy.patience),
            phase=before.phase,
            profile=opened.profile,
            turn=turn,
            understood=understood,
            know=self.know,
            say=voices.get(language, voices["en"]).listening(turn.text, self._wordings),
            rng=self._rng,
            now=self._clock(),
            action=action,
        )
        return play(scene, before)

    def _learn(self, understood: Understanding) -> tuple[Entity, ...]:
        """What a look-up found joins the graph at once."""
        for entity in understood.learned:
            self.know.recommender.learn(entity)
        return understood.learned

    def _record(self, turn: Turn, understood: Understanding, played: Played, stages: _Stages) -> Record:
        state, move = played.move.state, played.move
        cycle, lists = state.cycles.get(state.domain, (0, 0))
        return Record(
            message=turn.text,
            received_at=turn.received_at,
            answered_at=max(self._clock(), turn.received_at),
            intent=played.intent,
            contexts=played.contexts,
            recognized_objects=move.objects,
            events=played.events,
            pagerank_cycle=cycle,
            number_recommendation_list=lists,
            interaction_type="NL" if state.mode == "nl" else state.mode,
            domain=state.domain,
            coarse_intent=played.coarse,
            confidence=understood.confidence,
            ranking=understood.ranking[:3],
            reply=played.reply,
            exported=move.exported,
            recommended=current(state),
            recommendation_list=state.recommendations,
            backends=self._used(understood),
            stages_ms=tuple(stages.taken),
        )

    def _used(self, understood: Understanding) -> tuple[tuple[str, str], ...]:
        """What answered, by component: "none" for one that could not; and the notes of what went otherwise."""
        absent = {note.removesuffix(UNAVAILABLE): "none" for note in understood.notes if note.endswith(UNAVAILABLE)}
        return tuple({**dict(self._backends), **absent, **dict.fromkeys(understood.notes, "yes")}.items())
