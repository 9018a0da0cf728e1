"""`converse evaluate linking`: how well titles and names are recognised in published dialogues."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import CataloguePath, Json, chosen_catalogue, emit, group
from bot.options import DataDir

if TYPE_CHECKING:
    from nlu.entities.evaluation import Counts

_NEEDED = ("userID", "message", "intent", "toCheck", "recognizedObjects", "events", "interactionType")
_SHOWN_ERRORS = 50


def register(app: typer.Typer) -> None:
    """Adds `converse evaluate linking`."""
    evaluate = group(app, "evaluate", "The quality figures, on data that was not learned from.")
    evaluate.command("linking", epilog="Example: converse evaluate linking --data converse-dataset/ --json")(linking)


def linking(
    ctx: typer.Context,
    data: Annotated[Path, typer.Option(help="The ConveRSE folder, or a file of it.", show_default=False)],
    catalogue: CataloguePath = None,
    data_dir: DataDir = None,
    errors: Annotated[bool, typer.Option("--errors", help="Add the errors, to read.")] = False,
    as_json: Json = False,
) -> None:
    """Links the trusted preference rows with one recognised object that the catalogue holds.

    Rows whose recorded object is not what the text names are left out, by the rule of docs/understanding-linking.md;
    "all_rows" gives the figures with them.
    """
    from data.domains import load_domains
    from nlu.entities.evaluation import evaluate, total
    from nlu.entities.linker import CatalogueLinker
    from nlu.entities.words import load_words

    rows = list(_rows(data))
    entities, words = chosen_catalogue(ctx, catalogue, data_dir), load_words()
    linker = CatalogueLinker(entities, load_domains(), words=words)
    clean, every = asyncio.run(evaluate(linker, entities, words, rows))
    summed = total(list(clean.values()))
    document: dict[str, Any] = {
        **summed.figures(),
        "by_domain": {domain: counts.figures() for domain, counts in clean.items()},
        "all_rows": total(list(every.values())).figures(),
    }
    if errors:
        document["errors"] = summed.errors
    if as_json:
        emit(document)
    else:
        _show(document, summed)


def _rows(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    from data.formats.rows import load_rows

    for file in load_rows(data, _NEEDED):
        for row in file.rows:
            yield file.domain, row


def _show(document: dict[str, Any], summed: "Counts") -> None:
    for part in ("all domains", *document["by_domain"]):
        figures = document["by_domain"].get(part, document)
        shown = {name: value for name, value in figures.items() if not isinstance(value, dict | list)}
        typer.echo(f"{part}: " + ", ".join(f"{name} {value}" for name, value in shown.items()))
    for error in summed.errors[:_SHOWN_ERRORS]:
        typer.echo(f"  {error['kind']}: {error['text']!r}, recorded {error['recorded']}, found {error['found']}")
