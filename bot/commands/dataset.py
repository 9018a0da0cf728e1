"""`converse dataset`: the published formats, read, checked, converted, counted and fetched."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import Json, emit, group
from bot.options import DataDir, named_folder, named_path, settings_of
from bot.tally import bars, shown_bar

if TYPE_CHECKING:
    from data.formats.mapping import EntityMapper

Source = Annotated[Path, typer.Argument(help="A file or a dataset's folder.", show_default=False)]
FormatName = Annotated[
    str | None, typer.Option("--format", "-f", help="The source's format; detected by default.", show_default=False)
]
REMEDY = "Choose another format with --format, or leave it out to have it detected."
SHOWN_PROBLEMS = 200
"""Problems printed before the rest is only counted."""


def register(app: typer.Typer) -> None:
    """Adds `converse dataset`."""
    dataset = group(app, "dataset", "The published datasets: ConveRSE, ReDial, RecomMind, CRSArena-Dial, Reddit-Movie.")
    dataset.command("stats", epilog="Example: converse dataset stats converse-dataset/ --json")(stats)
    dataset.command("validate", epilog="Example: converse dataset validate movie/messages_nl.json")(validate)
    dataset.command("convert", epilog="Example: converse dataset convert redial/ --to converse --out out/")(convert)
    dataset.command("check", epilog="Example: converse dataset check converse-dataset/")(check)
    dataset.command("map", epilog="Example: converse dataset map reddit-movie/id2name.json")(map_titles)
    dataset.command("fetch", epilog="Example: converse dataset fetch converse --out converse-dataset/")(fetch)


def stats(source: Source, format_name: FormatName = None, as_json: Json = False) -> None:
    """Prints the figures that the dataset's paper or card prints."""
    from data.errors import DataError
    from data.formats import open_dataset

    dataset = open_dataset(source, format_name)
    problems: list[str] = []
    found = dataset.format.statistics(dataset.files, lambda problem: problems.append(str(problem)))
    domains = found.get("domains") or {"movie": found}
    if problems and not any(_has_counts(part) for part in domains.values()):
        raise DataError(f"{source}: nothing in it can be read as {dataset.format.name}; {problems[0]}. {REMEDY}")
    if as_json:
        emit({"format": dataset.format.name, "files": len(dataset.files), "domains": domains})
    else:
        _show_statistics(dataset.format.name, domains)
    _warn(source, len(problems))


def validate(source: Source, format_name: FormatName = None, as_json: Json = False) -> None:
    """Reports every violation of the format with file, record and field; exit code 1 when there is one."""
    from data.formats import open_dataset
    from data.formats.problems import Problem

    dataset = open_dataset(source, format_name)
    problems: list[dict[str, str]] = []
    count = records = 0

    def report(problem: Problem) -> None:
        nonlocal count
        count += 1
        if as_json:
            if len(problems) < 10 * SHOWN_PROBLEMS:
                problems.append({name: getattr(problem, name) for name in ("file", "record", "field", "message")})
        elif count <= SHOWN_PROBLEMS:
            typer.echo(str(problem))

    with shown_bar("Checking", len(dataset.files)) as advance:
        for path, kind in dataset.files.items():
            records += sum(1 for _ in dataset.format.check(path, kind, report))
            advance()
    name = dataset.format.name
    if as_json:
        emit({"format": name, "files": len(dataset.files), "records": records, "count": count, "problems": problems})
    else:
        if count > SHOWN_PROBLEMS:
            typer.echo(f"… and {count - SHOWN_PROBLEMS} more")
        typer.echo(f"{name}: {len(dataset.files)} files, {records} records, {count} problems")
    if count:
        raise typer.Exit(1)


