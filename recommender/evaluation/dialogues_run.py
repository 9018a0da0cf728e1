"""The measure on recommendation dialogues: ReDial, and the turns that GPT-4 was measured on."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recommender.evaluation.context import EXPERTS, ContextModel, fit_context_model
from recommender.evaluation.conversations import Turn, read_knowledge, read_test_turns, read_training
from recommender.evaluation.metrics import bootstrap, recalls
from recommender.evaluation.zero_shot import ZeroShot, read_zero_shot

__all__ = ["evaluate_redial", "evaluate_zero_shot"]

Progress = Callable[[str], None]

_CUTS = (1, 10, 50)
_PUBLISHED = {
    "KBRD (published)": (0.030, 0.164, 0.338),
    "KGSF (published)": (0.039, 0.183, 0.378),
    "UniCRS (published)": (0.051, 0.224, 0.428),
}
"""Recall of systems that were trained on 10,000 dialogues."""


def evaluate_redial(folder: Path, progress: Progress) -> dict[str, Any]:
    """Recall on ReDial's test turns after training on the 1,000 validation dialogues.

    Args:
        folder: the folder `redial-eval`.
        progress: takes a line about each step.

    Raises:
        MissingFileError: a file is missing.
        DataError: a file has another form.
    """
    graph = read_knowledge(folder)
    dialogues = read_training(folder / "valid.jsonl", graph)
    turns = read_test_turns(folder / "test_data_processed.jsonl", graph)
    model, weights = fit_context_model(graph, dialogues, progress)
    progress("ranking the test turns")
    outcome = _measure(model, turns, _ways(weights), frozenset())
    document = _document("redial", outcome, turns)
    document["weights"] = dict(zip(EXPERTS, np.round(weights, 4).tolist(), strict=True))
    document["peers"] |= {name: _named(values) for name, values in _PUBLISHED.items()}
    return document


def evaluate_zero_shot(folder: Path, training: Path, name: str, progress: Progress) -> dict[str, Any]:
    """Recall on the turns of He et al. 2023, beside GPT-4 and GPT-3.5 on the same turns.

    Args:
        folder: the folder `llm-zero-shot`.
        training: the folder `redial-eval`, whose 1,000 dialogues and graph are what is trained on.
        name: "redial" or "inspired".
        progress: takes a line about each step.

    Raises:
        MissingFileError: a file is missing.
        DataError: a file has another form.
    """
    graph = read_knowledge(training)
    dialogues = read_training(training / "valid.jsonl", graph)
    data = read_zero_shot(folder / name, graph)
    model, weights = fit_context_model(graph, dialogues, progress)
    progress("ranking the test turns")
    outcome = _measure(model, data.turns, _ways(weights), data.outside(graph))
    document = _document("llm-redial" if name == "redial" else name, outcome, data.turns)
    document |= {"targets_in_graph": data.covered(), "items_in_graph": len(data.items)}
    document["peers"] |= _language_models(data)
    return document


def _ways(weights: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The experts' weights: ours, and parts of it alone."""
    mentioned = np.array([-1e3 * (name == "mentioned") for name in EXPERTS], dtype=np.float64)

    def alone(*names: str) -> NDArray[np.float64]:
        return np.array([float(name in names) for name in EXPERTS], dtype=np.float64) + mentioned

    return {
        "ours": weights,
        "popularity": alone("recommended"),
        "walk from films": alone("films"),
        "walk from films, with popularity": alone("films", "recommended"),
        "walks without words": weights * (np.array(EXPERTS) != "words"),
    }


Outcome = dict[str, NDArray[np.float64]]
"""By way one row a target: recall@1, @10, @50, then the same with what was mentioned left out (NaN for a repeat)."""


def _measure(
    model: ContextModel, turns: Sequence[Turn], ways: Mapping[str, NDArray[np.float64]], outside: frozenset[int]
) -> Outcome:
    barred = [place for item in outside if (place := model.place(item)) is not None]
    rows: dict[str, list[list[float]]] = {name: [] for name in ways}
    for turn in turns:
        features = model.features(turn)
        mentioned = [place for item in turn.mentioned if (place := model.place(item)) is not None]
        places = [None if item is None else model.place(item) for item in turn.targets]
        for name, weights in ways.items():
            scores: NDArray[np.float64] = weights @ features
            scores[barred] = -np.inf
            fresh = scores.copy()
            fresh[mentioned] = -np.inf
            rows[name] += [_both(place, scores, fresh, mentioned) for place in places]
    return {name: np.array(found) for name, found in rows.items()}


def _both(
    place: int | None, scores: NDArray[np.float64], fresh: NDArray[np.float64], mentioned: Sequence[int]
) -> list[float]:
    if place is None or not np.isfinite(scores[place]):
        return [0.0] * (2 * len(_CUTS))
    new = [float("nan")] * len(_CUTS) if place in mentioned else recalls(fresh[place], fresh, _CUTS)
    return recalls(scores[place], scores, _CUTS) + new


def _document(dataset: str, outcome: Outcome, turns: Sequence[Turn]) -> dict[str, Any]:
    owners = [turn.dialogue for turn in turns for _ in turn.targets]
    means = {name: found[:, : len(_CUTS)].mean(axis=0) for name, found in outcome.items()}
    new = {name: np.nanmean(found[:, len(_CUTS) :], axis=0) for name, found in outcome.items()}
    return {
        "dataset": dataset,
        "n": len(owners),
        "turns": len(turns),
        "dialogues": len(set(owners)),
        "ours": _named(means["ours"]),
        "new_targets": {"n": int(np.isfinite(outcome["ours"][:, -1]).sum()), **_named(new["ours"])},
        "peers": {name: _named(found) for name, found in means.items() if name != "ours"},
        "peers_new_targets": {name: _named(found) for name, found in new.items() if name != "ours"},
        "intervals": {f"recall@{cut}": _interval(outcome["ours"][:, place], owners) for place, cut in enumerate(_CUTS)},
    }


def _interval(values: NDArray[np.float64], owners: Sequence[str]) -> tuple[float, float]:
    """Interval over dialogues drawn with replacement."""
    sums, counts = Counter[str](), Counter(owners)
    for owner, value in zip(owners, values.tolist(), strict=True):
        sums[owner] += value
    rows = np.array([(sums[owner], count) for owner, count in counts.items()])
    return bootstrap(rows, lambda sample: float(sample[:, 0].sum() / sample[:, 1].sum()))


def _named(values: Sequence[float] | NDArray[np.float64]) -> dict[str, float]:
    return {f"recall@{cut}": round(float(value), 4) for cut, value in zip(_CUTS, values, strict=True)}


def _language_models(data: ZeroShot) -> dict[str, Mapping[str, float]]:
    """What the summaries that come with the turns say of the language models."""
    return {f"{name} ({row})": values for name, rows in data.summaries.items() for row, values in rows.items()}
