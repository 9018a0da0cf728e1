from types import SimpleNamespace
from typing import Any, cast

from bot.records import Record
from bot.study.collecting import shown_items
from bot.study.measures import _accuracy


def record(shown: str | None, intent: str, opinions: dict[str, str] | None = None) -> Record:
    made = SimpleNamespace(
        condition="a",
        domain="movie",
        pagerank_cycle=1,
        recommendation_list=("Q1", "Q2", "Q3"),
        recommended=shown,
        intent=intent,
        recognized_objects=tuple((opinions or {}).items()),
    )
    return cast("Record", made)


def test_shown_items_have_their_place_and_the_first_reaction_and_nothing_that_is_always_the_same() -> None:
    turns = [
        record("Q1", "request_recommendation"),
        record("Q2", "request_recommendation - preference", {"Q1": "+"}),
        record("Q2", "request_recommendation - why"),
        record("Q3", "request_recommendation - preference", {"Q2": "-"}),
    ]
    shown = shown_items((1, turn) for turn in turns)
    assert list(shown) == ["participant", "condition", "domain", "cycle", "position", "item", "rating"]
    rows: Any = shown[["position", "item", "rating"]].astype(object).where(shown.notna(), None).to_numpy().tolist()
    assert rows == [[0, "Q1", "+"], [1, "Q2", "-"], [2, "Q3", None]]


def test_accuracy_is_taken_over_all_shown_items() -> None:
    turns = [record("Q1", "request_recommendation"), record("Q2", "request_recommendation", {"Q1": "+"})]
    found = _accuracy(shown_items((1, turn) for turn in turns))
    assert found[["hit_rate", "precision_at_5"]].to_numpy().tolist() == [[1.0, 0.5]]
