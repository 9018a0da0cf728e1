"""How well intents are recognised on released conversations: the real pipeline, users disjoint, labels as published."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.dialogue.labels import COARSE_INTENTS, coarse_intent, exact_intent
from bot.dialogue.published import PublishedState, answers_options, conversations, states_before
from data.formats.rows import RowsFile
from nlu.intents.text import normalize
from nlu.intents.training import Job
from nlu.intents.training_set import Example, released_examples

__all__ = ["Case", "Classifier", "Outcome", "evaluate_folds", "evaluate_split", "figures", "read_cases"]

FOLDS: Final = 5
SEED: Final = 7

Classifier = Callable[[Iterable[Job]], Iterator[list[tuple[str, float]]]]
"""Trains for each job and classifies its texts: `nlu.intents.training.classify`."""


@dataclass(frozen=True, slots=True)
class Case:
    """One published row with what its label may depend on.

    Attributes:
        user: file and user id; ids restart in each file.
        text: normalised message.
        exact: published label, never mended.
        coarse: what that label stands for.
        trusted: whether the task it belongs to was completed (toCheck false).
        row: as published.
    """

    user: tuple[str, str]
    domain: str
    state: PublishedState
    text: str
    exact: str
    coarse: str
    trusted: bool
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case with what was recognised.

    Attributes:
        seen: whether the model learnt from this very text.
    """

    case: Case
    coarse: str
    exact: str
    confidence: float
    seen: bool


def read_cases(files: Iterable[RowsFile]) -> list[Case]:
    """Every row of the files with the state before it, derived from that user's earlier rows."""
    return [
        _case(file, user, state, row)
        for file in files
        for user, rows in conversations(file.rows).items()
        for state, row in states_before(rows)
    ]


def _case(file: RowsFile, user: str, state: PublishedState, row: Mapping[str, Any]) -> Case:
    text, exact = normalize(str(row["message"])), str(row["intent"])
    return Case(
        user=(str(file.path), user),
        domain=file.domain,
        state=state,
        text=text,
        exact=exact,
        coarse=coarse_intent(exact, text),
        trusted=not row["toCheck"],
        row=row,
    )


def evaluate_folds(
    cases: Sequence[Case], own: Sequence[Example], classify: Classifier, progress: Callable[[str], None]
) -> list[Outcome]:
    """Cross-validation in which all rows of a user are in one fold.

    Args:
        cases: at least one of each of five users.
        own: our own sentences, part of every training set.
        classify: trains and classifies.
        progress: told before each fold.
    """
    users = sorted({case.user for case in cases})
    random.Random(SEED).shuffle(users)
    fold_of = {user: number % FOLDS for number, user in enumerate(users)}
    splits = [
        ([case for case in cases if fold_of[case.user] != fold], [case for case in cases if fold_of[case.user] == fold])
        for fold in range(min(FOLDS, len(users)))
    ]
    return _run(splits, own, classify, progress)


def evaluate_split(
    train: Sequence[Case],
    test: Sequence[Case],
    own: Sequence[Example],
    classify: Classifier,
    progress: Callable[[str], None],
) -> list[Outcome]:
    """Trains on all of `train` (and our own sentences) and classifies all of `test`."""
    return _run([(train, test)], own, classify, progress)


def _run(
    splits: Sequence[tuple[Sequence[Case], Sequence[Case]]],
    own: Sequence[Example],
    classify: Classifier,
    progress: Callable[[str], None],
) -> list[Outcome]:
    examples = [[*released_examples(case.row for case in train), *own] for train, _ in splits]
    jobs = (
        Job(learnt, [case.text or "?" for case in test]) for learnt, (_, test) in zip(examples, splits, strict=True)
    )
    outcomes: list[Outcome] = []
    progress(f"Training and classifying, 1 of {len(splits)}")
    for number, (learnt, (_, test), found) in enumerate(zip(examples, splits, classify(jobs), strict=True), start=1):
        texts = {example.text.casefold() for example in learnt}
        outcomes += [_outcome(case, *best, texts) for case, best in zip(test, found, strict=True)]
        if number < len(splits):
            progress(f"Training and classifying, {number + 1} of {len(splits)}")
    return outcomes


def _outcome(case: Case, coarse: str, confidence: float, learnt: set[str]) -> Outcome:
    state = case.state
    exact = exact_intent(
        coarse,
        state.phase,
        question=state.question,
        answers=answers_options(state, case.text, domain=case.domain),
        reset=state.reset,
        text=case.text,
    )
    return Outcome(case, coarse, exact, confidence, case.text.casefold() in learnt)


def figures(outcomes: Sequence[Outcome], split: str) -> dict[str, Any]:
    """Accuracy and macro-F1, as `converse evaluate intents --json` prints them.

    Args:
        outcomes: of all test rows.
        split: how training and test rows were parted.

    Returns:
        Exact labels on trusted rows, on those whose text was not learnt from, on all rows but fallbacks, by domain
        (trusted) and on all rows. "coarse" has the same for coarse intents; its accuracy is over trusted rows, its
        macro-F1 over the intents of all rows but fallbacks (trusted rows hardly have the rare ones).
    """
    groups = _groups(outcomes)
    coarse = {name: _coarse(group) for name, group in groups.items() if name != "all"}
    exact = {name: _exact(group) for name, group in groups.items()}
    domains = sorted({outcome.case.domain for outcome in outcomes})
    return {
        "trusted": exact["trusted"],
        "unseen": exact["unseen"],
        "all_but_fallback": exact["all_but_fallback"],
        "all": exact["all"],
        "coarse": {**coarse["trusted"], "macro_f1": coarse["all_but_fallback"]["macro_f1"], **coarse},
        "by_domain": {name: _exact([one for one in groups["trusted"] if one.case.domain == name]) for name in domains},
        "by_coarse_intent": _by_intent(groups["all_but_fallback"]),
        "confusions": _confusions(groups["all_but_fallback"]),
        "split": split,
    }


def _groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    trusted = [outcome for outcome in outcomes if outcome.case.trusted]
    return {
        "trusted": trusted,
        "unseen": [outcome for outcome in trusted if not outcome.seen],
        "all_but_fallback": [outcome for outcome in outcomes if outcome.case.coarse != "fallback"],
        "all": list(outcomes),
    }


def _exact(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return _scores([(outcome.case.exact, outcome.exact) for outcome in outcomes])


def _coarse(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return _scores([(outcome.case.coarse, outcome.coarse) for outcome in outcomes])


def _scores(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    by_label = _f1(pairs)
    right = sum(label == found for label, found in pairs)
    return {
        "n": len(pairs),
        "accuracy": round(right / len(pairs), 4) if pairs else None,
        "macro_f1": round(sum(by_label.values()) / len(by_label), 4) if by_label else None,
    }


def _f1(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """F1 of each label that occurs among the published ones."""
    labels, found = Counter(label for label, _ in pairs), Counter(found for _, found in pairs)
    right = Counter(label for label, found in pairs if label == found)
    return {label: 2 * right[label] / (labels[label] + found[label]) for label in labels}


def _by_intent(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    pairs = [(outcome.case.coarse, outcome.coarse) for outcome in outcomes]
    by_label, counts = _f1(pairs), Counter(label for label, _ in pairs)
    return {name: {"n": counts[name], "f1": round(by_label[name], 4)} for name in COARSE_INTENTS if name in counts}


def _confusions(outcomes: Sequence[Outcome]) -> list[list[Any]]:
    wrong = Counter((one.case.coarse, one.coarse) for one in outcomes if one.case.coarse != one.coarse)
    return [[label, found, number] for (label, found), number in wrong.most_common()]
