"""`converse replay`: published conversations through the bot, and how far it agrees with what was recorded."""

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import Json, emit
from bot.options import settings_of

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.replay.rows import Conversation
    from bot.replay.running import Found

HELP = """Replay published ConveRSE conversations through the bot, guided and free.

Guided, the state before each message is rebuilt from that user's earlier rows; free, the bot runs on its own.

Example: converse replay datasets/converse --json
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(replay)


def replay(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds movie/messages_nl.json and so on.")],
    domain: Annotated[str | None, typer.Option(help="Only the files of this domain.")] = None,
    differences: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every disagreement there, one JSON object a line.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Replays and prints agreement with the recorded labels."""
    from bot.errors import DataError
    from bot.replay.rows import conversations

    found = [one for one in conversations(folder) if domain in {None, one.domain}]
    if not found:
        raise DataError(f"{folder}: no file of the domain {domain!r}; leave --domain out to replay all")
    result = asyncio.run(_replay(settings_of(ctx), found))
    if differences is not None:
        _write(result, differences)
    document = result.document()
    if as_json:
        emit(document)
    else:
        typer.echo(_text(document))


async def _replay(settings: "Settings", found: "list[Conversation]") -> "Found":
    import tempfile

    from bot.app import running_bot
    from bot.progress import shown_progress
    from bot.replay.running import replay as run
    from bot.tally import shown_bar

    with tempfile.TemporaryDirectory() as folder:
        scratch = settings.model_copy(update={"database_url": f"sqlite:///{folder}/unused.db"})
        async with AsyncExitStack() as stack:
            with shown_progress() as progress:
                bot = await stack.enter_async_context(running_bot(scratch, progress))
            advance = stack.enter_context(shown_bar("Replaying", 2 * sum(len(one.rows) for one in found)))
            return await run(bot.manager, found, advance)


def _write(found: "Found", path: Path) -> None:
    """One JSON object a line: what the two recorded in a row, or a message of the free run to read."""
    lines = [asdict(one) for one in found.guided.disagreements]
    lines += [
        {"field": field, **asdict(case)}
        for field, cases in (("fallback", found.free.fallbacks), ("nothing_recognised", found.free.nothing))
        for case in cases
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


def _text(document: dict[str, object]) -> str:
    """The figures as a small table."""
    rows = [("rows", "n", "intent", "events", "contexts", "objects")]
    by_file = document["by_file"]
    assert isinstance(by_file, dict)
    for name, counts in (("trusted", document["trusted"]), ("all", document["all"]), *by_file.items()):
        assert isinstance(counts, dict)
        rows.append((name, *(str(counts[column]) for column in rows[0][1:])))
    lines = ["  ".join(cell.ljust(28 if place == 0 else 8) for place, cell in enumerate(row)) for row in rows]
    shares = ("fallback_share", "disambiguation_per_preference", "nothing_recognised_share")
    return "\n".join([*lines, "", *(f"{name}: {document[name]}" for name in shares)])
