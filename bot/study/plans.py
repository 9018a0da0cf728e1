"""The plan of a participant, rebuilt from what is stored of them."""

from bot.study.assignment import Condition, Plan, balanced_square, between_cells, within_cells
from bot.study.config import StudyConfig
from bot.study.store import Participant


def plan_of(study: StudyConfig, participant: Participant) -> Plan:
    """The conditions a participant goes through, in their order.

    A cell that the study no longer has (its file was changed) is replaced by the first one.
    """
    cells = {cell.label: cell for cell in between_cells(study)}
    cell = cells.get(participant.cell) or next(iter(cells.values()))
    within = within_cells(study)
    square = balanced_square(len(within))
    order = square[participant.sequence % len(square)]
    return Plan(cell, participant.sequence, tuple(Condition(cell.levels + within[place].levels) for place in order))
