"""Records as ConveRSE files, to the byte as the dataset is published."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bot.export import Written, write_file
from bot.records import Record
from data.formats.converse import INTERACTION_TYPES, Row, by_user, dump_rows
from data.formats.tocheck import recompute
from data.model import Qid

LEFT_OUT = "left_out.json"


@dataclass(slots=True)
class ConverseExport:
    """What goes into each file, by its path in the export.

    Attributes:
        rows: the rows of each file.
        left_out: how many messages of each intent the format has no place for (commands, consent, media), by file.
        preferences: how many preferences were told in those messages, by file.
        recommendations: how many items were recommended, by file: a row tells that one was, but not which.
    """

    rows: dict[str, list[Row]] = field(default_factory=dict)
    left_out: dict[str, Counter[str]] = field(default_factory=dict)
    preferences: Counter[str] = field(default_factory=Counter)
    recommendations: Counter[str] = field(default_factory=Counter)


def to_rows(written: Written) -> ConverseExport:
    """Sorts records into files, counts users and messages anew in each, and computes `toCheck`.

    Args:
        written: users' ids and records, in the order of arrival.

    Returns:
        The rows by file.
    """
    files: dict[str, list[tuple[int, Record]]] = defaultdict(list)
    made = ConverseExport(left_out=defaultdict(Counter))
    shown: set[tuple[int, int, Qid]] = set()
    for user, record in written:
        name = f"{record.domain}/messages_{INTERACTION_TYPES[record.interaction_type]}.json"
        if record.exported:
            files[name].append((user, record))
        else:
            made.left_out[name][record.intent] += 1
            made.preferences[name] += len(record.recognized_objects)
        if record.recommended and (item := (user, record.pagerank_cycle, record.recommended)) not in shown:
            shown.add(item)
            made.recommendations[name] += 1
    made.rows = {name: _file(found) for name, found in sorted(files.items())}
    return made


def write_rows(export: ConverseExport, out: Path) -> None:
    """Writes the files, and beside them what was left out. Raises UsageError when a file cannot be written."""
    for name, rows in export.rows.items():
        write_file(out / name, dump_rows(rows))
    account = {
        "messages": export.left_out,
        "preferences": +export.preferences,
        "recommendations": export.recommendations,
    }
    write_file(out / LEFT_OUT, json.dumps(account, indent=2, sort_keys=True).encode("ascii") + b"\n")


def _file(found: Iterable[tuple[int, Record]]) -> list[Row]:
    """The rows of one file: sorted by their start, users and messages numbered from 1."""
    users: dict[int, int] = {}
    rows = []
    for number, (user, record) in enumerate(sorted(found, key=lambda pair: _milliseconds(pair[1].received_at)), 1):
        rows.append(_row(number, users.setdefault(user, len(users) + 1), record))
    for mine in by_user(rows).values():
        for row, flag in zip(mine, recompute(mine, guess=False), strict=True):
            row["toCheck"] = flag
    return rows


def _row(number: int, user: int, record: Record) -> Row:
    start = _milliseconds(record.received_at)
    return {
        "messageID": str(number),
        "userID": user,
        "message": record.message,
        "timestampStart": start,
        "timestampEnd": max(start, _milliseconds(record.answered_at)),
        "intent": record.intent,
        "contexts": ", ".join(record.contexts),
        "toCheck": True,
        "recognizedObjects": ", ".join(qid + polarity for qid, polarity in record.recognized_objects),
        "events": ", ".join(record.events),
        "pagerankCycle": record.pagerank_cycle,
        "numberRecommendationList": record.number_recommendation_list,
        "interactionType": record.interaction_type,
    }


def _milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970 at the whole second, as published."""
    return int(moment.timestamp()) * 1000
