"""How far our reading of a row agrees with the recorded one."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from bot.replay.rows import Row, names, objects, text_of

__all__ = ["Agreement", "Disagreement", "Ours", "compared"]

_ASKING = {"question", "disambiguation"}


@dataclass(frozen=True, slots=True)
class Ours:
    """What the bot made of a row."""

    intent: str
    contexts: frozenset[str]
    events: frozenset[str]
    objects: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One field of one row in which we differ."""

    field: str
    file: str
    trusted: bool
    message: str
    recorded: str
    ours: str


@dataclass(slots=True)
class Agreement:
    """Counts over rows; `right` and `rows` by field."""

    n: int = 0
    right: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)

    def add(self, results: dict[str, bool]) -> None:
        """Counts one row."""
        self.n += 1
        self.rows.update(results.keys())
        self.right.update(name for name, agrees in results.items() if agrees)

    def share(self, name: str) -> float | None:
        """Share of the rows that have this field in which it agrees."""
        return round(self.right[name] / self.rows[name], 4) if self.rows[name] else None

    def document(self) -> dict[str, float | int | None]:
        """The documented JSON form."""
        return {"n": self.n, **{name: self.share(name) for name in ("intent", "events", "contexts", "objects")}}


def compared(row: Row, ours: Ours, known: Collection[str]) -> dict[str, tuple[str, str, bool]]:
    """Field to the recorded value, ours, and whether they agree.

    Args:
        row: the published row.
        ours: what the bot made of it.
        known: entities in the catalogue; objects are compared where a recorded one is among them.
    """
    intent = str(row["intent"])
    left_out = _ASKING if intent.startswith("preference") else set()
    recorded = {
        "intent": ({intent}, {ours.intent}),
        "contexts": (names(row, "contexts"), ours.contexts),
        "events": (names(row, "events") - left_out, ours.events - left_out),
    }
    result = {name: (_shown(theirs), _shown(our), theirs == our) for name, (theirs, our) in recorded.items()}
    theirs = {found for found in objects(row) if found[0] in known}
    if theirs:
        text = [_shown("".join(found) for found in side) for side in (theirs, ours.objects)]
        result["objects"] = (text[0], text[1], theirs <= ours.objects)
    return result


def _shown(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))


def disagreements(file: str, row: Row, fields: dict[str, tuple[str, str, bool]]) -> Iterable[Disagreement]:
    """The fields of a row that differ."""
    for name, (recorded, ours, agrees) in fields.items():
        if not agrees:
            yield Disagreement(name, file, not row["toCheck"], text_of(row), recorded, ours)
