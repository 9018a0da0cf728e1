"""A small drawing of why an item is recommended: what was liked, what it shares with the item, the item."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from data.errors import StorageError
from data.model import PropertyId, Qid
from recommender.model import Reason

__all__ = ["draw_reasons"]

_ROWS = 8
_STYLE = {"liked": "#cfe8cf", "value": "#eeeeee", "item": "#cfdcf0"}
_SETTINGS: Any = {"svg.hashsalt": "converse", "svg.fonttype": "none", "font.size": 9}


def draw_reasons(
    path: Path,
    item: Qid,
    reasons: Sequence[Reason],
    label: Callable[[Qid], str],
    property_label: Callable[[PropertyId], str],
) -> None:
    """Writes the drawing; the format follows the file's ending (SVG, PNG, PDF).

    Args:
        path: file to write.
        item: the recommended item.
        reasons: for it; the strongest eight with a value are drawn.
        label: name of an entity.
        property_label: name of a property.

    Raises:
        StorageError: the file cannot be written, or its ending names no known format.
    """
    told = [reason for reason in reasons if reason.kind in ("shared", "liked")][:_ROWS]
    likes = list(dict.fromkeys(qid for reason in told for qid in reason.liked))
    figure = Figure(figsize=(9.0, 1.0 + 0.6 * max(len(told), len(likes), 1)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-0.4, 2.4)
    rows = {reason.value: _height(place, len(told)) for place, reason in enumerate(told)}
    sides = {qid: _height(place, len(likes)) for place, qid in enumerate(likes)}
    for reason in told:
        _join(axes, (1.0, rows[reason.value]), (2.0, 0.5), reason.weight, property_label(reason.property or ""))
        for qid in reason.liked:
            _join(axes, (0.0, sides[qid]), (1.0, rows[reason.value]), reason.weight)
        style = "liked" if reason.kind == "liked" else "value"
        _box(axes, 1.0, rows[reason.value], label(reason.value or ""), style)
    for qid, height in sides.items():
        _box(axes, 0.0, height, label(qid), "liked")
    _box(axes, 2.0, 0.5, label(item), "item")
    _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    try:
        with mpl.rc_context(_SETTINGS):
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} cannot be written ({error}); choose another file ending in .svg.") from error


def _height(place: int, count: int) -> float:
    return 1.0 - (place + 0.5) / count


def _box(axes: Axes, x: float, y: float, text: str, style: str) -> None:
    frame = {"boxstyle": "round", "facecolor": _STYLE[style], "edgecolor": "#888888"}
    short = text if len(text) <= 34 else text[:33] + "…"
    axes.text(x, y, short.replace("$", r"\$"), ha="center", va="center", bbox=frame, zorder=2)


def _join(axes: Axes, one: tuple[float, float], other: tuple[float, float], weight: float, name: str = "") -> None:
    axes.plot([one[0], other[0]], [one[1], other[1]], color="#888888", linewidth=0.8 + 4.0 * weight, zorder=1)
    if name:
        axes.text(1.5, (one[1] + other[1]) / 2, name, ha="center", va="center", fontsize=7, color="#444444", zorder=3)
