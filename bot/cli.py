"""The `converse` command: every family of commands is a module of `bot.commands`."""

import importlib
import pkgutil
import sys

import typer

import bot.commands
from bot.errors import ConverseError
from bot.options import remember_globals


def build_app() -> typer.Typer:
    """The root command with everything that `bot.commands` registers."""
    app = typer.Typer(
        name="converse",
        help="A conversational recommender for films, books and music.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(remember_globals)
    for module in sorted(pkgutil.iter_modules(bot.commands.__path__), key=lambda found: found.name):
        importlib.import_module(f"bot.commands.{module.name}").register(app)
    return app


def main() -> None:
    """Entry point: a known error is one line on stderr and its own exit code."""
    try:
        build_app()()
    except ConverseError as error:
        sys.stderr.write(f"converse: {error}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
