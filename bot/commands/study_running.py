"""`converse study status|open|pause|close|exclude|reassign|report|export`: a study that runs."""

import getpass
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import Json, Result, emit, group, within
from bot.commands.study import StudyName
from bot.options import DatabaseUrl, DataDir, OutFolder, settings_of

if TYPE_CHECKING:
    from bot.study.finding import Opened
    from bot.study.store import Status

Number = Annotated[
    int, typer.Argument(min=1, max=2**31 - 1, help="The participant's number, as the status and the report show it.")
]
_SETTERS: tuple[tuple[str, "Status", str], ...] = (
    ("open", "open", "Lets participants in."),
    ("pause", "paused", "Stops the study for a while; places are kept."),
    ("close", "closed", "Lets nobody in any more; those who have begun may finish."),
)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    study = group(app, "study", "")
    study.command("status", epilog="Example: converse study status tastes")(status)
    for name, value, text in _SETTERS:
        study.command(name, help=text, epilog=f"Example: converse study {name} tastes")(_setter(value))
    study.command("exclude", epilog="Example: converse study exclude tastes 7 --reason 'not serious'")(exclude)
    study.command("reassign", epilog="Example: converse study reassign tastes 7 'domain=book'")(reassign)
    study.command("report", epilog="Example: converse study report tastes --out report")(report)
    study.command("export", epilog="Example: converse study export tastes --out tastes-data")(export)


def _in_study(
    ctx: typer.Context,
    name: str,
    data_dir: Path | None,
    database_url: str | None,
    act: "Callable[[Opened], Awaitable[Result]]",
) -> Result:
    """Does something with a study that is opened for it."""
    from bot.study.finding import opened_study

    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url)
    return within(opened_study(settings, name), act)


def status(
    ctx: typer.Context,
    name: StudyName,
    as_json: Json = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Shows participants by condition and stage, drop-outs, response times, and what went wrong."""
    from bot.study.status import study_status

    async def read(opened: "Opened") -> dict[str, Any]:
        return await study_status(opened.kept, opened.study)

    found = _in_study(ctx, name, data_dir, database_url, read)
    if as_json:
        emit(found)
        return
    typer.echo(f"{found['title']}: {found['status']}")
    for figure in ("participants", "finished", "active", "dropped_out", "excluded"):
        typer.echo(f"  {figure.replace('_', ' ')}: {found[figure]}")
    for figure in ("by_cell", "by_stage"):
        typer.echo(f"{figure.replace('_', ' ')}:")
        for key, count in found[figure].items():
            typer.echo(f"  {key or 'all'}: {count}")
    for figure, value in found["conversation"].items():
        typer.echo(f"{figure.replace('_', ' ')}: {value}")
    for alert in found["alerts"]:
        typer.echo(f"! {alert}")


def _setter(value: "Status") -> Callable[..., None]:
    def change(ctx: typer.Context, name: StudyName, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
        async def write(opened: "Opened") -> None:
            await opened.kept.set_status(value, getpass.getuser())

        _in_study(ctx, name, data_dir, database_url, write)
        typer.echo(f"the study is {value}")

    return change


def exclude(
    ctx: typer.Context,
    name: StudyName,
    number: Number,
    reason: Annotated[str, typer.Option("--reason", help="Why; it stands in the report.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Takes a participant out of the balance and the analysis."""

    async def write(opened: "Opened") -> None:
        await opened.kept.exclude(number, reason, getpass.getuser())

    _in_study(ctx, name, data_dir, database_url, write)
    typer.echo(f"participant {number} is excluded: {reason}")


def reassign(
    ctx: typer.Context,
    name: StudyName,
    number: Number,
    condition: Annotated[str, typer.Argument(help="The between-subjects condition, such as 'domain=book'.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Puts a participant into another between-subjects condition, where they begin anew; it is logged."""

    async def write(opened: "Opened") -> None:
        await opened.kept.reassign(number, condition, getpass.getuser())

    _in_study(ctx, name, data_dir, database_url, write)
    typer.echo(f"participant {number} goes on under {condition}")


def report(
    ctx: typer.Context,
    name: StudyName,
    out: OutFolder,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Writes an HTML report with plots, and tidy CSV files."""
    from bot.clock import utc_now
    from bot.study.collecting import collect
    from bot.study.report import write_report

    async def read(opened: "Opened") -> Any:
        return opened.study, await collect(opened.kept, opened.study)

    study, tables = _in_study(ctx, name, data_dir, database_url, read)
    for written in write_report(study, tables, out, utc_now()):
        typer.echo(str(written))


def export(
    ctx: typer.Context,
    name: StudyName,
    out: OutFolder,
    licence: Annotated[str | None, typer.Option(help="Terms for the datasheet, such as 'CC BY 4.0'.")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Writes everything of a study: dialogues in the published formats with datasheet, the report, the study file."""
    from bot.clock import utc_now
    from bot.parts import grown_catalogue
    from bot.study.export import export_study

    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url)

    async def write(opened: "Opened") -> None:
        catalogue = await grown_catalogue(settings, opened.kept.sql)
        await export_study(opened.kept, opened.study, catalogue.get, out, utc_now(), typer.echo, licence)

    _in_study(ctx, name, data_dir, database_url, write)
