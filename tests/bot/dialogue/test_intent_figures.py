"""The figures of intent recognition: users disjoint, nothing mended, every count right."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.dialogue.intent_figures import Case, evaluate_folds, evaluate_split, figures, read_cases
from data.formats.rows import RowsFile
from nlu.intents.training import Job
from nlu.intents.training_set import Example


def row(user: Any, message: str, intent: str, events: str = "", *, trusted: bool = True) -> dict[str, Any]:
    return {
        "userID": user,
        "message": message,
        "intent": intent,
        "events": events,
        "recognizedObjects": "",
        "toCheck": not trusted,
    }


def cases(*rows: dict[str, Any], name: str = "movie") -> list[Case]:
    return read_cases([RowsFile(Path(name) / "messages_nl.json", name, rows)])


class ByRote:
    """Knows the texts it was trained with by heart, and takes all others for preferences."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def __call__(self, jobs: Iterable[Job]) -> Iterator[list[tuple[str, float]]]:
        for job in jobs:
            self.jobs.append(job)
            known = {example.text: example.intent for example in job.examples}
            yield [(known.get(text, "preference"), 1.0) for text in job.texts]


def quiet(_what: str) -> None:
    return


def test_no_user_is_in_training_and_test_and_every_row_is_tested_once() -> None:
    rows = [row(user, f"I like film {user}-{n}", "preference") for user in range(12) for n in range(3)]
    classify = ByRote()
    outcomes = evaluate_folds(cases(*rows), [Example("hi", "greet")], classify, quiet)
    assert sorted(outcome.case.text for outcome in outcomes) == sorted(one["message"] for one in rows)
    for job in classify.jobs:
        tested = {text.split("-")[0] for text in job.texts}
        assert not {example.text.split("-")[0] for example in job.examples} & tested
        assert Example("hi", "greet") in job.examples


def test_the_same_user_id_in_two_files_is_two_users() -> None:
    both = cases(row(1, "hi", "start")) + cases(row(1, "hi", "start"), name="book")
    assert len({case.user for case in both}) == 2


def test_labels_depend_on_the_state_and_are_counted_as_published() -> None:
    learnt = cases(
        row(1, "I like it", "preference"),
        row(1, "suggest", "request_recommendation"),
        row(1, "bye now", "smalltalk.greetings.bye"),
    )
    asked = cases(
        row(2, "suggest", "request_recommendation", "question, recommendation"),
        row(2, "I like it", "request_recommendation - preference", "recommendation, question, preference"),
        row(2, "never seen before", "request_recommendation - why", "recommendation, question"),
        row(2, "I love Up", "smalltalk.user.loves_agent", trusted=False),
        row(2, "gibberish", "Default Fallback Intent", trusted=False),
    )
    document = figures(evaluate_split(learnt, asked, [], ByRote(), quiet), "train/test")
    assert document["split"] == "train/test"
    assert document["trusted"] == {"n": 3, "accuracy": pytest.approx(2 / 3, abs=1e-4), "macro_f1": 0.5556}
    assert document["unseen"]["n"] == 1
    assert document["unseen"]["accuracy"] == 0
    assert document["all_but_fallback"]["n"] == 4
    assert document["all"]["n"] == 5
    assert document["coarse"]["accuracy"] == pytest.approx(2 / 3, abs=1e-4)
    assert document["coarse"]["all_but_fallback"]["accuracy"] == 0.5
    assert document["by_domain"] == {"movie": document["trusted"]}
    assert ["chitchat", "preference", 1] in document["confusions"]


def test_mending_is_for_training_only() -> None:
    wrong = row(1, "I love Up", "smalltalk.user.loves_agent")
    classify = ByRote()
    outcomes = evaluate_split(cases(wrong), cases(wrong), [], classify, quiet)
    assert classify.jobs[0].examples == [Example("I love Up", "preference")]
    assert outcomes[0].case.coarse == "chitchat"
    assert outcomes[0].exact == "preference"
    assert outcomes[0].seen


def test_an_empty_text_is_tested_too() -> None:
    (outcome,) = evaluate_split(cases(row(1, "hi", "start")), cases(row(1, "/", "start")), [], ByRote(), quiet)
    assert outcome.coarse == "preference"


def test_nothing_trusted_is_no_division_by_zero() -> None:
    only = cases(row(1, "hm", "Default Fallback Intent", trusted=False))
    document = figures(evaluate_split(only, only, [], ByRote(), quiet), "train/test")
    assert document["trusted"] == {"n": 0, "accuracy": None, "macro_f1": None}
