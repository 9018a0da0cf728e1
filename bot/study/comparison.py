"""Comparisons between the levels of a factor: the right test, effect sizes with intervals, corrected p values."""

import itertools
import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pingouin

COLUMNS = [
    "factor", "measure", "first", "second", "n_first", "n_second", "mean_first", "mean_second", "test", "p", "p_ranks",
    "hedges_g", "low", "high", "p_holm",
]  # fmt: skip


def compare(table: pd.DataFrame, factor: str, measures: Sequence[str], *, paired: bool) -> pd.DataFrame:
    """Compares each measure between each two levels of a factor.

    Welch's t test between subjects, the paired t test within; beside it the test by ranks (Mann-Whitney, Wilcoxon), for
    which values need no normal distribution; Hedges' g with its 95 % interval; the p values of the t tests corrected by
    Holm over all measures and pairs of the factor. Cells of other factors are averaged within a participant.

    Args:
        table: one row a participant and condition with the factor and the measures.
        factor: its column.
        measures: columns to compare.
        paired: whether each participant had all levels.

    Returns:
        One row a measure and pair, with the columns COLUMNS; pairs with fewer than two values on a side, or without
        any variation, are left out.
    """
    levels = sorted(table[factor].dropna().unique(), key=str)
    rows = []
    for measure, (first, second) in itertools.product(measures, itertools.combinations(levels, 2)):
        one, two = _values(table, factor, measure, first, second, paired=paired)
        row = _row(one, two, paired=paired)
        if row is not None:
            rows.append((factor, measure, first, second, *row))
    made = pd.DataFrame(rows, columns=COLUMNS[:-1])
    made["p_holm"] = pingouin.multicomp(made["p"].to_numpy(), method="holm")[1] if len(made) else []
    return made


def _values(
    table: pd.DataFrame, factor: str, measure: str, first: object, second: object, *, paired: bool
) -> tuple[np.ndarray, np.ndarray]:
    means = table.groupby(["participant", factor])[measure].mean().unstack(factor)
    if paired:
        means = means[[first, second]].dropna()
    return means[first].dropna().to_numpy(), means[second].dropna().to_numpy()


def _row(one: np.ndarray, two: np.ndarray, *, paired: bool) -> tuple[object, ...] | None:
    if min(len(one), len(two)) < 2:
        return None
    compared = [one - two] if paired else [one, two]
    if np.isclose(np.concatenate([values - values.mean() for values in compared]), 0).all():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tested = pingouin.ttest(one, two, paired=paired, correction=not paired)
        ranked = pingouin.wilcoxon(one, two) if paired else pingouin.mwu(one, two)
        effect = float(pingouin.compute_effsize(one, two, paired=paired, eftype="hedges"))
        low, high = pingouin.compute_esci(effect, len(one), len(two), paired=paired, eftype="hedges", decimals=4)
    p = float(tested["p_val"].iloc[0])
    name = "paired t" if paired else "Welch t"
    return (
        len(one),
        len(two),
        one.mean(),
        two.mean(),
        name,
        p,
        float(ranked["p_val"].iloc[0]),
        effect,
        float(low),
        float(high),
    )
