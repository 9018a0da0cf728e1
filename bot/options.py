"""Options that many commands share, understood before and after the command's name."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from bot.config import Settings


def named_folder(text: str) -> Path:
    """The folder that an option names; an empty name, such as that of an unset variable, is not the current folder.

    Raises:
        typer.BadParameter: the name is empty.
    """
    if not text.strip():
        raise typer.BadParameter("the name of the folder is empty")
    return Path(text)


def named_path(text: str) -> Path:
    """The file or folder that an option names, which must not be empty either.

    Raises:
        typer.BadParameter: the name is empty.
    """
    if not text.strip():
        raise typer.BadParameter("the name of the file or folder is empty")
    return Path(text)


DataDir = Annotated[
    Path | None,
    typer.Option(
        parser=named_folder,
        metavar="<path>",
        help="Folder of the database and of all you create.",
        show_default=False,
    ),
]
OutFolder = Annotated[
    Path,
    typer.Option(
        "--out",
        parser=named_folder,
        metavar="<path>",
        help="Folder to write to; files of the same name are replaced.",
        show_default=False,
    ),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME.", show_default=False),
]


def remember_globals(ctx: typer.Context, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Callback of the root command: keeps what was given before the command's name."""
    ctx.obj = {"data_dir": data_dir, "database_url": database_url}


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody sits at a standard stream; there is none when the shell closed it (`<&-`)."""
    return stream is not None and stream.isatty()


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
