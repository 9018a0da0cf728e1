"""A small study simulated end to end through the real bot, and its report."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bot.errors import DataError
from bot.study.collecting import collect
from bot.study.comparison import compare
from bot.study.desk import StudyDesk
from bot.study.measures import measures
from bot.study.report import analyse, write_report
from bot.study.simulate import Effect, SimulatedClock, simulate
from bot.study.status import study_status
from bot.study.summary import needed
from data.catalogue import Catalogue
from tests.bot.study.conftest import START, MovingClock, study_content

TASKS: list[dict[str, Any]] = [
    {"id": "tell", "text": "Tell the bot two things.", "preferences": 2},
    {"id": "rate", "text": "Rate five things.", "requests": 1, "ratings": 5},
]


@pytest.fixture
def clock() -> MovingClock:  # type: ignore[override]
    return SimulatedClock(START)  # type: ignore[return-value]


async def test_simulated_people_finish_and_the_report_tells_of_them(
    desk_for: Callable[..., StudyDesk], catalogue: Catalogue, clock: Any, tmp_path: Path
) -> None:
    desk = desk_for(
        tasks=TASKS,
        factors={"mode": {"levels": ["nl", "mixed"], "design": "within"}, "domain": {"levels": ["movie", "book"]}},
        questionnaires={"between": ["arena"], "after": ["sus"]},
        attention=[{"questionnaire": "sus", "after": 3, "text": "Choose “Agree”.", "right": 4}],
        battles={"variants": ["ppr", "popularity"]},
    )
    done = await simulate(desk, catalogue, clock, 4, effects=[Effect("mode", "mixed", 3.0), Effect("mode", "nl", -3.0)])
    assert (done.participants, done.finished) == (4, 4)
    assert set(done.by_cell.values()) == {2}
    tables = await collect(desk.kept, desk.study)
    assert Counter(tables.conditions["order"]) == {1: 4, 2: 4}
    table = measures(tables.included())
    liked = table.groupby("mode")["precision_at_5"].mean()
    assert liked["mixed"] > liked["nl"]
    analysis = analyse(desk.study, tables)
    assert analysis.table["sus"].between(0, 100).all()
    assert set(analysis.ranking) == {"ppr", "popularity"}
    found = analysis.comparisons.set_index(["factor", "measure"])
    assert found.loc[("mode", "precision_at_5"), "hedges_g"] > 0
    assert needed(analysis.comparisons)
    written = write_report(desk.study, tables, tmp_path / "report", START)
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert all(path.is_file() for path in written)
    for expected in ("Methods", "Welch", "precision@5", "<svg", "converse-bot", "Data"):
        assert expected in page
    people = pd.read_csv(tmp_path / "report" / "data" / "participants.csv")
    assert people["participant"].tolist() == [1, 2, 3, 4]
    status = await study_status(desk.kept, desk.study)
    assert (status["participants"], status["finished"], status["status"]) == (4, 4, "open")
    await desk.kept.exclude(1, "test", "olga")
    assert len((await collect(desk.kept, desk.study)).included().participants) == 3


async def test_a_report_without_participants_is_a_clear_error(
    desk_for: Callable[..., StudyDesk], tmp_path: Path
) -> None:
    desk = desk_for(**study_content())
    with pytest.raises(DataError, match="nobody who counts has finished"):
        write_report(desk.study, await collect(desk.kept, desk.study), tmp_path, START)


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
def test_no_effect_is_found_where_none_was_planted(paired: bool) -> None:
    """Over 200 seeds, at most about one study in twenty finds something in ten measures (Holm, 5 %)."""
    names = [f"m{n}" for n in range(10)]
    hits = 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        people = np.repeat(np.arange(20), 2) if paired else np.arange(40)
        table = pd.DataFrame({"participant": people, "mode": ["nl", "mixed"] * 20})
        hits += bool(
            (
                compare(table.assign(**{n: draw.poisson(6, 40) for n in names}), "mode", names, paired=paired)["p_holm"]
                < 0.05
            ).any()
        )
    assert hits <= 19
