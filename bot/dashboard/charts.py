"""Charts as values: templates draw them as SVG in the page's own colours, with the numbers as text beside them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from bot.study.figures import WAITS_MS, Figures
from bot.study.population import STATES, Journey, Person

WIDTH = 100.0
_MOST_DAYS = 60
_FULL_SHARE = 250
"""Thousandths at which a bar of shares is full, unless one is larger."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bar: `kind` names its colour, `start` and `width` are hundredths of the chart's width."""

    kind: str
    start: float
    width: float
    value: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a chart: its name, its pieces, and what stands behind it."""

    label: str
    segments: tuple[Segment, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a chart over time or classes; heights are hundredths."""

    label: str
    start: float
    width: float
    segments: tuple[Segment, ...]
    text: str


def bars(rows: Sequence[tuple[str, Mapping[str, int], str]], most: float | None = None) -> tuple[Bar, ...]:
    """Stacked bars.

    Args:
        rows: name, kind to value, and text of each bar.
        most: value of the full width; the largest bar when not given.
    """
    top = most or max((sum(values.values()) for _, values, _ in rows), default=0) or 1
    made = []
    for label, values, text in rows:
        start, segments = 0.0, []
        for kind, value in values.items():
            width = WIDTH * value / top
            segments.append(Segment(kind, round(start, 2), round(width, 2), value))
            start += width
        made.append(Bar(label, tuple(segments), text))
    return tuple(made)


def columns(rows: Sequence[tuple[str, Mapping[str, int]]]) -> tuple[Column, ...]:
    """Stacked columns, the first piece at the bottom."""
    top = max((sum(values.values()) for _, values in rows), default=0) or 1
    step = WIDTH / max(len(rows), 1)
    made = []
    for place, (label, values) in enumerate(rows):
        floor, segments = WIDTH, []
        for kind, value in values.items():
            height = WIDTH * value / top
            floor -= height
            segments.append(Segment(kind, round(floor, 2), round(height, 2), value))
        text = ", ".join(f"{value} {kind}" for kind, value in values.items())
        made.append(Column(label, round(place * step + step * 0.1, 2), round(step * 0.8, 2), tuple(segments), text))
    return tuple(made)


def by_condition(people: Sequence[Person], journey: Journey) -> tuple[Bar, ...]:
    """Participants by between-subjects condition and state."""
    counts = Counter((person.cell, person.state) for person in people)
    rows = []
    for cell in journey.cells:
        values: dict[str, int] = {state: counts[cell, state] for state in STATES}
        rows.append((cell or "everybody", values, str(sum(values.values()))))
    return bars(rows)


def by_stage(people: Sequence[Person], journey: Journey) -> tuple[Bar, ...]:
    """How many came to each stage, and how many of them are still there or stopped there: where people drop out."""
    rows = []
    counted = [person for person in people if person.state != "excluded"]
    last = len(journey.stages) - 1
    for place, name in enumerate(journey.stages):
        here = [person for person in counted if min(person.stage, last) == place]
        beyond = sum(1 for person in counted if person.stage > place)
        finished = len(here) if place == last else 0
        values = {
            "finished": beyond + finished,
            "active": sum(1 for person in here if person.state == "active"),
            "dropped": sum(1 for person in here if person.state == "dropped"),
        }
        rows.append((name, values, str(sum(values.values()))))
    return bars(rows, most=max(len(counted), 1))


def by_day(people: Sequence[Person]) -> tuple[Column, ...]:
    """Who joined on each day, the days in between included: those who finished, and the others."""
    days = [person.started_at.date() for person in people]
    if not days:
        return ()
    first = max(min(days), max(days) - timedelta(days=_MOST_DAYS - 1))
    counts: Counter[tuple[date, str]] = Counter(
        (person.started_at.date(), "finished" if person.state == "finished" else "active") for person in people
    )
    span = [first + timedelta(days=place) for place in range((max(days) - first).days + 1)]
    return columns([(f"{day:%d %b %Y}", {kind: counts[day, kind] for kind in ("finished", "active")}) for day in span])


@dataclass(frozen=True, slots=True)
class Asked:
    """How far one questionnaire has come: participants who are through, and who are at it; answers given in all."""

    name: str
    stage: str
    through: int
    at_it: int
    answers: int


def progress(people: Sequence[Person], journey: Journey, answers: Mapping[str, int]) -> tuple[Asked, ...]:
    """The questionnaires of a study in their order."""
    made = []
    for place, (step, stage) in enumerate(zip(journey.steps, journey.stages, strict=True)):
        if step.kind == "questionnaire":
            through = sum(1 for person in people if person.stage > place)
            at_it = sum(1 for person in people if person.stage == place and person.state == "active")
            made.append(Asked(step.name, stage, through, at_it, answers.get(step.name, 0)))
    return tuple(made)


def misunderstood(found: Figures) -> tuple[Bar, ...]:
    """The share of messages not understood, by condition."""
    return _shares("dropped", [(talk.condition, talk.fallbacks, talk.messages) for talk in found.talks])


def asked_back(found: Figures) -> tuple[Bar, ...]:
    """The share of preferences that needed a question, by condition."""
    return _shares("active", [(talk.condition, talk.asked, talk.preferences) for talk in found.talks])


def _shares(kind: str, counts: Sequence[tuple[str, int, int]]) -> tuple[Bar, ...]:
    shares = [(label, part / whole if whole else 0.0) for label, part, whole in counts]
    rows = [(label or "everybody", {kind: round(1000 * share)}, f"{share:.1%}") for label, share in shares]
    return bars(rows, most=max([_FULL_SHARE, *(1000 * share for _, share in shares)]))


def waits(found: Figures) -> tuple[Column, ...]:
    """Response times in classes."""
    if found.waits is None:
        return ()
    names = [f"up to {limit} ms" for limit in WAITS_MS] + [f"over {WAITS_MS[-1]} ms"]
    return columns([(name, {"active": count}) for name, count in zip(names, found.waits.classes, strict=True)])


def items(found: Figures, names: Mapping[str, str]) -> tuple[Bar, ...]:
    """The items shown most often, and what people said of them."""
    rows = []
    for item in found.items:
        open_ones = max(item.shown - item.liked - item.disliked - item.skipped, 0)
        values = {"finished": item.liked, "dropped": item.disliked, "excluded": item.skipped, "open": open_ones}
        rows.append((names[item.qid], values, str(item.shown)))
    return bars(rows)
