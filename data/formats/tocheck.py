"""The `toCheck` flag of the published ConveRSE rows, recomputed from the conversation.

A conversation is cut into tasks (a preference with its questions, a request with the items it brought, a look at the
profile …). The rows of a task that completes without failure become False: nobody needs to look at them. All others
stay True. The rules follow the ConveRSE paper, section 4, and were fitted on its six released files.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Row = Mapping[str, Any]

_PREFERENCE_STARTS = frozenset({"preference", "show_profile - delete_preference"})
_PREFERENCE_TASK = frozenset(
    {
        "preference",
        "preference - disambiguation",
        "preference - yes",
        "preference - no",
        "request_recommendation - yes_but",
        "request_recommendation - no_but",
        "show_profile - delete_preference",
        "show_profile - delete_preference - disambiguation",
    }
)
_CRITIQUES = frozenset(
    {
        "request_recommendation - yes_but",
        "request_recommendation - no_but",
        "request_recommendation - critiquing - yes",
        "request_recommendation - critiquing - no",
        "request_recommendation - critiquing - disambiguation",
    }
)
_RECOMMENDATION_TASK = _CRITIQUES | {
    "request_recommendation",
    "request_recommendation - preference",
    "request_recommendation - why",
    "request_recommendation - details",
    "request_recommendation - trailer",
    "request_recommendation - skip",
}
_ANSWERS = frozenset({"preference - disambiguation", "show_profile - delete_preference - disambiguation"})
_PARENTHESES = re.compile(r"\([^)]*\)")
_WORDS = Path(__file__).with_name("tocheck.yaml")


@dataclass(frozen=True, slots=True)
class _Words:
    """Patterns that tell answers apart: names of roles, negations, the words of a bare deletion, statements."""

    role: re.Pattern[str]
    negative: re.Pattern[str]
    bare_delete: re.Pattern[str]
    statement: re.Pattern[str]


@functools.cache
def _words() -> _Words:
    patterns = yaml.safe_load(_WORDS.read_text(encoding="utf-8"))
    return _Words(**{name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns.items()})


@dataclass(slots=True)
class _Task:
    """The open task: the rows it has so far and whether it failed."""

    kind: str
    rows: list[int] = field(default_factory=list)
    failed: bool = False
    positive: bool = False


def recompute(rows: Sequence[Row], *, guess: bool = True) -> list[bool]:
    """Recomputes `toCheck` for one user's rows of one file.

    Args:
        rows: the rows of one (file, userID), in order, with at least `message`, `intent`, `events` and
            `recognizedObjects` as published.
        guess: whether to read from the messages what the rows do not tell: an answer that was none, a deletion that
            names nothing. For conversations of this bot nothing is guessed: it labels a message as an answer only
            when it answered the question.

    Returns:
        One flag a row; True means that a person should look at it.
    """
    flags = [True] * len(rows)
    task: _Task | None = None
    for position, row in enumerate(rows):
        intent, events = row["intent"], _split(row["events"])
        if intent == "show_profile":
            flags[position] = False
            task = None
            continue
        task = _opened(task, row, intent)
        if task is None:
            continue
        task.rows.append(position)
        if task.kind == "preference":
            ended = _preference_step(task, row)
            if guess:
                _check_words(task, rows, position)
        else:
            ended = _recommendation_step(task, row)
        if ended:
            if not task.failed:
                for done in task.rows:
                    flags[done] = False
            task = _next_task(task, events)
    return flags


def _opened(task: _Task | None, row: Row, intent: str) -> _Task | None:
    """The task that the row belongs to: a new one when it starts one (the open one's rows stay True), else the open."""
    if intent in _PREFERENCE_STARTS:
        return _Task("preference", positive=not _words().negative.search(row["message"]))
    if intent == "reset_profile":
        return None
    if intent == "request_recommendation":
        return _Task("recommendation")
    if intent in _ANSWERS and task is None:
        return _Task("preference")
    return task


def _next_task(task: _Task, events: list[str]) -> _Task | None:
    """After an item the next item's task is open, unless the list is finished."""
    if task.kind == "recommendation" and "finished_recommendation" not in events:
        return _Task("recommendation")
    return None


def _recommendation_step(task: _Task, row: Row) -> bool:
    """Adds a row to a recommendation task; True when the item changed with it."""
    intent, events = row["intent"], _split(row["events"])
    if intent not in _RECOMMENDATION_TASK:
        task.failed = True
    if "finished_recommendation" in events:
        return True
    if intent == "request_recommendation - preference" or intent in _CRITIQUES:
        return "recommendation" in events and "disambiguation" not in events
    if intent == "request_recommendation - skip":
        return "recommendation" in events
    return intent == "request_recommendation" and events == ["recommendation", "question"]


def _preference_step(task: _Task, row: Row) -> bool:
    """Adds a row to a preference task; True when nothing is asked any more."""
    if row["intent"] not in _PREFERENCE_TASK:
        task.failed = True
    return "question" not in _split(row["events"])


def _check_words(task: _Task, rows: Sequence[Row], position: int) -> None:
    """What only the words tell: a deletion that names nothing fails the task, and an answer that is none."""
    intent, message = rows[position]["intent"], rows[position]["message"]
    if intent == "show_profile - delete_preference" and not _words().bare_delete.sub("", message).strip():
        task.failed = True
    if intent in _ANSWERS:
        _check_answer(task, rows, position)


def _check_answer(task: _Task, rows: Sequence[Row], position: int) -> None:
    """An answer fails the task when it got nowhere or was no answer at all."""
    row = rows[position]
    is_role = _is_role(row["message"])
    if "question" in _split(row["events"]) and not _objects(row):
        following = rows[position + 1]["message"] if position + 1 < len(rows) else ""
        if is_role or not _is_role(following):
            task.failed = True
    sign = _sign(row["recognizedObjects"])
    contradicts = sign == "-" and task.positive
    if not is_role and (contradicts or _words().statement.search(row["message"])):
        task.failed = True


def _is_role(message: str) -> bool:
    return bool(_words().role.search(_PARENTHESES.sub("", message)))


def _split(joined: str) -> list[str]:
    return [part.strip() for part in joined.split(",") if part.strip()]


def _objects(row: Row) -> list[str]:
    return _split(row["recognizedObjects"])


def _sign(objects: str) -> str | None:
    """The sign of the recognised objects when they agree."""
    signs = {part[-1] for part in _split(objects)}
    return signs.pop() if len(signs) == 1 else None
