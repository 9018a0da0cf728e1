"""What a simulation shows: completion, balance, the mix of intents, and how many participants effects would need."""

from typing import Any

import pandas as pd
import pingouin

from bot.study.measures import StudyTables
from bot.study.simulate import Summary

_MOST = 12


def simulation_summary(done: Summary, tables: StudyTables) -> dict[str, Any]:
    """Counts, balance and the most frequent intents as shares.

    Args:
        done: what the simulation counted.
        tables: what it recorded.
    """
    intents = tables.messages["intent"].value_counts(normalize=True).head(_MOST)
    rated = tables.shown["rating"]
    return {
        "participants": done.participants,
        "finished": done.finished,
        "turns": done.turns,
        "messages_per_participant": round(len(tables.messages) / max(done.participants, 1), 1),
        "skip_share": round(float((rated == "skip").mean()), 3) if len(rated) else None,
        **conversation_figures(tables),
        "by_cell": dict(sorted(done.by_cell.items())),
        "intents": {str(name): round(float(share), 3) for name, share in intents.items()},
    }


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


def needed(comparisons: pd.DataFrame, power: float = 0.8) -> list[dict[str, Any]]:
    """How many participants a level each effect would need to be found with a power of 80 % at 5 %.

    Args:
        comparisons: see `bot.study.comparison`.
        power: chance of finding the effect.
    """
    rows = []
    for row in comparisons.to_dict("records"):
        paired = row["test"] == "paired t"
        size = abs(float(row["hedges_g"]))
        contrast = "paired" if paired else "two-samples"
        count = pingouin.power_ttest(d=size, power=power, alpha=0.05, contrast=contrast) if size > 0.02 else None
        rows.append(
            {
                "factor": row["factor"],
                "measure": row["measure"],
                "hedges_g": round(float(row["hedges_g"]), 3),
                "n_for_80_percent": None if count is None or pd.isna(count) else int(count) + 1,
            }
        )
    return rows