def convert(
    ctx: typer.Context,
    source: Source,
    target: Annotated[str, typer.Option("--to", help="The target's format.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option(parser=named_path, metavar="<path>", help="File or folder to write; a folder keeps the layout."),
    ],
    format_name: FormatName = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Converts from any format to any other; what the target cannot hold is listed in conversion.json beside it."""
    from data.errors import DataError
    from data.formats import open_dataset
    from data.formats.convert import SIDE_FILE, NothingReadError
    from data.formats.convert import convert as run

    dataset = open_dataset(source, format_name)
    problems: list[str] = []
    mapper = _mapper(ctx, data_dir) if target in {"converse", "dialoguekit"} and target != dataset.format.name else None
    try:
        with shown_bar("Converting", len(dataset.files)) as advance:
            made = run(dataset, target, out, lambda found: problems.append(str(found)), mapper=mapper, advance=advance)
    except NothingReadError as error:
        raise DataError(f"{error} {REMEDY}") from error
    if as_json:
        emit(made.account() | {"problems": problems[: 10 * SHOWN_PROBLEMS]})
    else:
        typer.echo(f"{made.dialogues} records from {made.source} to {made.target}, {len(made.files)} files in {out}")
        if not made.complete:
            lost = ", ".join(f"{name} ({count})" for name, count in made.lost.most_common(6))
            typer.echo(f"Not everything fits; {SIDE_FILE} lists it. Lost: {lost or 'nothing but whole files'}")
    for problem in problems[:SHOWN_PROBLEMS]:
        typer.echo(problem, err=True)


def check(source: Source, as_json: Json = False) -> None:
    """Recomputes toCheck of ConveRSE files by the task rules and compares it with the published flags."""
    from data.errors import DataError
    from data.formats import open_dataset
    from data.formats.agreement import to_check_agreement

    dataset = open_dataset(source, "converse")
    problems: list[str] = []
    found = to_check_agreement(dataset, lambda problem: problems.append(str(problem)))
    if found["rows"] == 0:
        raise DataError(f"{source}: no readable rows; see: converse dataset validate {source}")
    _warn(source, len(problems))
    if as_json:
        emit(found)
        return
    typer.echo(f"agreement {found['agreement']:.4f} over {found['rows']} rows")
    for name, part in found["by_file"].items():
        typer.echo(f"  {name}: {part:.4f}")
    for name, part in found["by_intent"].items():
        if part["agreement"] < 1:
            typer.echo(f"  {name}: {part['agreement']:.4f} of {part['rows']}")


def map_titles(
    ctx: typer.Context,
    source: Annotated[Path, typer.Argument(help="A dataset, or a table of titles such as id2name.json.")],
    domain: Annotated[str, typer.Option(help="The domain that the titles belong to.")] = "movie",
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Maps titles and IMDb ids of a dataset to entities of the catalogue, and lists what does not map and why."""
    from data.errors import DataError
    from data.formats.titles import titles_of

    problems: list[str] = []
    titles = titles_of(source, lambda problem: problems.append(str(problem)))
    if not titles:
        raise DataError(f"{source}: names no titles; ReDial, Reddit-Movie and tables such as id2name.json do")
    found = _mapper(ctx, data_dir, domain).map(titles)
    share = round(found.mapped / len(titles), 4)
    if as_json:
        emit({"entities": len(titles), "mapped": found.found, "share": share, "unmapped": found.unmapped})
    else:
        typer.echo(f"{found.mapped} of {len(titles)} are in the catalogue ({share:.1%})")
        for reason, count in found.reasons.items():
            typer.echo(f"  {count}: {reason}")
        for name, reason in list(found.unmapped.items())[:SHOWN_PROBLEMS]:
            typer.echo(f"{name}: {reason}")
    _warn(source, len(problems))


def fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Datasets; all by default.", show_default=False)] = None,
    out: Annotated[
        Path,
        typer.Option(parser=named_folder, metavar="<path>", help="Folder; each dataset gets one of its own in it."),
    ] = Path("datasets"),
) -> None:
    """Downloads published datasets from their public homes; an interrupted download goes on where it stopped."""
    from data.formats.fetch import checksum, home_of, load_homes
    from data.formats.fetch import fetch as run

    for name in names or list(load_homes()):
        home = home_of(name)
        size = sum(remote.size or 0 for remote in home.files)
        typer.echo(
            f"{name}: {home.home}\n  licence: {home.licence}" + (f"\n  size: {size / 1e6:.1f} MB" if size else "")
        )
        with bars() as bar:
            tasks: dict[str, Any] = {}

            def told(path: str, done: int, total: int | None, bar: Any = bar, tasks: dict[str, Any] = tasks) -> None:
                if path not in tasks:
                    tasks[path] = bar.add_task(path, total=total)
                bar.update(tasks[path], completed=done)

            for path in run(name, home, out / name, told):
                typer.echo(f"  {path}")
        for remote in home.files:
            if remote.sha256 is None:
                typer.echo(f"  no published checksum; sha256 of {remote.path}: {checksum(out / name / remote.path)}")


def _warn(source: Path, problems: int) -> None:
    if problems:
        typer.echo(f"{problems} problems in the files; see: converse dataset validate {source}", err=True)


def _has_counts(part: Mapping[str, Any]) -> bool:
    """Whether a statistics table counts anything."""
    return any(isinstance(value, int | float) and value for value in part.values())


def _mapper(ctx: typer.Context, data_dir: Path | None, domain: str = "movie") -> "EntityMapper":
    from bot.parts import catalogue_of
    from data.formats.mapping import EntityMapper

    settings = settings_of(ctx, data_dir=data_dir)
    return EntityMapper(catalogue_of(settings).entities(), domain)


def _show_statistics(name: str, domains: Mapping[str, Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("", *domains, title=name)
    for key in dict.fromkeys(key for part in domains.values() for key in part):
        table.add_row(key.replace("_", " "), *(_shown(part.get(key)) for part in domains.values()))
    Console().print(table)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {_shown(part)}" for name, part in value.items())
    return "" if value is None else str(value)
