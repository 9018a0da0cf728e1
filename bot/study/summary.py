"""What a simulation shows: completion, balance, the mix of intents, and how many participants effects would need."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pingouin

from bot.study.measures import StudyTables
from bot.study.simulate import Summary

_MOST = 12


def simulation_summary(done: Summary, tables: StudyTables, conversation: Mapping[str, Any]) -> dict[str, Any]:
    """Counts, balance and the most frequent intents as shares.

    Args:
        done: what the simulation counted.
        tables: what it recorded.
        conversation: what the conversations were like, see `bot.study.status`.
    """
    intents = tables.messages["intent"].value_counts(normalize=True).head(_MOST)
    rated = tables.shown["rating"]
    return {
        "participants": done.participants,
        "finished": done.finished,
        "turns": done.turns,
        "messages_per_participant": round(len(tables.messages) / max(done.participants, 1), 1),
        "skip_share": round(float((rated == "skip").mean()), 3) if len(rated) else None,
        **conversation,
        "by_cell": dict(sorted(done.by_cell.items())),
        "intents": {str(name): round(float(share), 3) for name, share in intents.items()},
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
