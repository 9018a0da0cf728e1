"""`converse export`: conversations out, in any of the published formats."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.options import DatabaseUrl, DataDir, effective_options

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.records import Record

HELP = """Write all conversations to a folder, in the format of a published dataset.

Users become consecutive numbers that cannot be traced back; e-mail addresses, links, @handles and phone numbers in
messages are replaced by [email], [link], [handle] and [phone]. In the ConveRSE format messages that it has no place for
(commands, consent, photos) are left out and counted in left_out.json.

Example:

    converse export --format converse --out my-dataset
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(export)


def export(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder to write to; files of the same name are replaced.")],
    format_name: Annotated[str, typer.Option("--format", help="Name of a dataset's format.")] = "converse",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Reads the records and writes them."""
    from bot.config import load_settings
    from bot.errors import UsageError
    from data.formats import WRITERS

    if format_name not in WRITERS:
        raise UsageError(f"unknown format {format_name!r}; known are {', '.join(sorted(WRITERS))}")
    settings = load_settings(**effective_options(ctx, data_dir=data_dir, database_url=database_url))
    written = _redacted(asyncio.run(_read(settings)))
    if not written:
        typer.echo("there are no conversations yet", err=True)
    elif format_name == "converse":
        _write_converse(written, out)
    else:
        from bot.export.dialogues import to_dialogues, write_dialogues

        for path in write_dialogues(to_dialogues(written), WRITERS[format_name], out):
            typer.echo(str(path))


async def _read(settings: "Settings") -> "list[tuple[int, Record]]":
    from bot.clock import utc_now
    from bot.storage.reading import all_records
    from bot.storage.store import open_store

    async with open_store(settings.database, utc_now) as store, store.reading() as connection:
        return [found async for found in all_records(connection)]


def _redacted(written: "list[tuple[int, Record]]") -> "list[tuple[int, Record]]":
    """The records without what may tell who wrote them; says how much was taken out."""
    from bot.export.redaction import redacted

    total: Counter[str] = Counter()
    made = []
    for user, record in written:
        clean, found = redacted(record)
        total += found
        made.append((user, clean))
    if total:
        taken = ", ".join(f"{kind} {count}" for kind, count in sorted(total.items()))
        typer.echo(f"taken out of messages: {taken}", err=True)
    return made


def _write_converse(written: "list[tuple[int, Record]]", out: Path) -> None:
    from bot.export.converse import to_rows, write_rows

    made = to_rows(written)
    write_rows(made, out)
    for name in sorted({*made.rows, *made.left_out}):
        rows, left = made.rows.get(name, []), sum(made.left_out.get(name, {}).values())
        users = len({row["userID"] for row in rows})
        typer.echo(f"{name}: {len(rows)} messages of {users} users, {left} left out")
