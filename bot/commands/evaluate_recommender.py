"""`converse evaluate recommender`: the quality of the recommender on other people's data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import Json, emit, group
from bot.errors import DataError, UsageError
from bot.options import DataDir, settings_of

if TYPE_CHECKING:
    from bot.config import Settings

_EXAMPLE = "Example: converse evaluate recommender --dataset mindreader --data mindreader --facts wikidata --json"
_DATASETS = ("mindreader", "redial", "llm-redial", "inspired", "converse")


def register(app: typer.Typer) -> None:
    """Adds `converse evaluate recommender`."""
    evaluate = group(app, "evaluate", "The quality figures, on data that was not learned from.")
    evaluate.command("recommender", epilog=_EXAMPLE)(recommender)


def recommender(
    ctx: typer.Context,
    dataset: Annotated[str, typer.Option(help=f"One of {', '.join(_DATASETS)}.", show_default=False)],
    data: Annotated[Path, typer.Option(help="The folder of the data set.", show_default=False)],
    facts: Annotated[
        Path | None,
        typer.Option(help="mindreader: the folder of Wikidata facts; the catalogue in use when not given."),
    ] = None,
    training: Annotated[
        Path | None,
        typer.Option(help="llm-redial, inspired: the folder `redial-eval`; looked for beside --data when not given."),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Measures the recommender, and others on the same split.

    What is tuned is tuned on validation data; the figures are those of the test data.
    """
    if dataset not in _DATASETS:
        raise UsageError(f"There is no data set {dataset!r} to measure on; choose one of {', '.join(_DATASETS)}.")
    document = _evaluate(dataset, data, facts, training, settings_of(ctx, data_dir=data_dir))
    if as_json:
        emit(document)
        return
    typer.echo(_text(document))


def _evaluate(
    dataset: str, data: Path, facts: Path | None, training: Path | None, settings: "Settings"
) -> dict[str, Any]:
    if dataset == "mindreader":
        return _mindreader(data, facts, settings)
    if dataset == "converse":
        return _published(data, settings)
    from recommender.evaluation.dialogues_run import evaluate_redial, evaluate_zero_shot

    if dataset == "redial":
        return evaluate_redial(data, _progress)
    name = "redial" if dataset == "llm-redial" else "inspired"
    return evaluate_zero_shot(data, training or data.resolve().parent / "redial-eval", name, _progress)


def _mindreader(data: Path, facts: Path | None, settings: "Settings") -> dict[str, Any]:
    from bot.parts import catalogue_of
    from data.domains import load_domains
    from recommender.engine import GraphRecommender
    from recommender.evaluation.faithfulness import evaluate_faithfulness
    from recommender.evaluation.mindreader import facts_of_catalogue, link, read_facts, read_mindreader
    from recommender.evaluation.mindreader_run import evaluate_mindreader

    catalogue, domains = catalogue_of(settings), load_domains()
    split = read_mindreader(data)
    known = facts_of_catalogue(catalogue.items("movie")) if facts is None else read_facts(facts)
    document = evaluate_mindreader(link(split, known, domains["movie"]), _progress)
    _progress("faithfulness of the explanations")
    profiles = [tuple(split.qids[node] for node in found) for found in split.likes]
    document["faithfulness"] = evaluate_faithfulness(GraphRecommender(catalogue, domains), catalogue, profiles)
    return document


def _published(data: Path, settings: "Settings") -> dict[str, Any]:
    from bot.parts import catalogue_of
    from data.domains import load_domains
    from data.formats.converse import by_user
    from data.formats.rows import load_rows
    from recommender.engine import GraphRecommender
    from recommender.evaluation.published import evaluate_published, opinions

    catalogue, domains = catalogue_of(settings), load_domains()
    users: dict[str, list[Any]] = {}
    for file in load_rows(data, ("userID", "recognizedObjects")):
        if file.domain in domains:
            found = (opinions(row["recognizedObjects"] for row in rows) for rows in by_user(file.rows).values())
            users.setdefault(file.domain, []).extend(found)
    if not users:
        raise UsageError(f"{data} holds no messages_*.json in a folder for each domain; give the ConveRSE folder.")
    document = evaluate_published(users, catalogue, GraphRecommender(catalogue, domains))
    if document["ours"]["auc"] is None:
        raise DataError(
            f"{data}: nothing can be measured, as that takes somebody with a known entity in the earlier half of their "
            "opinions, and an item liked and another disliked in the later; give more conversations, or another "
            "catalogue with CONVERSE_CATALOGUE."
        )
    return document


def _progress(text: str) -> None:
    typer.echo(text, err=True)


def _text(document: dict[str, Any]) -> str:
    """The main figures in lines."""
    lines = [f"{'ours':36}{_figures(document['ours'])}"]
    lines += [f"{name:36}{_figures(values)}" for name, values in document["peers"].items()]
    lines += [f"{name}: 95 % interval {interval}" for name, interval in document["intervals"].items()]
    return "\n".join(lines)


def _figures(values: dict[str, float]) -> str:
    return "  ".join(f"{name} {value}" for name, value in values.items())
