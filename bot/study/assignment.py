"""Who gets which condition: seeded block randomisation between subjects, a balanced Latin square within."""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from bot.study.config import StudyConfig

Level = str | bool


@dataclass(frozen=True, slots=True)
class Condition:
    """One cell of the design: factor to level, in the order of the study's file."""

    levels: tuple[tuple[str, Level], ...] = ()

    @property
    def label(self) -> str:
        """For logs and tables: "mode=nl, domain=book"."""
        return ", ".join(f"{name}={_shown(level)}" for name, level in self.levels)

    def get(self, factor: str, otherwise: Level | None = None) -> Level | None:
        """The level of a factor, or `otherwise` when the design does not vary it."""
        return dict(self.levels).get(factor, otherwise)


def _shown(level: Level) -> str:
    return {True: "on", False: "off"}.get(level, str(level)) if isinstance(level, bool) else level


def between_cells(study: StudyConfig) -> tuple[Condition, ...]:
    """All combinations of the between-subjects factors; one empty condition when there are none."""
    return _cells(study, "between")


def within_cells(study: StudyConfig) -> tuple[Condition, ...]:
    """All combinations of the within-subjects factors; one empty condition when there are none."""
    return _cells(study, "within")


def _cells(study: StudyConfig, design: str) -> tuple[Condition, ...]:
    chosen = [(name, factor.levels) for name, factor in study.factors.items() if factor.design == design]
    names = [name for name, _ in chosen]
    return tuple(
        Condition(tuple(zip(names, levels, strict=True))) for levels in itertools.product(*(part for _, part in chosen))
    )


def balanced_square(size: int) -> tuple[tuple[int, ...], ...]:
    """Rows of positions in which each condition stands once in every place and follows every other equally often.

    A Williams design (Williams 1949): `size` rows for an even number, twice as many for an odd one.
    """
    first = [0]
    low, high = 1, size - 1
    while len(first) < size:
        first.append(low if len(first) % 2 else high)
        low, high = (low + 1, high) if len(first) % 2 == 0 else (low, high - 1)
    rows = [tuple((place + shift) % size for place in first) for shift in range(size)]
    if size % 2 and size > 1:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class Plan:
    """What one participant goes through: the conditions in order, each with both kinds of factors.

    Attributes:
        cell: the between-subjects condition.
        sequence: number of the row of the Latin square.
    """

    cell: Condition
    sequence: int
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """One assignment that counts for the balance: of a participant who finished or still takes part."""

    cell: str
    sequence: int


def assign(study: StudyConfig, taken: Iterable[Taken], number: int) -> Plan:
    """The plan of the next participant.

    Block randomisation: cells come in blocks that hold each cell equally often, in a random order fixed by the seed.
    Drop-outs leave the counts uneven; then only the cells with the fewest assignments are drawn from, so that those who
    follow restore the balance. Sequences of the Latin square are balanced within each cell the same way.

    Args:
        study: the design.
        taken: assignments that count (those of drop-outs and excluded participants do not).
        number: how many participants came before, whatever became of them; picks the place in the random order.

    Returns:
        The plan; the same arguments always give the same one.
    """
    counted = list(taken)
    cells = between_cells(study)
    cell = cells[_next([cell.label for cell in cells], [one.cell for one in counted], study, number, "cell")]
    within = within_cells(study)
    square = balanced_square(len(within))
    of_cell = [str(one.sequence) for one in counted if one.cell == cell.label]
    sequence = _next([str(row) for row in range(len(square))], of_cell, study, number, cell.label)
    conditions = tuple(Condition(cell.levels + within[place].levels) for place in square[sequence])
    return Plan(cell, sequence, conditions)


def _next(labels: Sequence[str], taken: Sequence[str], study: StudyConfig, number: int, purpose: str) -> int:
    """Position of the label that comes next."""
    counts: Mapping[str, int] = Counter(taken)
    repeats = study.assignment.repeats
    least = min(counts[label] for label in labels)
    ceiling = (least // repeats + 1) * repeats
    open_labels = [place for place, label in enumerate(labels) if counts[label] < ceiling]
    if repeats == 1:
        open_labels = [place for place, label in enumerate(labels) if counts[label] == least]
    draw = Random(f"{study.assignment.seed}/{study.name}/{purpose}/{number}")
    return draw.choice(open_labels)
