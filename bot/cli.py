"""The `converse` command: every family of commands is a module of `bot.commands`."""

import errno
import importlib
import os
import pkgutil
import sys
from io import TextIOWrapper
from typing import Any, NoReturn

import typer

import bot.commands
from bot.errors import ConverseError
from bot.options import remember_globals

_REMEDIES = {
    errno.ENOSPC: "free some space, then try again",
    errno.EDQUOT: "free some space, then try again",
    errno.EACCES: "give the right to it, or name another file or folder",
    errno.EPERM: "give the right to it, or name another file or folder",
    errno.EMFILE: "close some programs or raise `ulimit -n`",
}


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
    """Entry point: a known error is one line on stderr and its own exit code; 2 means that the user can mend it.

    So are files that the system refuses, stdout among them, and a question that nobody answers.
    """
    _write_what_can_be_written()
    try:
        code = build_app()(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except ConverseError as error:
        _fail(str(error), error.exit_code)
    except OSError as error:
        _fail(_about_file(error), 1)
    except typer.Abort:
        _fail("stopped before it was answered; nothing was done.", 1)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _fail_to_parse(error)  # what typer's parser raises; its class is private
    sys.exit(code if isinstance(code, int) else 0)


def _write_what_can_be_written() -> None:
    """Characters that the terminal's encoding does not have become question marks instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _about_file(error: OSError) -> str:
    """What the system refused, and the remedy."""
    _let_go_of_stdout()
    if error.errno == errno.EPIPE:
        return "what reads the output has gone"
    what = f"{error.filename}: " if error.filename is not None else ""
    remedy = _REMEDIES.get(error.errno or 0, "give another file or folder")
    return f"{what}{error.strerror or error}: {remedy}"


def _let_go_of_stdout() -> None:
    """Drops what could not be written, which Python would try again, and complain about, at its end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
