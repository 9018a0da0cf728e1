import json
from collections import Counter
from pathlib import Path

import pytest

from data.errors import DataError, MissingFileError
from data.model import Polarity
from nlu.model import Span
from nlu.sentiment.evaluation import Case, figures, read_cases, run, wrong
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import OTHER, TARGET
from nlu.sentiment.own_cases import OWN_CASES, instances, marked


class Scripted:
    """Answers by the words of the span."""

    def __init__(self, answers: dict[str, Polarity | None]) -> None:
        self._answers = answers

    def polarities(self, text: str, targets: tuple[Span, ...]) -> tuple[Polarity | None, ...]:
        return tuple(self._answers[text[span.start : span.end]] for span in targets)

    def overall(self, text: str) -> Polarity | None:
        return None


def write(path: Path, *cases: tuple[str, dict[str, Polarity | None], str]) -> Path:
    lines = []
    for text, signs, category in cases:
        entities = [
            {"mention": name, "start": text.index(name), "end": text.index(name) + len(name), "polarity": sign}
            for name, sign in signs.items()
        ]
        lines.append(json.dumps({"text": text, "entities": entities, "category": category}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_no_polarity_is_wrong_and_unstated_ones_are_counted_apart(tmp_path: Path) -> None:
    path = write(
        tmp_path / "cases.jsonl",
        ("A is good, B is bad", {"A": "+", "B": "-"}, "contrast"),
        ("C and D are bad", {"C": "-", "D": "-"}, "list"),
        ("E? F is good", {"E": None, "F": "+"}, "contrast"),
    )
    answers: dict[str, Polarity | None] = {"A": "+", "B": "-", "C": "+", "D": None, "E": None, "F": "+"}
    outcomes = run(Scripted(answers), read_cases(path))
    document = figures(outcomes)
    assert document["n"] == 5
    assert document["accuracy"] == 0.6
    assert document["balanced_accuracy"] == round((1 + 1 / 3) / 2, 4)
    assert document["sentences_exact"] == round(2 / 3, 4)
    assert document["by_category"] == {"contrast": {"n": 3, "accuracy": 1.0}, "list": {"n": 2, "accuracy": 0.0}}
    assert document["confusion"] == {
        "+": {"+": 2, "-": 0, "none": 0},
        "-": {"+": 1, "-": 1, "none": 1},
        "none": {"+": 0, "-": 0, "none": 1},
    }
    assert document["without_polarity"] == {"n": 1, "none_given": 1}
    assert document["ms_median"] == round(sorted(outcome.elapsed for outcome in outcomes)[1], 2)
    assert [(error["mention"], error["expected"], error["given"]) for error in wrong(outcomes)] == [
        ("C", "-", "+"),
        ("D", "-", None),
    ]


def test_own_cases_are_read_with_spans_and_signs() -> None:
    assert marked("[A]+ and [B b]-, not [C]?", "kind") == Case(
        "A and B b, not C", (Span(0, 1), Span(6, 9), Span(15, 16)), ("+", "-", None), "kind"
    )
    assert instances([marked("[A]+ or [B]?")]) == [
        Instance((TARGET, "or", OTHER), "+"),
        Instance((OTHER, "or", TARGET), "0"),
    ]
    for read in OWN_CASES.values():
        signs = Counter(sign for case in read() for sign in case.polarities)
        assert min(signs["+"], signs["-"]) >= 40
        assert signs[None] >= 20


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"text": "A"}',
        '{"text": "A", "entities": [{"start": 0, "end": 9, "polarity": "+"}]}',
        '{"text": "A", "entities": [{"start": 0, "end": 1, "polarity": "good"}]}',
        '{"text": 5, "entities": []}',
        "[]",
    ],
)
def test_a_case_that_is_none_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1"):
        read_cases(path)


def test_missing_and_empty_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nothing"):
        read_cases(tmp_path / "nothing.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match="no cases"):
        read_cases(tmp_path / "empty.jsonl")
