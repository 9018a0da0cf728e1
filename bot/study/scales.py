"""Scores of questionnaires: scales by construct, SUS, and Cronbach's alpha."""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pingouin

from bot.study.questionnaires import Questionnaire

_KEYS = ["participant", "condition"]


def wide(answers: pd.DataFrame, questionnaire: Questionnaire) -> pd.DataFrame:
    """The numeric answers to one questionnaire, one row a participant and condition, one column an item.

    Reversed items are turned round, so that more is more of the construct.

    Args:
        answers: participant, condition, questionnaire, item, value (from 1).
        questionnaire: which one.
    """
    likert = [item for item in questionnaire.items if questionnaire.scales[item.scale].kind == "likert"]
    part = answers[answers["questionnaire"] == questionnaire.name]
    table = part.pivot_table(index=_KEYS, columns="item", values="value", aggfunc="last")
    table = table.reindex(columns=[item.id for item in likert]).astype(float)
    for item in likert:
        if item.reverse:
            table[item.id] = questionnaire.scales[item.scale].size + 1 - table[item.id]
    return table


def scores(answers: pd.DataFrame, questionnaires: Mapping[str, Questionnaire]) -> pd.DataFrame:
    """One column a scale: `questionnaire.construct`, or `sus` from 0 to 100 (Brooke 1996).

    Args:
        answers: as in `wide`.
        questionnaires: those that the study asks.
    """
    columns: dict[str, pd.Series] = {}
    for name, questionnaire in questionnaires.items():
        if questionnaire.scoring == "none":
            continue
        table = wide(answers, questionnaire)
        if questionnaire.scoring == "sus":
            columns["sus"] = (table - 1).sum(axis=1, min_count=len(questionnaire.items)) * 2.5
            continue
        for construct, items in constructs(questionnaire).items():
            columns[f"{name}.{construct}"] = table[list(items)].mean(axis=1)
    return pd.DataFrame(columns).reset_index() if columns else pd.DataFrame(columns=_KEYS)


def constructs(questionnaire: Questionnaire) -> dict[str, tuple[str, ...]]:
    """Construct to the ids of its numeric items."""
    found: dict[str, list[str]] = {}
    for item in questionnaire.items:
        if item.measures and questionnaire.scales[item.scale].kind == "likert":
            found.setdefault(item.measures, []).append(item.id)
    return {name: tuple(items) for name, items in found.items()}


def reliability(answers: pd.DataFrame, questionnaire: Questionnaire) -> pd.DataFrame:
    """Cronbach's alpha with its 95 % interval for each construct of two items or more.

    Returns:
        `construct`, `items`, `n`, `alpha`, `low`, `high`; no row where it cannot be computed.
    """
    table = wide(answers, questionnaire)
    rows = []
    for construct, items in constructs(questionnaire).items():
        part = table[list(items)].dropna()
        if len(items) < 2 or len(part) < 3 or np.isclose(part.sum(axis=1).var(), 0):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            alpha, (low, high) = pingouin.cronbach_alpha(data=part)
        rows.append((construct, len(items), len(part), alpha, low, high))
    return pd.DataFrame(rows, columns=["construct", "items", "n", "alpha", "low", "high"])
