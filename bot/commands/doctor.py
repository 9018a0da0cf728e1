"""`converse doctor`: what is installed, what is active, what is missing and how to get it."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from bot.commands import Json, emit
from bot.options import DatabaseUrl, DataDir, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.diagnosis import Check

_MARKS = {"ok": "✓", "off": "–", "missing": "✗"}


def register(app: typer.Typer) -> None:
    """Adds `converse doctor`."""
    app.command("doctor", epilog="Example: converse doctor --json")(doctor)


def doctor(
    ctx: typer.Context,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: Json = False,
) -> None:
    """Says what is installed, which models are active, and what is missing. Exit code 1 when the bot cannot run."""
    from bot.diagnosis import diagnose

    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url)
    checks = asyncio.run(diagnose(settings))
    ready = not any(check.required and check.state == "missing" for check in checks)
    if as_json:
        emit({"ready": ready, "checks": [asdict(check) for check in checks]})
    else:
        _show(checks, ready)
    if not ready:
        raise typer.Exit(1)


def _show(checks: "Sequence[Check]", ready: bool) -> None:
    width = max(len(check.part) for check in checks)
    for check in checks:
        typer.echo(f"{_MARKS[check.state]} {check.part:<{width}}  {check.detail}")
        if check.remedy:
            typer.echo(f"  {'':<{width}}  → {check.remedy}")
    typer.echo("The bot can run." if ready else "The bot cannot run yet: see ✗ above.")
