"""How a running study is doing."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.study.config import StudyConfig
from bot.study.figures import Figures, figures
from bot.study.population import Filter, Person, by_state, journey_of, population
from bot.study.store import StudyStore

SLOW_MS = 2000.0
MISUNDERSTOOD = 0.15
UNEVEN = 2
SILENT = timedelta(minutes=30)


async def study_status(store: StudyStore, study: StudyConfig) -> dict[str, Any]:
    """Participants by condition and stage, drop-outs, what the conversations are like, and alerts.

    Args:
        store: of the study.
        study: its design.
    """
    people = await population(store, study, Filter())
    found = await figures(store, study, Filter(), people)
    states = by_state(people)
    stages = journey_of(study).stages
    places = Counter(min(person.stage, len(stages) - 1) for person in people)
    return {
        "study": study.name,
        "title": study.title,
        "status": await store.status(),
        "participants": len(people),
        "finished": states["finished"],
        "active": states["active"],
        "dropped_out": states["dropped"],
        "excluded": states["excluded"],
        "by_cell": dict(sorted(Counter(person.cell for person in people).items())),
        "by_stage": {stages[place]: places[place] for place in sorted(places)},
        "conversation": _conversation(found),
        "answers": dict(sorted(found.answers.items())),
        "alerts": alerts(found, people, store.sql.now()),
    }


def _conversation(found: Figures) -> dict[str, Any]:
    """What the conversations are like, over all participants."""
    if found.waits is None:
        return {"messages": 0}
    return {
        "messages": found.messages,
        "response_ms_median": round(found.waits.median, 1),
        "response_ms_p95": round(found.waits.p95, 1),
        "fallback_share": _rounded(found.share("fallbacks", "messages")),
        "disambiguation_share": _rounded(found.share("asked", "preferences")),
        "items_shown": found.shown,
        "items_liked_share": round(found.liked / found.rated, 3) if found.rated else None,
    }


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 3)


def alerts(found: Figures, people: Sequence[Person], now: datetime) -> list[str]:
    """What a researcher should look at.

    Args:
        found: what was counted.
        people: the participants.
        now: the present moment.
    """
    made = []
    if found.waits is not None and found.waits.p95 > SLOW_MS:
        made.append(f"answers are slow: one in twenty takes longer than {found.waits.p95:.0f} ms")
    if (found.share("fallbacks", "messages") or 0) > MISUNDERSTOOD:
        made.append(f"{found.share('fallbacks', 'messages'):.0%} of the messages were not understood")
    excluded = {person.number for person in people if person.state == "excluded"}
    if failed := [str(number) for number in found.failed_checks if number not in excluded]:
        made.append(f"attention checks failed by participants {', '.join(failed)}")
    counts = Counter(person.cell for person in people if person.state in {"finished", "active"})
    if counts and max(counts.values()) - min(counts.values()) > UNEVEN:
        made.append("the cells are uneven; those who follow will restore the balance")
    if silent := sum(1 for person in people if person.state == "active" and person.active_at < now - SILENT):
        made.append(f"{silent} unfinished participants have been silent for half an hour")
    return made
