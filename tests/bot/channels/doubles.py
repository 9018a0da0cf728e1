"""An echo in place of the dialogue manager, for tests that are about channels only."""

from datetime import UTC, datetime

from bot.channels.base import Option, Reply, Turn
from bot.dialogue.state import DialogueState, Profile
from bot.records import Record, TurnResult
from bot.storage.base import Outcome, Store

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
OPTIONS = (Option("3:0", "Heat (1995)"), Option("3:1", "Heat (1986)"), Option("none:3", "None of these"))


def make_record(turn: Turn, reply: Reply) -> Record:
    return Record(
        message=turn.text,
        received_at=turn.received_at,
        answered_at=turn.received_at,
        intent="preference",
        contexts=("preference-followup",),
        recognized_objects=(("Q42198", "+"),),
        events=("preference",),
        pagerank_cycle=0,
        number_recommendation_list=0,
        interaction_type="mixed",
        domain="movie",
        coarse_intent="preference",
        confidence=0.987654,
        ranking=(("preference", 0.987654),),
        reply=reply,
    )


class Echo:
    """Says what it heard, with options; keeps the turns."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.sent: list[Turn] = []

    async def handle(self, turn: Turn) -> TurnResult:
        return await self.answer(turn)

    async def answer(self, turn: Turn) -> TurnResult:
        self.turns.append(turn)
        reply = Reply((f"You said {turn.kind} {turn.text!r} {turn.option}.",), OPTIONS)
        return TurnResult(reply, make_record(turn, reply))

    async def mark_sent(self, turn: Turn) -> None:
        self.sent.append(turn)


class StoredEcho(Echo):
    """An echo that keeps its turns in a store, as the dialogue manager does."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    async def handle(self, turn: Turn) -> TurnResult:
        async with self._store.open_turn(turn) as opened:
            if opened.repeated is not None:
                return TurnResult(opened.repeated)
            result = await self.answer(turn)
            assert result.record is not None
            await opened.save(Outcome(DialogueState(), Profile(), result.reply, (result.record,)))
            return result
