"""Options that many commands share, understood before and after the command's name."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bot.config import Settings

DataDir = Annotated[Path | None, typer.Option(help="Folder of the database and of all you create.", show_default=False)]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME.", show_default=False),
]


def remember_globals(ctx: typer.Context, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Callback of the root command: keeps what was given before the command's name."""
    ctx.obj = {"data_dir": data_dir, "database_url": database_url}


def effective_options(ctx: typer.Context, **options: Any) -> dict[str, Any]:
    """What the command line sets: options after the command's name win over those before it.

    Args:
        ctx: context of the command.
        options: the command's own values by name of the setting, None where not given.

    Returns:
        Overrides for `bot.config.load_settings`.
    """
    before: dict[str, Any] = ctx.find_root().obj or {}
    return {**before, **{name: value for name, value in options.items() if value is not None}}


def settings_of(ctx: typer.Context, **options: Any) -> "Settings":
    """The settings that a command runs with. Raises ConfigError.

    Args:
        ctx: context of the command.
        options: as in `effective_options`.
    """
    from bot.config import load_settings

    return load_settings(**effective_options(ctx, **options))
