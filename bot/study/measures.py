"""Measures of a study, one row a participant and condition, from the tables that the store gives.

The measures are those of the ConveRSE studies (Iovine, Narducci and Semeraro 2020): accuracy over the shown items,
effort, and query density (Glass et al. 2000).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

KEYS = ["participant", "condition"]

LABELS = {
    "hit_rate": "hit rate: share of lists with a liked item",
    "precision_at_5": "precision@5: share of shown items that were liked",
    "map": "MAP: mean average precision over the lists",
    "ndcg": "nDCG over the lists",
    "messages": "messages",
    "questions": "questions that the bot asked",
    "interaction_s": "interaction time (s)",
    "seconds_per_question": "time per question (s)",
    "query_density": "query density: new concepts a message",
    "response_ms": "response time, median (ms)",
    "fallback_share": "share of messages not understood",
    "disambiguation_share": "share of preferences that needed a question",
}
"""Measure to its description, in the order of the report."""


@dataclass(frozen=True, slots=True)
class StudyTables:
    """Everything recorded in a study, pseudonymous.

    Attributes:
        participants: participant, cell, stage, finished, excluded, reason, language, started_at, finished_at,
            active_at.
        messages: participant, condition, received_at, answered_at, intent, events and objects (lists), domain,
            interaction_type.
        shown: participant, condition, domain, cycle, position, item, rating ("+", "-", "skip" or None).
        answers: participant, condition, questionnaire, item, value (position of the answer, from 1), right (of
            attention checks).
        votes: participant, first, second, choice, feedback, voted_at.
        conditions: participant, condition, order, and one column a factor.
    """

    participants: pd.DataFrame
    messages: pd.DataFrame
    shown: pd.DataFrame
    answers: pd.DataFrame
    votes: pd.DataFrame
    conditions: pd.DataFrame

    def included(self) -> "StudyTables":
        """Without excluded participants and those who did not finish."""
        kept = self.participants.loc[self.participants["finished"] & ~self.participants["excluded"], "participant"]

        def of(table: pd.DataFrame) -> pd.DataFrame:
            return table[table["participant"].isin(kept)].reset_index(drop=True)

        tables = (self.participants, self.messages, self.shown, self.answers, self.votes, self.conditions)
        return StudyTables(*map(of, tables))


def measures(tables: StudyTables) -> pd.DataFrame:
    """The measures with the factors, one row a participant and condition.

    Args:
        tables: of the participants to analyse.

    Returns:
        `participant`, `condition`, one column a factor, and one a measure; NaN where nothing can be said.
    """
    parts = [_accuracy(tables.shown), _effort(tables.messages)]
    made = tables.conditions
    for part in parts:
        made = made.merge(part, on=KEYS, how="left")
    return made


def _accuracy(shown: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for keys, part in shown.groupby(KEYS, sort=True):
        lists = [
            (one.sort_values("position")["rating"] == "+").to_numpy() for _, one in part.groupby(["domain", "cycle"])
        ]
        liked = np.concatenate(lists)
        rows.append(
            (
                *keys,
                float(np.mean([one.any() for one in lists])),
                float(liked.mean()),
                float(np.mean([average_precision(one) for one in lists])),
                float(np.mean([ndcg(one) for one in lists])),
            )
        )
    return pd.DataFrame(rows, columns=[*KEYS, "hit_rate", "precision_at_5", "map", "ndcg"])


def average_precision(liked: Sequence[bool] | np.ndarray) -> float:
    """Average precision of one list as shown; 0 when nothing was liked.

    Args:
        liked: one value an item, in the order of the list.
    """
    hits = np.asarray(liked, dtype=float)
    if not hits.any():
        return 0.0
    precision = hits.cumsum() / np.arange(1, len(hits) + 1)
    return float((precision * hits).sum() / hits.sum())


def ndcg(liked: Sequence[bool] | np.ndarray) -> float:
    """Normalised discounted cumulative gain of one list (Järvelin and Kekäläinen 2002); 0 when nothing was liked.

    Args:
        liked: one value an item, in the order of the list.
    """
    hits = np.asarray(liked, dtype=float)
    discount = 1 / np.log2(np.arange(2, len(hits) + 2))
    best = (np.sort(hits)[::-1] * discount).sum()
    return float((hits * discount).sum() / best) if best else 0.0


def _effort(messages: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for keys, part in messages.groupby(KEYS, sort=True):
        questions = int(part["events"].map(lambda events: "question" in events).sum())
        preferences = part[part["intent"] == "preference"]
        asked = int(preferences["events"].map(lambda events: "disambiguation" in events).sum())
        seconds = (part["answered_at"].max() - part["received_at"].min()).total_seconds()
        waits = (part["answered_at"] - part["received_at"]).dt.total_seconds() * 1000
        rows.append(
            (
                *keys,
                len(part),
                questions,
                seconds,
                seconds / questions if questions else np.nan,
                query_density(part["objects"].tolist()),
                float(waits.median()),
                float(part["intent"].str.contains("fallback", case=False).mean()),
                asked / len(preferences) if len(preferences) else np.nan,
            )
        )
    names = list(LABELS)[4:]
    return pd.DataFrame(rows, columns=[*KEYS, *names])


def query_density(objects: Sequence[Sequence[str]]) -> float:
    """Mean number of concepts a message that the conversation had not had before.

    Args:
        objects: the recognised objects of each message, in order.
    """
    known: set[str] = set()
    new = 0
    for names in objects:
        concepts = {name.rstrip("+-") for name in names}
        new += len(concepts - known)
        known |= concepts
    return new / len(objects) if objects else 0.0
