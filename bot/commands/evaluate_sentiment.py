"""`converse evaluate sentiment`: how often the polarity of a mention is right."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.commands import Json, emit, group


def register(app: typer.Typer) -> None:
    """Adds `converse evaluate sentiment`."""
    evaluate = group(app, "evaluate", "The quality figures, on data that was not learned from.")
    evaluate.command("sentiment", epilog="Example: converse evaluate sentiment --cases cases/polarity.jsonl --json")(
        sentiment
    )


def sentiment(
    cases: Annotated[
        str,
        typer.Option(
            metavar="FILE", help='JSON Lines with texts, spans and polarities; "validation" or "held-out": our own.'
        ),
    ] = "validation",
    model: Annotated[
        str, typer.Option(help='A model that ships ("default", "small") or the folder of another one.')
    ] = "default",
    errors: Annotated[bool, typer.Option("--errors", help="Add the wrong answers, to read.")] = False,
    as_json: Json = False,
) -> None:
    """Asks for the polarity of every mention of the cases and counts the right answers.

    Counted are mentions that readers find liked or disliked; giving them no polarity is wrong. Mentions without an
    opinion are reported apart, under "without_polarity".
    """
    from nlu.sentiment.card import model_folder
    from nlu.sentiment.evaluation import figures, read_cases, run, wrong
    from nlu.sentiment.own_cases import OWN_CASES
    from nlu.sentiment.recognizer import StanzaSentimentRecognizer

    read = OWN_CASES[cases]() if cases in OWN_CASES else read_cases(Path(cases))
    recognizer = StanzaSentimentRecognizer(model_folder(model))
    outcomes = run(recognizer, read)
    document: dict[str, Any] = {**figures(outcomes), "model": recognizer.card.name}
    if errors:
        document["errors"] = wrong(outcomes)
    if as_json:
        emit(document)
    else:
        _show(document)


def _show(document: Mapping[str, Any]) -> None:
    typer.echo(f"{document['model']}: {document['n']} mentions, accuracy {document['accuracy']:.3f}")
    typer.echo(
        f"  balanced {document['balanced_accuracy']:.3f}, all of a sentence right {document['sentences_exact']:.3f}"
    )
    for name, counted in document["by_category"].items():
        typer.echo(f"  {name or '(no category)'}: {counted['accuracy']:.3f} of {counted['n']}")
    for expected, given in document["confusion"].items():
        typer.echo(f"  {expected}: " + ", ".join(f"{count} taken for {name}" for name, count in given.items()))
    typer.echo(f"  {document['ms_median']} ms a message")
    for error in document.get("errors", ()):
        typer.echo(f"  {error['text']!r}: {error['mention']!r} is {error['expected']}, not {error['given']}")
