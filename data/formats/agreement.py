"""How far the recomputed `toCheck` agrees with the published flags."""

from collections import Counter
from typing import Any

from data.formats import Dataset
from data.formats.converse import by_user, usable
from data.formats.problems import Report
from data.formats.tocheck import recompute


def to_check_agreement(dataset: Dataset, report: Report) -> dict[str, Any]:
    """Agreement over all rows, by file and by intent.

    Args:
        dataset: ConveRSE files.
        report: told of rows that are left out.

    Returns:
        `agreement`, `rows`, `by_file` (file to agreement) and `by_intent` (intent to agreement and rows); agreements
        are shares from 0 to 1.
    """
    files: dict[str, float] = {}
    right: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for path in dataset.files:
        before, seen = right.total(), rows.total()
        rows_read = dataset.format.read(path, "dialogues", report)
        for part in by_user(usable(path, rows_read, report)).values():
            for row, flag in zip(part, recompute(part), strict=True):
                rows[row["intent"]] += 1
                right[row["intent"]] += flag == row["toCheck"]
        if rows.total() > seen:
            name = str(path.relative_to(dataset.root)) if dataset.root.is_dir() else path.name
            files[name] = round((right.total() - before) / (rows.total() - seen), 4)
    return {
        "agreement": round(right.total() / rows.total(), 4) if rows else 0.0,
        "rows": rows.total(),
        "by_file": files,
        "by_intent": {
            name: {"agreement": round(right[name] / count, 4), "rows": count} for name, count in rows.most_common()
        },
    }
