"""The statistics table of the ConveRSE paper (its Table 4), with one definition for all domains."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Row = Mapping[str, Any]

_PREFERENCES = ("preference", "preference - disambiguation", "preference - yes")
_RATINGS = (
    "request_recommendation - preference",
    "request_recommendation - yes_but",
    "request_recommendation - no_but",
)
_SHARES = {
    "percent_critiquing": ("request_recommendation - yes_but", "request_recommendation - no_but"),
    "percent_details": ("request_recommendation - details",),
    "percent_preview": ("request_recommendation - trailer",),
    "percent_explanation": ("request_recommendation - why",),
}


def domain_table(files: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """The table's column for one domain.

    Users are the distinct `userID` over the files (ids restart in each), preferences are liked by the objects of rows
    whose intent does not start with "request", recommendations by those of the rest; waits are those of requests.

    Args:
        files: file name to its rows.

    Returns:
        Counts, percentages (0 to 100) and waits in seconds; None where there is nothing to divide by.
    """
    rows = [row for part in files.values() for row in part]
    intents = Counter(row["intent"] for row in rows)
    users = {row["userID"] for row in rows}
    rated = sum(intents[name] for name in _RATINGS)
    stated = [sign for row in rows if not row["intent"].startswith("request") for sign in _signs(row)]
    shown = [sign for row in rows if row["intent"].startswith("request") for sign in _signs(row)]
    waits = [
        (row["timestampEnd"] - row["timestampStart"]) / 1000
        for row in rows
        if row["intent"] == "request_recommendation"
    ]
    return {
        "users": len(users),
        "users_by_file": {name: len({row["userID"] for row in part}) for name, part in files.items()},
        "messages": len(rows),
        "messages_per_user": round(len(rows) / len(users), 1) if users else None,
        "preference_messages": sum(intents[name] for name in _PREFERENCES),
        "recommendation_requests": intents["request_recommendation"],
        "rated_recommendations": rated,
        "percent_liked_preferences": _percent(stated.count("+"), len(stated)),
        "percent_disliked_preferences": _percent(stated.count("-"), len(stated)),
        "percent_liked_recommendations": _percent(shown.count("+"), len(shown)),
        "percent_disliked_recommendations": _percent(shown.count("-"), len(shown)),
        **{name: _percent(sum(intents[intent] for intent in part), rated) for name, part in _SHARES.items()},
        "percent_to_check": _percent(sum(bool(row["toCheck"]) for row in rows), len(rows)),
        "wait_median_s": statistics.median(waits) if waits else None,
        "wait_p90_s": float(np.quantile(waits, 0.9, method="higher")) if waits else None,
    }


def _signs(row: Row) -> list[str]:
    return [name[-1] for name in row["recognizedObjects"].split(", ") if name]


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
