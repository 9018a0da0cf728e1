"""How a running study is doing."""

from datetime import timedelta
from typing import Any

import pandas as pd

from bot.study.collecting import collect
from bot.study.config import StudyConfig
from bot.study.desk import DROPPED_AFTER
from bot.study.measures import StudyTables
from bot.study.store import StudyStore

_SLOW_MS = 2000.0
_MISUNDERSTOOD = 0.15


async def study_status(store: StudyStore, study: StudyConfig) -> dict[str, Any]:
    """Participants by condition and stage, drop-outs, what the conversations are like, and alerts.

    Args:
        store: of the study.
        study: its design.
    """
    tables = await collect(store, study)
    people = tables.participants
    now = store.sql.now()
    silent = people["active_at"].map(lambda moment: now - moment > DROPPED_AFTER) if len(people) else people["finished"]
    out = ~people["finished"] & ~people["excluded"] & silent.astype(bool)
    found = {
        "study": study.name,
        "title": study.title,
        "status": await store.status(),
        "participants": len(people),
        "finished": int(people["finished"].sum()),
        "active": int((~people["finished"] & ~people["excluded"] & ~out).sum()),
        "dropped_out": int(out.sum()),
        "excluded": int(people["excluded"].sum()),
        "by_cell": _counts(people["cell"]),
        "by_stage": _counts(people["stage"]),
        "conversation": conversation_figures(tables),
        "answers": _counts(tables.answers["questionnaire"]),
    }
    found["alerts"] = _alerts(found, tables, now - timedelta(minutes=30))
    return found


def conversation_figures(tables: StudyTables) -> dict[str, Any]:
    """What the conversations are like, over all participants."""
    messages, shown = tables.messages, tables.shown
    if messages.empty:
        return {"messages": 0}
    waits = (messages["answered_at"] - messages["received_at"]).dt.total_seconds() * 1000
    preferences = messages[messages["intent"] == "preference"]
    asked = preferences["events"].map(lambda events: "disambiguation" in events)
    rated = shown["rating"].isin(["+", "-"])
    return {
        "messages": len(messages),
        "response_ms_median": round(float(waits.median()), 1),
        "response_ms_p95": round(float(waits.quantile(0.95)), 1),
        "fallback_share": round(float(messages["intent"].str.contains("fallback", case=False).mean()), 3),
        "disambiguation_share": round(float(asked.mean()), 3) if len(preferences) else None,
        "items_shown": len(shown),
        "items_liked_share": round(float((shown["rating"] == "+").sum() / rated.sum()), 3) if rated.any() else None,
    }


def _counts(column: pd.Series) -> dict[str, int]:
    return {str(name): int(count) for name, count in column.value_counts().sort_index().items()}


def _alerts(found: dict[str, Any], tables: StudyTables, since: Any) -> list[str]:
    """What a researcher should look at."""
    alerts = []
    figures = found["conversation"]
    if figures.get("response_ms_p95", 0) > _SLOW_MS:
        alerts.append(f"answers are slow: one in twenty takes longer than {figures['response_ms_p95']:.0f} ms")
    if figures.get("fallback_share", 0) > _MISUNDERSTOOD:
        alerts.append(f"{figures['fallback_share']:.0%} of the messages were not understood")
    failed = tables.answers[tables.answers["right"] == False]["participant"].unique()  # noqa: E712 - three-valued
    if len(failed):
        alerts.append(f"attention checks failed by participants {', '.join(str(number) for number in sorted(failed))}")
    counts = list(found["by_cell"].values())
    if counts and max(counts) - min(counts) > 2:
        alerts.append("the cells are uneven; those who follow will restore the balance")
    people = tables.participants
    stuck = people[~people["finished"] & ~people["excluded"] & people["active_at"].map(lambda at: at < since)]
    if len(stuck):
        alerts.append(f"{len(stuck)} unfinished participants have been silent for half an hour")
    return alerts
