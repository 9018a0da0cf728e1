"""Plots of a study as SVG text; the same data give the same bytes."""

import io
from collections.abc import Mapping, Sequence

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bot.study.measures import LABELS

_BLUE, _GREY = "#3b6ea8", "#888888"


def stages(participants: pd.DataFrame) -> str:
    """How many participants are in each stage."""
    counts = participants["stage"].value_counts().sort_index()
    figure = Figure(figsize=(6.4, 0.6 + 0.35 * max(len(counts), 1)))
    axes = figure.subplots()
    axes.barh(list(counts.index), counts.to_numpy(), color=_BLUE)
    axes.set_xlabel("participants")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return _svg(figure)


def by_factor(table: pd.DataFrame, factor: str, measures: Sequence[str]) -> str:
    """Each measure by the levels of a factor: every participant as a point, the mean with its standard error."""
    figure = Figure(figsize=(3.1 * max(len(measures), 1), 3.2))
    panels = figure.subplots(1, max(len(measures), 1), squeeze=False)[0]
    levels = sorted(table[factor].dropna().unique(), key=str)
    for axes, measure in zip(panels, measures, strict=False):
        for place, level in enumerate(levels):
            values = table.loc[table[factor] == level, measure].dropna()
            axes.plot([place] * len(values), values, ".", color=_GREY, alpha=0.35)
            if len(values):
                error = values.sem() if len(values) > 1 else 0.0
                axes.errorbar(place, values.mean(), yerr=error, fmt="o", color=_BLUE, capsize=4)
        axes.set_xticks(range(len(levels)), [str(level) for level in levels])
        axes.set_xlim(-0.5, len(levels) - 0.5)
        axes.set_title(LABELS.get(measure, measure).split(":")[0], fontsize=9)
    return _svg(figure)


def effects(comparisons: pd.DataFrame) -> str:
    """Effect sizes with intervals, one line a comparison."""
    figure = Figure(figsize=(6.8, 0.8 + 0.3 * len(comparisons)))
    axes = figure.subplots()
    labels = [f"{row.measure}: {row.first} – {row.second}" for row in comparisons.itertuples()]
    centre = comparisons["hedges_g"].to_numpy()
    spread = [centre - comparisons["low"].to_numpy(), comparisons["high"].to_numpy() - centre]
    axes.errorbar(centre, range(len(labels)), xerr=spread, fmt="o", color=_BLUE, capsize=3)
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.axvline(0, color=_GREY, linewidth=0.8)
    axes.invert_yaxis()
    return _svg(figure)


def ranking(strengths: Mapping[str, Mapping[str, float]]) -> str:
    """Bradley-Terry strengths with intervals, best first."""
    names = list(strengths)
    figure = Figure(figsize=(6.4, 0.8 + 0.4 * len(names)))
    axes = figure.subplots()
    centre = [strengths[name]["strength"] for name in names]
    low = [value - strengths[name]["low"] for name, value in zip(names, centre, strict=True)]
    high = [strengths[name]["high"] - value for name, value in zip(names, centre, strict=True)]
    axes.errorbar(centre, range(len(names)), xerr=[low, high], fmt="o", color=_BLUE, capsize=4)
    axes.set_yticks(range(len(names)), names)
    axes.axvline(0, color=_GREY, linewidth=0.8)
    axes.invert_yaxis()
    return _svg(figure)


def _svg(figure: Figure) -> str:
    """The figure as an SVG element, without dates and random ids."""
    with mpl.rc_context({"svg.hashsalt": "converse", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.tight_layout()
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
