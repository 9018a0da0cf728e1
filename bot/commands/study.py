"""`converse study`: from a YAML file to a finished report."""

import asyncio
import getpass
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import Json, emit, group
from bot.options import DatabaseUrl, DataDir, effective_options

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.study.config import StudyConfig
    from bot.study.store import StudyStore

StudyFile = Annotated[Path, typer.Argument(help="The study's YAML file.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Adds `converse study`."""
    study = group(app, "study", "User studies: make one, watch it, report on it, try it with simulated participants.")
    study.command("new", epilog="Example: converse study new tastes")(new)
    study.command("check", epilog="Example: converse study check tastes.yaml")(check)
    study.command("status", epilog="Example: converse study status tastes.yaml")(status)
    study.command("open", epilog="Example: converse study open tastes.yaml")(_setter("open", "Lets participants in."))
    study.command("pause", epilog="Example: converse study pause tastes.yaml")(
        _setter("paused", "Stops the study for a while; places are kept.")
    )
    study.command("close", epilog="Example: converse study close tastes.yaml")(
        _setter("closed", "Lets nobody in any more; those who have begun may finish.")
    )
    study.command("exclude", epilog="Example: converse study exclude tastes.yaml 7 --reason 'not serious'")(exclude)
    study.command("report", epilog="Example: converse study report tastes.yaml --out report")(report)
    study.command("simulate", epilog="Example: converse study simulate tastes.yaml --participants 60")(simulate)


def new(
    name: Annotated[str, typer.Argument(help="Small letters, digits and hyphens.")],
    out: Annotated[Path | None, typer.Option("--out", help="File to write; default NAME.yaml.")] = None,
) -> None:
    """Writes a commented study file to fill in."""
    import yaml

    from bot.errors import UsageError
    from bot.study.config import parse_study

    path = out or Path(f"{name}.yaml")
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name, or --out")
    template = Path(__file__).parents[1] / "study" / "new_study.yaml"
    text = template.read_text(encoding="utf-8").replace("{name}", name)
    parse_study(yaml.safe_load(text), "the new study")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); choose another --out") from error
    typer.echo(f"{path} is ready to be filled in; then: converse study check {path}")


def check(path: StudyFile) -> None:
    """Checks a study file and shows what participants will go through."""
    from bot.study.assignment import assign, between_cells, within_cells
    from bot.study.config import load_study
    from bot.study.journey import steps_of
    from bot.study.running import check_levels
    from data.domains import load_domains

    study = load_study(path)
    check_levels(study, load_domains())
    cells, within = between_cells(study), within_cells(study)
    typer.echo(f"{study.title}: {len(cells)} between-subject cells, {len(within)} conditions a participant")
    for step in steps_of(study, assign(study, (), 0)):
        place = f" [{step.condition.label}]" if step.condition and step.condition.levels else ""
        typer.echo(f"  {step.kind} {step.name}{place}".rstrip())
    if study.recruiting.completion_code == "CHANGE-ME":
        typer.echo("note: the completion code is still CHANGE-ME", err=True)


def status(
    ctx: typer.Context,
    path: StudyFile,
    as_json: Json = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Shows participants by condition and stage, drop-outs, response times, and what went wrong."""
    from bot.study.status import study_status

    async def read(settings: "Settings", study: "StudyConfig") -> dict[str, Any]:
        async with _opened(settings, study) as kept:
            return await study_status(kept, study)

    found = _with_study(ctx, path, data_dir, database_url, read)
    if as_json:
        emit(found)
        return
    typer.echo(f"{found['title']}: {found['status']}")
    for name in ("participants", "finished", "active", "dropped_out", "excluded"):
        typer.echo(f"  {name.replace('_', ' ')}: {found[name]}")
    for name in ("by_cell", "by_stage"):
        typer.echo(f"{name.replace('_', ' ')}:")
        for key, count in found[name].items():
            typer.echo(f"  {key or 'all'}: {count}")
    for name, value in found["conversation"].items():
        typer.echo(f"{name.replace('_', ' ')}: {value}")
    for alert in found["alerts"]:
        typer.echo(f"! {alert}")


def _setter(value: str, text: str) -> Any:
    def change(ctx: typer.Context, path: StudyFile, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
        async def write(settings: "Settings", study: "StudyConfig") -> None:
            async with _opened(settings, study) as kept:
                await kept.set_status(value, getpass.getuser())  # type: ignore[arg-type]

        _with_study(ctx, path, data_dir, database_url, write)
        typer.echo(f"the study is {value}")

    change.__doc__ = text
    return change


def exclude(
    ctx: typer.Context,
    path: StudyFile,
    number: Annotated[int, typer.Argument(help="The participant's number, as the status and the report show it.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; it stands in the report.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Takes a participant out of the balance and the analysis."""

    async def write(settings: "Settings", study: "StudyConfig") -> None:
        async with _opened(settings, study) as kept:
            await kept.exclude(number, reason, getpass.getuser())

    _with_study(ctx, path, data_dir, database_url, write)
    typer.echo(f"participant {number} is excluded: {reason}")


def report(
    ctx: typer.Context,
    path: StudyFile,
    out: Annotated[Path, typer.Option("--out", help="Folder to write to; files of the same name are replaced.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Writes an HTML report with plots, and tidy CSV files."""
    from bot.clock import utc_now
    from bot.study.collecting import collect
    from bot.study.report import write_report

    async def read(settings: "Settings", study: "StudyConfig") -> Any:
        async with _opened(settings, study) as kept:
            return study, await collect(kept, study)

    study, tables = _with_study(ctx, path, data_dir, database_url, read)
    for written in write_report(study, tables, out, utc_now()):
        typer.echo(str(written))


def simulate(
    ctx: typer.Context,
    path: StudyFile,
    participants: Annotated[int, typer.Option("--participants", min=1, max=5000)] = 30,
    seed: Annotated[int, typer.Option("--seed", help="The same seed makes the same participants.")] = 1,
    effect: Annotated[
        list[str] | None,
        typer.Option("--effect", help="Planted effect FACTOR=LEVEL:SIZE, e.g. mode=mixed:0.5.", show_default=False),
    ] = None,
    power: Annotated[bool, typer.Option("--power", help="How many participants the effects found would need.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Also write the report there.", show_default=False)] = None,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Sends simulated participants through the real bot, in a database of their own."""
    import tempfile

    from bot.config import load_settings
    from bot.study.config import load_study

    study = load_study(path)
    effects = [_effect(text) for text in effect or ()]
    with tempfile.TemporaryDirectory() as folder:
        chosen = effective_options(ctx, data_dir=data_dir)
        settings = load_settings(**chosen)
        simulated = load_settings(**{**chosen, "database_url": f"sqlite:///{folder}/simulated.sqlite"})
        found = asyncio.run(_simulate(settings, simulated, study, participants, seed, effects, power, out))
    if as_json:
        emit(found)
        return
    for name, value in found.items():
        if not isinstance(value, list | dict):
            typer.echo(f"{name.replace('_', ' ')}: {value}")
    for name in ("by_cell", "intents"):
        typer.echo(
            f"{name.replace('_', ' ')}: " + ", ".join(f"{key or 'all'} {count}" for key, count in found[name].items())
        )
    for row in found.get("power", ()):
        typer.echo(f"{row['factor']} {row['measure']}: g {row['hedges_g']}, needs {row['n_for_80_percent']} a level")


async def _simulate(
    settings: "Settings",
    simulated: "Settings",
    study: "StudyConfig",
    participants: int,
    seed: int,
    effects: list[Any],
    power: bool,
    out: Path | None,
) -> dict[str, Any]:
    from bot.app import policy_of, running_bot
    from bot.clock import utc_now
    from bot.progress import shown_progress
    from bot.storage.store import open_store
    from bot.study.collecting import collect
    from bot.study.report import analyse, write_report
    from bot.study.running import study_desk
    from bot.study.simulate import SimulatedClock
    from bot.study.simulate import simulate as run
    from bot.study.summary import needed, simulation_summary

    clock = SimulatedClock(utc_now())
    with shown_progress() as told:
        async with running_bot(settings, told) as bot, open_store(simulated.database, clock) as store:
            know = bot.manager.know
            desk = study_desk(
                study, settings, store, bot.manager, bot.manager.understander, know.recommender, know.catalogue,
                know.domains, policy_of(settings), clock,
            )  # fmt: skip
            with _bar(participants) as advance:
                done = await run(
                    desk, know.catalogue, clock, participants, seed=seed, effects=effects, progress=advance
                )
            tables = await collect(desk.kept, study)
    found = simulation_summary(done, tables)
    if power:
        found["power"] = needed(analyse(study, tables).comparisons)
    if out is not None:
        write_report(study, tables, out, utc_now())
        found["report"] = str(out / "report.html")
    return found


def _effect(text: str) -> Any:
    from bot.errors import UsageError
    from bot.study.simulate import Effect

    name, _, rest = text.partition("=")
    level, _, size = rest.rpartition(":")
    try:
        return Effect(name, level, float(size))
    except ValueError as error:
        raise UsageError(f"--effect {text}: expected FACTOR=LEVEL:SIZE, such as mode=mixed:0.5") from error


def _with_study(ctx: typer.Context, path: Path, data_dir: Path | None, database_url: str | None, act: Any) -> Any:
    from bot.config import load_settings
    from bot.study.config import load_study

    study = load_study(path)
    settings = load_settings(**effective_options(ctx, data_dir=data_dir, database_url=database_url))
    return asyncio.run(act(settings, study))


@asynccontextmanager
async def _opened(settings: "Settings", study: "StudyConfig") -> "AsyncIterator[StudyStore]":
    from bot.clock import utc_now
    from bot.storage.store import open_store
    from bot.study.store import StudyStore

    async with open_store(settings.database, utc_now) as store:
        yield StudyStore(store, study)


class _bar:  # noqa: N801 - used as a function
    """A progress bar over participants, on a terminal only."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        self._bar = Progress(console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task("Simulating", total=total)

    def __enter__(self) -> Any:
        self._bar.start()
        return lambda done, _: self._bar.update(self._task, completed=done)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
