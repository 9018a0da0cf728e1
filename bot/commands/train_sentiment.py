"""`converse train sentiment`: makes a sentiment model and puts it where the bot looks for it."""

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import group
from bot.errors import UsageError

if TYPE_CHECKING:
    from nlu.sentiment.card import ModelCard
    from nlu.sentiment.examples import Sources

Converse = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Released conversations to learn from too.", show_default=False)
]
Folders = Annotated[
    list[Path] | None,
    typer.Option("--redial", metavar="DIR", help="ReDial folder; its test files are never read.", show_default=False),
]
Files = Annotated[
    list[Path] | None,
    typer.Option("--snippets", metavar="FILE", help='Rated sentences: "id, rating, text" a line.', show_default=False),
]
Cases = Annotated[
    list[Path] | None,
    typer.Option("--cases", metavar="FILE", help="Cases kept out of training and measured.", show_default=False),
]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Where the model goes; default: the one in use.")]
Work = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Keeps what every pass learns; interrupted training goes on from it.", show_default=False
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL", help="Take its adapted encoder; only the classifier over it is trained.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    """Adds `converse train sentiment`."""
    train = group(app, "train", "Make the models that understand messages.")
    train.command("sentiment", epilog="Example: converse train sentiment --data converse --redial redial")(sentiment)


def sentiment(
    data: Converse = None,
    redial: Folders = None,
    snippets: Files = None,
    cases: Cases = None,
    model: Annotated[str, typer.Option(help="default (over MiniLM) or small (over word vectors).")] = "default",
    out: Out = None,
    work: Work = None,
    encoder: Encoder = None,
    seed: Annotated[int, typer.Option(help="Same seed, same data: same model.")] = 7,
) -> None:
    """Trains on the project's own sentences and, if given, on what people said and rated.

    The model is trained in a temporary folder and replaces the one in use only when all went well.
    """
    from bot.progress import shown_progress
    from data.catalogue import load_catalogue
    from nlu.sentiment.card import MODELS_FOLDER, model_folder
    from nlu.sentiment.examples import Sources
    from nlu.sentiment.release import Release, release
    from nlu.sentiment.trainers import TRAINERS, Course

    if model not in TRAINERS:
        raise UsageError(f"There is no model {model!r}; choose one of {', '.join(TRAINERS)}.")
    sources = Sources(data, tuple(redial or ()), tuple(snippets or ()), tuple(cases or ()))
    what = Release(TRAINERS[model].name, _command(model, encoder, sources, seed), seed)
    adapted = model_folder(encoder) if encoder else None
    target = out or MODELS_FOLDER / model
    started = time.monotonic()
    with shown_progress() as tell, tempfile.TemporaryDirectory(prefix="converse-sentiment-") as folder:
        made = Path(folder) / "model"
        course = Course(seed, lambda share: tell(f"Training, {share:.0%}", time.monotonic() - started), work, adapted)
        trainer = TRAINERS[model].make(course)
        card = release(made, what, sources, load_catalogue(), trainer)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(made, target, dirs_exist_ok=True)
    _show(card, target)


def _command(model: str, encoder: str | None, sources: "Sources", seed: int) -> str:
    parts = [f"converse train sentiment --model {model} --seed {seed}"]
    parts += [f"--encoder {Path(encoder).name}"] if encoder else []
    parts += ["--data CONVERSE"] if sources.converse else []
    parts += [f"--redial {folder.name}" for folder in sources.redial]
    parts += [f"--snippets {path.name}" for path in sources.snippets]
    parts += [f"--cases {path.name}" for path in sources.cases]
    return " ".join(parts)


def _show(card: "ModelCard", target: Path) -> None:
    size = sum(path.stat().st_size for path in target.iterdir()) / 1e6
    typer.echo(f"{target}: {size:.1f} MB")
    for name, value in card.figures.items():
        typer.echo(f"  {name}: {value}")
