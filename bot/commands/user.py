"""`converse user`: a person's data out, or gone; old data gone."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import group, in_store
from bot.options import DatabaseUrl, DataDir, is_terminal, settings_of

if TYPE_CHECKING:
    from bot.channels.base import UserKey
    from bot.config import Settings

Person = Annotated[str, typer.Argument(metavar="ID", help="CHANNEL:NAME such as telegram:12345, or a --user NAME.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    commands = group(app, "user", "What is stored of a person: out, or gone.")
    commands.command("export", epilog="Example: converse user export telegram:12345 > person.json")(export)
    commands.command("erase", epilog="Example: converse user erase telegram:12345 --yes")(erase)
    commands.command("purge", epilog="Example: converse user purge --days 365 --yes")(purge)


def export(ctx: typer.Context, person: Person, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Writes everything stored of a person to stdout, as JSON."""
    import json

    from bot.errors import UsageError

    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url)
    found = in_store(settings, lambda store: store.my_data(_user(person)))
    if not found:
        raise UsageError(f"nothing is stored of {person}")
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))


def erase(
    ctx: typer.Context,
    person: Person,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Deletes everything stored of a person, messages included."""
    from bot.errors import UsageError
    from bot.storage.engine import shown_url

    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url)
    _confirm(f"Delete everything of {person} in {shown_url(settings.database)}?", yes=yes)
    user = _user(person)
    erased = in_store(settings, lambda store: store.erase(user))
    if not (_forget_typed(settings, user) or erased):
        raise UsageError(f"nothing is stored of {person}")
    typer.echo(f"everything of {person} is deleted")


def purge(
    ctx: typer.Context,
    days: Annotated[int | None, typer.Option(min=1, help="Age in days; CONVERSE_RETENTION_DAYS otherwise.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Deletes messages older than the retention period, and users who were not seen since."""
    from bot.clock import utc_now
    from bot.errors import UsageError
    from bot.storage.engine import shown_url

    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url, retention_days=days)
    age = settings.retention_days
    if age is None:
        raise UsageError("no period is set: give --days, or set CONVERSE_RETENTION_DAYS")
    _confirm(f"Delete what is older than {age} days in {shown_url(settings.database)}?", yes=yes)
    before = utc_now() - timedelta(days=age)
    typer.echo(f"{in_store(settings, lambda store: store.purge(before))} messages are deleted")


def _user(person: str) -> "UserKey":
    """The user whom an argument names; without a channel, one of the terminal."""
    from bot.channels.base import UserKey
    from bot.channels.console import CHANNEL

    channel, colon, name = person.partition(":")
    return UserKey(channel, name) if colon else UserKey(CHANNEL, person)


def _forget_typed(settings: "Settings", user: "UserKey") -> bool:
    """Deletes what a user of the terminal typed there. Tells whether there was anything."""
    from bot.channels.console import CHANNEL, history_of

    typed = history_of(settings.data_dir, user.external_id)
    if user.channel != CHANNEL or not typed.exists():
        return False
    typed.unlink()
    return True


def _confirm(question: str, *, yes: bool) -> None:
    import sys

    from bot.errors import UsageError

    if yes:
        return
    if not is_terminal(sys.stdin):
        raise UsageError("this cannot be undone: add --yes to do it")
    if not typer.confirm(question):
        raise typer.Exit(1)
