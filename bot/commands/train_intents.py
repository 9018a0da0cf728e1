"""`converse train intents`: makes the intent model and puts it where the bot looks for it."""

import json
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.commands import group


def register(app: typer.Typer) -> None:
    """Adds `converse train intents`."""
    train = group(app, "train", "Make the models that understand messages.")
    train.command("intents", epilog="Example: converse train intents --data converse")(intents)


def intents(
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Released conversations to learn from too.", show_default=False)
    ] = None,
    pipeline: Annotated[str, typer.Option(help="logreg or diet.")] = "logreg",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the model goes; default: the one in use.")
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What `evaluate intents --json` printed, for the card.", show_default=False),
    ] = None,
) -> None:
    """Trains on our sentences, catalogue names and released conversations; a failure leaves the model in use alone."""
    from bot.progress import shown_progress
    from nlu.intents.released import load_released
    from nlu.intents.server import default_model
    from nlu.intents.training import install, known_pipeline, train
    from nlu.intents.training_set import released_examples, starter_examples

    chosen = known_pipeline(pipeline)
    measured = _measured(figures) if figures is not None else None
    files = load_released(data) if data is not None else ()
    released = released_examples(row for file in files for row in file.rows)
    own = starter_examples()
    started = time.monotonic()
    with shown_progress() as progress, tempfile.TemporaryDirectory(prefix="converse-intents-") as folder:
        progress(f"Training the intent model on {len(own) + len(released)} texts", 0)
        model = train([*released, *own], Path(folder), pipeline=chosen)
        progress("Trained", time.monotonic() - started)
        installed = install(
            model,
            out or default_model(),
            [*released, *own],
            pipeline=chosen,
            command=f"converse train intents{' --data DIR' if data else ''} --pipeline {pipeline}",
            sources=_sources(len(own), len(released)),
            figures=measured,
        )
    typer.echo(f"{installed}: {installed.stat().st_size / 1e6:.1f} MB, {len(own) + len(released)} texts")


def _sources(own: int, released: int) -> list[str]:
    sources = [f"data/training/*.yaml, written for this project, with names from the starter catalogue: {own} texts"]
    if released:
        sources.append(
            f"the released ConveRSE conversations without fallbacks, at most 3 of a text and label: {released} texts"
        )
    return sources


def _measured(path: Path) -> dict[str, Any]:
    """The part of the figures that the card shows.

    Raises:
        MissingFileError: there is no such file.
        DataError: it is not what `converse evaluate intents --json` prints.
    """
    from bot.errors import DataError, MissingFileError

    shown = ("trusted", "unseen", "all_but_fallback", "coarse", "by_domain", "split")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return {name: document[name] for name in shown}
    except FileNotFoundError as error:
        raise MissingFileError(f"There are no figures at {path}; write them with `evaluate intents --json`.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} does not hold what `converse evaluate intents --json` prints.") from error
