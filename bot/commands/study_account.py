"""`converse study account`: who may see the researchers' pages."""

import getpass
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import Result, group, in_store
from bot.options import DatabaseUrl, DataDir, is_terminal, settings_of

if TYPE_CHECKING:
    from bot.dashboard.accounts import AccountStore

Name = Annotated[str, typer.Argument(help="To sign in with.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    account = group(group(app, "study", ""), "account", "Accounts for the researchers' pages (converse web, /admin).")
    account.command("add", epilog="Example: converse study account add olga --role owner")(add)
    account.command("list", epilog="Example: converse study account list")(show)
    account.command("remove", epilog="Example: converse study account remove olga")(remove)
    account.command("password", epilog="Example: converse study account password olga")(password)


def add(
    ctx: typer.Context,
    name: Name,
    role: Annotated[str, typer.Option(help="owner: may change things; viewer: only looks.")] = "owner",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Makes an account; asks for the password, or reads it from the first line of stdin."""
    chosen = _asked()
    _in_accounts(ctx, data_dir, database_url, lambda accounts: accounts.add(name, role, chosen, getpass.getuser()))
    typer.echo(f"{name} can sign in at /admin of converse web ({role})")


def show(ctx: typer.Context, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Lists the accounts."""
    found = _in_accounts(ctx, data_dir, database_url, lambda accounts: accounts.all())
    for account in found:
        typer.echo(f"{account.name}: {account.role}")
    if not found:
        typer.echo("there is no account yet; make one with: converse study account add NAME", err=True)


def remove(ctx: typer.Context, name: Name, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Deletes an account and signs it out."""
    _in_accounts(ctx, data_dir, database_url, lambda accounts: accounts.remove(name, getpass.getuser()))
    typer.echo(f"{name} is removed")


def password(ctx: typer.Context, name: Name, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Gives an account a new password, unlocks it and signs it out everywhere."""
    chosen = _asked()
    _in_accounts(ctx, data_dir, database_url, lambda accounts: accounts.set_password(name, chosen, getpass.getuser()))
    typer.echo(f"{name} has a new password")


def _asked() -> str:
    """The password; it never stands on the command line, where others could read it."""
    if is_terminal(sys.stdin):
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\r\n") if sys.stdin is not None else ""


def _in_accounts(
    ctx: typer.Context,
    data_dir: Path | None,
    database_url: str | None,
    act: "Callable[[AccountStore], Awaitable[Result]]",
) -> Result:
    """Does something with the accounts of the database."""
    from bot.dashboard.accounts import AccountStore

    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url)
    return in_store(settings, lambda store: act(AccountStore(store)))
