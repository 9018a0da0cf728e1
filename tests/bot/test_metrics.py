from dataclasses import replace

import pytest

from bot.channels.base import Turn, UserKey
from bot.errors import StorageError
from bot.metrics import Measured, Metrics
from bot.records import TurnResult
from tests.bot.channels.doubles import NOW, Echo

TURN = Turn(UserKey("telegram", "1"), "1", "text", "hi", NOW)


async def test_turns_are_counted_by_channel_and_intent() -> None:
    metrics = Metrics()
    conversation = Measured(Echo(), metrics)
    for _ in range(3):
        await conversation.handle(TURN)
    text = metrics.text().decode()
    assert 'converse_turns_total{channel="telegram",intent="preference"} 3.0' in text
    assert "converse_turn_seconds_count 3.0" in text
    assert "converse_turns_in_hand 0.0" in text


async def test_errors_are_counted_and_passed_on() -> None:
    class Broken(Echo):
        async def handle(self, turn: Turn) -> TurnResult:
            raise StorageError("full")

    metrics = Metrics()
    with pytest.raises(StorageError):
        await Measured(Broken(), metrics).handle(TURN)
    assert 'converse_errors_total{kind="StorageError"} 1.0' in metrics.text().decode()


async def test_lookups_notes_and_stages_are_counted() -> None:
    class Noting(Echo):
        async def handle(self, turn: Turn) -> TurnResult:
            result = await super().handle(turn)
            assert result.record is not None
            notes = (("intents", "rasa"), ("looked_up", "yes"))
            return replace(result, record=replace(result.record, backends=notes, stages_ms=(("load", 2.0),)))

    metrics = Metrics()
    await Measured(Noting(), metrics).handle(TURN)
    text = metrics.text().decode()
    assert 'converse_lookups_total{outcome="answered"} 1.0' in text
    assert 'converse_notes_total{note="looked_up"} 1.0' in text
    assert "intents" not in text.replace("intent=", "")
    assert 'converse_stage_seconds_count{stage="load"} 1.0' in text
    assert 'converse_stage_seconds_count{stage="keep"} 1.0' in text
