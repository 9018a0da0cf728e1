"""The `converse` command: every family of commands is a module of `bot.commands`."""

import importlib
import pkgutil
import sys
from typing import Any, NoReturn

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
    """Entry point: a known error is one line on stderr and its own exit code; 2 means that the user can mend it."""
    try:
        code = build_app()(standalone_mode=False)
    except ConverseError as error:
        _fail(str(error), error.exit_code)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _fail_to_parse(error)  # what typer's parser raises; its class is private
    sys.exit(code if isinstance(code, int) else 0)


def _fail_to_parse(error: Any) -> NoReturn:
    """One line for a wrong option or argument; the whole help for a command without its sub-command."""
    message = error.format_message().strip()
    command = error.ctx.command_path if getattr(error, "ctx", None) else "converse"
    if "\n" in message or not message:
        sys.stderr.write(f"{message}\n")
        sys.exit(error.exit_code)
    _fail(f"{message.rstrip('.')}. See `{command} --help`.", error.exit_code)


def _fail(message: str, exit_code: int) -> NoReturn:
    sys.stderr.write(f"converse: {message}\n")
    sys.exit(exit_code)


if __name__ == "__main__":
    main()
