"""The families of commands. Each module has `register(app)`, which adds its commands; `bot.cli` finds them all."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from bot.options import settings_of

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.storage.store import SqlStore
    from data.catalogue import Catalogue

Thing = TypeVar("Thing")
Result = TypeVar("Result")

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
"""The option of every command whose result programs read."""

CataloguePath = Annotated[
    Path | None,
    typer.Option("--catalogue", help="A catalogue file or folder; default: the one in use.", show_default=False),
]


def emit(document: Any) -> None:
    """Writes a result as one line of JSON on stdout; numbers that JSON does not know (NaN, infinity) become null."""
    import orjson

    typer.echo(orjson.dumps(document, option=orjson.OPT_SERIALIZE_NUMPY).decode())


def chosen_catalogue(ctx: typer.Context, path: Path | None, data_dir: Path | None) -> "Catalogue":
    """The catalogue that `--catalogue` names, or the one in use. Raises as `bot.parts.catalogue_of`."""
    from bot.parts import catalogue_of
    from data.catalogue import load_catalogue

    return load_catalogue(path) if path is not None else catalogue_of(settings_of(ctx, data_dir=data_dir))


def within(opening: AbstractAsyncContextManager[Thing], act: Callable[[Thing], Awaitable[Result]]) -> Result:
    """Opens something such as the database, does one thing with it and closes it; gives what the action gives."""
    import asyncio

    async def run() -> Result:
        async with opening as thing:
            return await act(thing)

    return asyncio.run(run())


def in_store(settings: "Settings", act: "Callable[[SqlStore], Awaitable[Result]]") -> Result:
    """Opens the database of the settings, does one thing with it and closes it; gives what the action gives."""
    from bot.clock import utc_now
    from bot.storage.store import open_store

    return within(open_store(settings.database, utc_now), act)


def group(app: typer.Typer, name: str, help_text: str) -> typer.Typer:
    """The sub-command group of that name, made on first use, so that several modules can add to one group.

    Args:
        app: the root command.
        name: e.g. "evaluate".
        help_text: shown by `converse NAME --help`; the first module's text counts.

    Returns:
        The group to add commands to.
    """
    for known in app.registered_groups:
        if known.name == name and known.typer_instance is not None:
            return known.typer_instance
    made = typer.Typer(help=help_text, no_args_is_help=True)
    app.add_typer(made, name=name)
    return made
