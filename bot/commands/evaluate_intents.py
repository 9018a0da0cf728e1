"""`converse evaluate intents`: how often the intent of a published message is recognised."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.commands import Json, emit, group

Data = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Released conversations; five folds by user.", show_default=False)
]
Train = Annotated[Path | None, typer.Option(metavar="DIR", help="Conversations to learn from.", show_default=False)]
Test = Annotated[Path | None, typer.Option(metavar="DIR", help="Conversations to test on.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Adds `converse evaluate intents`."""
    evaluate = group(app, "evaluate", "The quality figures, on data that was not learned from.")
    evaluate.command("intents", epilog="Example: converse evaluate intents --data converse --json")(intents)


def intents(
    data: Data = None,
    train: Train = None,
    test: Test = None,
    pipeline: Annotated[str, typer.Option(help="logreg or diet.")] = "logreg",
    errors: Annotated[bool, typer.Option("--errors", help="Add what was taken for something else, to read.")] = False,
    as_json: Json = False,
) -> None:
    """Trains the real pipeline in a temporary place, on other users' messages, and counts the right labels.

    DIR holds {domain}/messages_nl.json and messages_mixed.json, any subset of them. The model in use stays as it is.
    """
    outcomes, split = run(data, train, test, pipeline)
    from bot.dialogue.intent_figures import figures

    document = figures(outcomes, split)
    if errors:
        document["errors"] = [
            {"text": one.case.text, "exact": one.case.exact, "found": one.exact, "coarse": one.coarse,
             "phase": str(one.case.state.phase), "trusted": one.case.trusted, "confidence": round(one.confidence, 3)}
            for one in outcomes if one.case.exact != one.exact and one.case.coarse != "fallback"
        ]  # fmt: skip
    if as_json:
        emit(document)
        return
    _show(document)


def run(data: Path | None, train: Path | None, test: Path | None, pipeline: str) -> tuple[list[Any], str]:
    """Outcomes of all test rows, and the name of the split.

    Raises:
        UsageError: the folders or the pipeline are not given as they must be.
        MissingFileError: a folder holds no conversations, or Rasa's environment is missing.
        DataError: a file is not in the published format.
        BackendError: Rasa fails.
    """
    from functools import partial

    from bot.dialogue.intent_figures import evaluate_folds, evaluate_split, read_cases
    from bot.errors import UsageError
    from bot.progress import shown_progress
    from nlu.intents.released import load_released
    from nlu.intents.training import classify, known_pipeline
    from nlu.intents.training_set import starter_examples

    if (data is None) == (train is None) or (train is None) != (test is None):
        raise UsageError("Give either --data DIR, or both --train DIR and --test DIR.")
    classifier = partial(classify, pipeline=known_pipeline(pipeline))
    with shown_progress() as progress:
        tell = _since_start(progress)
        if data is not None:
            cases = read_cases(load_released(data))
            return evaluate_folds(cases, starter_examples(), classifier, tell), "users, 5 folds"
        assert train is not None
        assert test is not None
        learnt, asked = read_cases(load_released(train)), read_cases(load_released(test))
        return evaluate_split(learnt, asked, starter_examples(), classifier, tell), "train/test"


def _since_start(progress: Callable[[str, float], None]) -> Callable[[str], None]:
    started = time.monotonic()
    return lambda what: progress(what, time.monotonic() - started)


def _show(document: dict[str, Any]) -> None:
    typer.echo(f"Split: {document['split']}")
    for name in ("trusted", "unseen", "all_but_fallback", "all"):
        scores = document[name]
        typer.echo(f"  exact label, {name}: {scores['accuracy']} of {scores['n']}, macro-F1 {scores['macro_f1']}")
    for name in ("trusted", "unseen", "all_but_fallback"):
        scores = document["coarse"][name]
        typer.echo(f"  coarse intent, {name}: {scores['accuracy']} of {scores['n']}, macro-F1 {scores['macro_f1']}")
    for name, scores in document["by_domain"].items():
        typer.echo(f"  exact label, trusted, {name}: {scores['accuracy']} of {scores['n']}")
    for label, found, number in document["confusions"][:20]:
        typer.echo(f"  {number} x {label} taken for {found}")
    for error in document.get("errors", ()):
        typer.echo(f"  {error['text']!r} ({error['phase']}): {error['exact']}, found {error['found']}")
