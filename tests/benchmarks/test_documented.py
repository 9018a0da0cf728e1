"""The figures of the documentation stand where `documented.yaml` says, and a wrong one is found."""

from pathlib import Path

import pytest

from benchmarks import documented
from benchmarks.documented import Figure, Measured, compare, figures_of, read_passages

PAGE = """Of `12,345` messages **.97**
are right.

| rows | share |
|---|---|
| all | 0.50 (.41-.59) |
| all others | 81 % |
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "page.md").write_text(PAGE)
    monkeypatch.setattr(documented, "PAGES", tmp_path)
    return "page.md"


@pytest.mark.parametrize("measured", read_passages(), ids=lambda each: each.command)
def test_every_passage_stands_in_its_page_once(measured: Measured) -> None:
    assert list(figures_of(measured))


def test_numbers_are_taken_from_text_and_rows(page: str) -> None:
    says = ("Of {n} messages {right} are right", "| all | {share} ({range>0}-{}) |", "| all others | {others%} % |")
    assert list(figures_of(Measured(command="", page=page, says=says))) == [
        Figure("n", "12,345"),
        Figure("right", ".97"),
        Figure("share", "0.50"),
        Figure("range>0", ".41"),
        Figure("others%", "81"),
    ]


@pytest.mark.parametrize("passage", ["Of {n} books", "{} {n}", "| all | {share} |"])
def test_a_passage_that_is_not_there_once_is_refused(page: str, passage: str) -> None:
    with pytest.raises(ValueError, match="passages like"):
        list(figures_of(Measured(command="", page=page, says=(passage,))))


@pytest.mark.parametrize(
    ("document", "holds"),
    [
        ({"n": 12345, "right": 0.974}, [True, True]),
        ({"n": 12346, "right": 0.9649}, [False, True]),
        ({"n": 12345, "right": 0.981}, [True, False]),
        ({"n": 12345, "right": None}, [True, False]),
        ({}, [False, False]),
    ],
)
def test_a_figure_may_differ_by_rounding_and_tolerance(
    page: str, document: dict[str, float], holds: list[bool]
) -> None:
    measured = Measured(command="", page=page, tolerance=0.005, says=("Of {n} messages {right} are right",))
    assert [right for _, _, right in compare(measured, document)] == holds


def test_shares_in_percent_and_places_in_lists(page: str) -> None:
    says = ("| all | {} ({range>0}-{range>1}) |", "| all others | {others%} % |")
    found = compare(Measured(command="", page=page, says=says), {"range": [0.41], "others": 0.812})
    assert [(now, right) for _, now, right in found] == [(0.41, True), (None, False), (pytest.approx(81.2), True)]
