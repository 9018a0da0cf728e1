"""A small drawing of why an item is recommended: what was liked, what it shares with the item, the item."""

import io
from collections.abc import Sequence
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from recommender.sketch import Sketch

__all__ = ["draw"]

_STYLE = {"liked": "#cfe8cf", "value": "#eeeeee", "item": "#cfdcf0"}
_SETTINGS: Any = {"svg.hashsalt": "converse", "svg.fonttype": "none", "font.size": 9}
_PICTURE: Any = {"dpi": 120, "metadata": {"Software": None}, "pil_kwargs": {"compress_level": 3}}
_LETTER = 0.08
"""Inches, about."""
_GAP = 1.0
"""Inches between names of two columns."""
_LONGEST = 44
"""Characters of a name that are shown."""


def draw(sketch: Sketch, form: Literal["svg", "png"] = "svg") -> bytes:
    """The drawing as a file's content; the same sketch always gives the same bytes.

    Args:
        sketch: what to draw.
        form: of the file.
    """
    likes = list(dict.fromkeys(name for branch in sketch.branches for name in branch.liked))
    values = [f"{branch.property}: {branch.value}" for branch in sketch.branches]
    (left, middle, right), width = _columns(likes, values, [sketch.item])
    figure = Figure(figsize=(width, 1.0 + 0.6 * max(len(values), len(likes), 1)))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0.0, width)
    axes.set_ylim(0.0, 1.0)
    sides = {name: _height(place, len(likes)) for place, name in enumerate(likes)}
    for place, branch in enumerate(sketch.branches):
        height = _height(place, len(values))
        _join(axes, (middle, height), (right, 0.5), branch.weight)
        for name in branch.liked:
            _join(axes, (left, sides[name]), (middle, height), branch.weight)
        _box(axes, middle, height, values[place], "liked" if branch.own else "value")
    for name, height in sides.items():
        _box(axes, left, height, name, "liked")
    _box(axes, right, 0.5, sketch.item, "item")
    return _saved(figure, form)


def _saved(figure: Figure, form: str) -> bytes:
    content = io.BytesIO()
    with mpl.rc_context(_SETTINGS):
        figure.savefig(content, format=form, **(_PICTURE if form == "png" else {"metadata": {"Date": None}}))
    return content.getvalue()


def _columns(*names: Sequence[str]) -> tuple[list[float], float]:
    """The middles of columns that have room for their names, in inches, and the width of all."""
    middles, end = [], 0.0
    for column in names:
        room = _LETTER * min(_LONGEST, max(map(len, column), default=0))
        middles.append(end + _GAP / 2 + room / 2)
        end += room + _GAP
    return middles, end


def _height(place: int, count: int) -> float:
    return 1.0 - (place + 0.5) / count


def _box(axes: Axes, x: float, y: float, text: str, style: str) -> None:
    frame = {"boxstyle": "round", "facecolor": _STYLE[style], "edgecolor": "#888888"}
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    axes.text(
        x, y, short.replace("$", r"\$"), ha="center", va="center", color="#222222", bbox=frame, clip_on=False, zorder=2
    )


def _join(axes: Axes, one: tuple[float, float], other: tuple[float, float], weight: float) -> None:
    axes.plot([one[0], other[0]], [one[1], other[1]], color="#888888", linewidth=0.8 + 4.0 * weight, zorder=1)
