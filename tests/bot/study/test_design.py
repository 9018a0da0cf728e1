"""The design of studies: files, assignment, measures, scales and comparisons."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ConfigError, MissingFileError
from bot.study.assignment import Plan, Taken, assign, balanced_square, between_cells
from bot.study.comparison import compare
from bot.study.config import load_study, parse_study
from bot.study.measures import average_precision, ndcg, query_density
from bot.study.questionnaires import load_questionnaires
from bot.study.scales import reliability, scores
from tests.bot.study.conftest import study_content


def study(**changes: Any) -> Any:
    return parse_study(study_content(**changes), "test")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tasks": []}, "tasks"),
        ({"tasks": [{"id": "x", "text": "Do something."}]}, "has no rule"),
        ({"colour": "red"}, "colour"),
        ({"questionnaires": {"after": ["nothing"]}}, "no questionnaire 'nothing'"),
        ({"factors": {"mode": {"levels": ["nl", "nl"]}}}, "levels must differ"),
        ({"factors": {"weather": {"levels": ["nl"]}}}, "weather"),
        ({"consent": {"version": "1", "text": "ok"}}, "consent.text"),
        ({"battles": {"variants": ["ppr"]}}, "battles.variants"),
    ],
)
def test_a_wrong_study_names_the_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        study(**changes)


def test_a_study_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tastes.yaml"
    path.write_text(yaml.safe_dump(study_content()), encoding="utf-8")
    assert load_study(path).name == "tastes"
    path.write_text("consent: [", encoding="utf-8")
    with pytest.raises(ConfigError, match="not readable as YAML"):
        load_study(path)
    with pytest.raises(MissingFileError, match="converse study new"):
        load_study(tmp_path / "none.yaml")


@pytest.mark.parametrize("size", range(1, 9))
def test_squares_are_balanced(size: int) -> None:
    square = balanced_square(size)
    for place in range(size):
        assert len(set(Counter(row[place] for row in square).values())) == 1
    follows = Counter(pair for row in square for pair in itertools.pairwise(row))
    assert len(follows) == size * (size - 1)
    assert len(set(follows.values())) <= 1


FACTORS = {
    "mode": {"levels": ["nl", "mixed"], "design": "within"},
    "domain": {"levels": ["movie", "book", "music"]},
}


def test_assignment_is_balanced_and_repeatable() -> None:
    made = study(factors=FACTORS)
    taken: list[Taken] = []
    plans: list[Plan] = []
    for number in range(60):
        plan = assign(made, taken, number)
        plans.append(plan)
        taken.append(Taken(plan.cell.label, plan.sequence))
    assert set(Counter(plan.cell.label for plan in plans).values()) == {20}
    assert set(Counter((plan.cell.label, plan.sequence) for plan in plans).values()) == {10}
    assert [assign(made, taken[:n], n) for n in range(60)] == plans
    assert plans != [assign(study(factors=FACTORS, assignment={"seed": 2}), taken[:n], n) for n in range(60)]


@given(st.lists(st.booleans(), min_size=20, max_size=60))
def test_balance_recovers_from_drop_outs(stays: list[bool]) -> None:
    made = study(factors=FACTORS)
    taken: list[Taken] = []
    for number, kept in enumerate(stays):
        plan = assign(made, taken, number)
        if kept:
            taken.append(Taken(plan.cell.label, plan.sequence))
    counts = Counter({cell.label: 0 for cell in between_cells(made)})
    counts.update(one.cell for one in taken)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_accuracy_measures() -> None:
    assert average_precision([True, False, True, False, False]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([False] * 5) == 0
    assert ndcg([True, True, False]) == pytest.approx(1)
    assert 0 < ndcg([False, True]) < 1
    assert query_density([["Q1+"], ["Q1-"], [], ["Q2+", "Q3+"]]) == pytest.approx(3 / 4)


def answers_table(values: np.ndarray, name: str, items: list[str]) -> pd.DataFrame:
    rows = [
        (person, "", name, item, int(values[person, place]))
        for person in range(len(values))
        for place, item in enumerate(items)
    ]
    return pd.DataFrame(rows, columns=["participant", "condition", "questionnaire", "item", "value"])


def test_sus_is_scored_as_published() -> None:
    questionnaires = load_questionnaires()
    items = [item.id for item in questionnaires["sus"].items]
    best = np.array([[5, 1] * 5, [1, 5] * 5, [3] * 10])
    table = scores(answers_table(best, "sus", items), {"sus": questionnaires["sus"]})
    assert table["sus"].tolist() == [100, 0, 50]


def test_reliability_of_agreeing_items_is_high() -> None:
    questionnaire = load_questionnaires()["sus"]
    draw = np.random.default_rng(1)
    base = draw.integers(1, 6, size=(40, 1))
    turned = np.array([6 - base if item.reverse else base for item in questionnaire.items]).squeeze(-1).T
    noise = draw.integers(-1, 2, size=turned.shape)
    table = answers_table(np.clip(turned + noise, 1, 5), "sus", [item.id for item in questionnaire.items])
    found = reliability(table, questionnaire).iloc[0]
    assert found["low"] < found["alpha"] < found["high"]
    assert found["alpha"] > 0.9


def effect_table(effect: float, seed: int, paired: bool) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    count = 40
    if paired:
        base = draw.normal(size=count)
        people = np.repeat(np.arange(count), 2)
        modes = ["mixed", "nl"] * count
        values = np.column_stack([base + effect, base]).ravel() + draw.normal(scale=0.5, size=2 * count)
    else:
        people, modes = np.arange(2 * count), ["mixed", "nl"] * count
        values = draw.normal(size=2 * count) + np.tile([effect, 0], count)
    return pd.DataFrame({"participant": people, "mode": modes, "score": values, "noise": draw.normal(size=2 * count)})


@pytest.mark.parametrize("paired", [True, False])
def test_a_planted_effect_is_found_with_its_sign(paired: bool) -> None:
    found = compare(effect_table(1.0, 3, paired), "mode", ["score", "noise"], paired=paired).set_index("measure")
    assert found.loc["score", "p_holm"] < 0.01
    assert found.loc["score", "hedges_g"] > 0.5
    assert found.loc["score", "low"] < found.loc["score", "hedges_g"] < found.loc["score", "high"]
    assert found.loc["noise", "p_holm"] > 0.05
    assert found.loc["score", "p_ranks"] < 0.01 < found.loc["noise", "p_ranks"]
    assert found.loc["score", "test"] == ("paired t" if paired else "Welch t")


def test_nothing_to_compare_gives_no_row() -> None:
    table = pd.DataFrame({"participant": [1, 2, 3, 4], "mode": ["a", "b", "a", "b"], "score": [1.0, 1.0, 1.0, 1.0]})
    assert compare(table, "mode", ["score"], paired=False).empty
    asked_once = pd.DataFrame(
        {"participant": [1, 1, 2, 2, 3, 3], "mode": ["a", "b"] * 3, "score": [1.0, 1, 3, 3, 4, 4]}
    )
    assert compare(asked_once, "mode", ["score"], paired=True).empty
