"""`converse study`: from a YAML file to a finished report."""

import asyncio
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import Json, emit, group
from bot.options import DataDir, settings_of

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.study.config import StudyConfig

StudyName = Annotated[str, typer.Argument(help="The study's file, or the name of a study.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Adds `converse study`."""
    study = group(app, "study", "User studies: make one, watch it, report on it, try it with simulated participants.")
    study.command("new", epilog="Example: converse study new tastes")(new)
    study.command("check", epilog="Example: converse study check tastes")(check)
    study.command("simulate", epilog="Example: converse study simulate tastes --participants 60")(simulate)


def new(
    name: Annotated[str, typer.Argument(help="Small letters, digits and hyphens.")],
    out: Annotated[Path | None, typer.Option("--out", help="File to write; default NAME.yaml.")] = None,
) -> None:
    """Writes a commented study file to fill in."""
    from bot.errors import UsageError
    from bot.study.config import check_name, template

    check_name(name)
    path = out or Path(f"{name}.yaml")
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name, or --out")
    try:
        path.write_text(template(name), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); choose another --out") from error
    typer.echo(f"{path} is ready to be filled in; then: converse study check {path}")


def check(ctx: typer.Context, name: StudyName, data_dir: DataDir = None) -> None:
    """Checks a study file and shows what participants will go through."""
    from bot.study.assignment import assign, between_cells, within_cells
    from bot.study.journey import steps_of
    from bot.study.running import check_levels
    from data.domains import load_domains

    study = asyncio.run(_found(settings_of(ctx, data_dir=data_dir), name))
    check_levels(study, load_domains())
    cells, within = between_cells(study), within_cells(study)
    typer.echo(f"{study.title}: {len(cells)} between-subject cells, {len(within)} conditions a participant")
    for step in steps_of(study, assign(study, (), 0)):
        place = f" [{step.condition.label}]" if step.condition and step.condition.levels else ""
        typer.echo(f"  {step.kind} {step.name}{place}".rstrip())
    if study.recruiting.completion_code == "CHANGE-ME":
        typer.echo("note: the completion code is still CHANGE-ME", err=True)


async def _found(settings: "Settings", name: str) -> "StudyConfig":
    """The study of a name; the database is opened only when no file has it. Raises as `find_study`."""
    from bot.study.config import load_study
    from bot.study.finding import opened_study, study_file

    path = study_file(name)
    if path is not None:
        return load_study(path)
    async with opened_study(settings, name) as opened:
        return opened.study


def simulate(
    ctx: typer.Context,
    name: StudyName,
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

    settings = settings_of(ctx, data_dir=data_dir)
    study = asyncio.run(_found(settings, name))
    effects = [_effect(text) for text in effect or ()]
    with tempfile.TemporaryDirectory() as folder:
        simulated = settings.model_copy(update={"database_url": f"sqlite:///{folder}/simulated.sqlite"})
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
    from bot.app import running_bot
    from bot.clock import utc_now
    from bot.progress import shown_progress
    from bot.storage.store import open_store
    from bot.study.collecting import collect
    from bot.study.report import analyse, write_report
    from bot.study.running import study_desk
    from bot.study.simulate import SimulatedClock
    from bot.study.simulate import simulate as run
    from bot.study.status import study_status
    from bot.study.summary import needed, simulation_summary
    from bot.tally import shown_bar

    clock = SimulatedClock(utc_now())
    with shown_progress() as told:
        async with running_bot(settings, told) as bot, open_store(simulated.database, clock) as store:
            desk = study_desk(study, settings, store, bot.manager, bot.manager, clock)
            with shown_bar("Simulating", participants) as advance:
                done = await run(desk, bot.catalogue, clock, participants, seed=seed, effects=effects, progress=advance)
            tables = await collect(desk.kept, study)
            conversation = (await study_status(desk.kept, study))["conversation"]
    found = simulation_summary(done, tables, conversation)
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
        effect = Effect(name, level, float(size))
        if not math.isfinite(effect.quality):
            raise ValueError(size)
        return effect
    except ValueError as error:
        raise UsageError(f"--effect {text}: expected FACTOR=LEVEL:SIZE, such as mode=mixed:0.5") from error
