"""The example study, simulated end to end through the real bot; and how often nothing is taken for something."""

import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.study.collecting import collect
from bot.study.config import load_study
from bot.study.desk import StudyDesk
from bot.study.report import analyse, write_report
from bot.study.simulate import Effect, SimulatedClock, simulate
from data.catalogue import Catalogue
from tests.bot.study.conftest import START, MovingClock, study_content

EXAMPLE = Path(__file__).parents[3] / "studies" / "converse.yaml"
SEEDS = 200
SHORT: list[dict[str, Any]] = [
    {"id": "tell", "text": "Tell the bot one thing.", "preferences": 1},
    {"id": "rate", "text": "Rate three things.", "requests": 1, "ratings": 3},
]


@pytest.fixture
def clock() -> MovingClock:  # type: ignore[override]
    return SimulatedClock(START)  # type: ignore[return-value]


async def test_the_example_study_finds_the_planted_effect_and_no_other(
    desk_for: Callable[..., StudyDesk], catalogue: Catalogue, clock: Any, tmp_path: Path
) -> None:
    desk = desk_for(**load_study(EXAMPLE).model_dump(mode="json"))
    planted = [Effect("mode", "mixed", 6.0), Effect("mode", "nl", -6.0)]
    done = await simulate(desk, catalogue, clock, 8, effects=planted)
    assert (done.finished, done.by_cell) == (8, {"mode=mixed": 4, "mode=nl": 4})
    tables = await collect(desk.kept, desk.study)
    orders = tables.conditions.groupby(["mode", "participant"])["domain"].agg(tuple)
    assert [len(set(orders[mode])) for mode in ("mixed", "nl")] == [4, 4]
    assert Counter(tables.conditions["order"]) == {1: 8, 2: 8, 3: 8}
    assert tables.answers["right"].dropna().all()
    found = analyse(desk.study, tables).comparisons.set_index(["factor", "measure"])
    assert found.loc[("mode", "precision_at_5"), "p_holm"].item() < 0.05
    assert found.loc[("mode", "precision_at_5"), "hedges_g"].item() > 2  # mixed is better
    elsewhere = found.drop(index=[key for key in found.index if key[0] == "mode"])
    assert set(elsewhere.index.get_level_values("factor")) == {"domain"}
    assert (elsewhere["p_holm"] > 0.05).all()
    write_report(desk.study, tables, tmp_path, START)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "domain (movie, book, music; within subjects); mode (nl, mixed; between subjects)" in page
    assert "converse.profile accuracy" in page


@pytest.mark.slow
async def test_nothing_is_found_where_nothing_was_planted(
    desk_for: Callable[..., StudyDesk], catalogue: Catalogue, clock: Any
) -> None:
    """Small studies of 6 simulated people: with a level of 5 %, 200 of them find something about ten times."""
    hits = 0
    for seed in range(SEEDS):
        content = study_content(
            name=f"null-{seed}",
            tasks=SHORT,
            factors={"mode": {"levels": ["nl", "mixed"]}},
            questionnaires={"after": ["recommind", "sus"]},
            assignment={"seed": seed},
        )
        desk = desk_for(**content)
        await simulate(desk, catalogue, clock, 6, seed=seed)
        comparisons = analyse(desk.study, await collect(desk.kept, desk.study)).comparisons
        hits += bool((comparisons["p_holm"] < 0.05).any())
    logging.getLogger(__name__).warning("%d of %d studies without an effect found one", hits, SEEDS)
    assert hits <= 19  # the 99.6 % quantile of 200 draws at 5 %
