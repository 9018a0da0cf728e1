"""`converse chat`: talk to the bot in the terminal, or with a script."""

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, get_args
from uuid import uuid4

import typer

from bot.dialogue.state import DialogueState, InteractionMode
from bot.errors import UsageError
from bot.options import DatabaseUrl, DataDir, effective_options, is_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from bot.app import Bot
    from bot.channels.base import UserKey
    from bot.config import Settings

HELP = """Chat about films, books or music in the terminal.

With --user NAME what you like is kept from run to run; without, each run starts with a fresh profile. When the input
is no terminal, each of its lines is one message. With --json each line is answered by one JSON object on stdout.

Examples:

    converse chat --user anna

    printf 'I like The Godfather\\nsuggest something\\n' | converse chat --json --domain movie
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(chat)


def chat(
    ctx: typer.Context,
    domain: Annotated[str | None, typer.Option(help="movie, book, music or a domain of your own.")] = None,
    mode: Annotated[str | None, typer.Option(help="nl, mixed or buttons.")] = None,
    user: Annotated[str | None, typer.Option(help="Whose profile to use and keep.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Write one JSON object for each line.")] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Checks the options and talks until the input ends."""
    from bot.config import load_settings
    from bot.logs import configure_logs

    if mode is not None and mode not in get_args(InteractionMode):
        raise UsageError(f"there is no mode {mode!r}; choose one of {', '.join(get_args(InteractionMode))}")
    if user is not None and not user.strip():
        raise UsageError("the name after --user is empty; leave --user out for a fresh profile")
    if sys.stdin is None:  # descriptor 0 is then another file's
        raise UsageError("stdin is closed, so there are no messages: use a terminal, a pipe or a file (or /dev/null)")
    overrides = effective_options(ctx, domain=domain, mode=mode, data_dir=data_dir, database_url=database_url)
    settings = load_settings(**overrides)
    configure_logs(settings.log_level, settings.log_format)
    chosen: dict[str, Any] = {name: overrides[name] for name in ("domain", "mode") if name in overrides}
    try:
        asyncio.run(_talk(settings, user, chosen, json_output=json_output))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


async def _talk(settings: "Settings", name: str | None, chosen: dict[str, Any], *, json_output: bool) -> None:
    from rich.console import Console

    from bot.app import running_bot
    from bot.channels.base import UserKey
    from bot.channels.console import CHANNEL, JsonScreen, RichScreen, Screen, chat, piped_lines, typed_lines
    from bot.clock import utc_now
    from bot.progress import shown_progress

    typed = is_terminal(sys.stdin) and not json_output
    session = uuid4().hex
    user = UserKey(CHANNEL, name or f"fresh-{session}")
    async with AsyncExitStack() as stack:
        with shown_progress() as progress:
            bot = await stack.enter_async_context(running_bot(settings, progress))
        await _choose(bot, user, session, settings, chosen)
        screen: Screen = JsonScreen(sys.stdout) if json_output else RichScreen(Console(), echo=not typed)
        if typed:
            _welcome(settings.language, named=name is not None)
        lines = typed_lines(_history(settings, name)) if typed else piped_lines()
        await chat(bot.manager, bot.store, lines, screen, user, session=session, clock=utc_now)


def _history(settings: "Settings", name: str | None) -> "Path | None":
    """Where a named user's lines are kept, for the arrow keys; those of others are not."""
    from bot.channels.console import history_of

    if name is None:
        return None
    path = history_of(settings.data_dir, name)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    return path


def _welcome(language: str, *, named: bool) -> None:
    """Says how to begin and how to end."""
    from bot.channels.wording import load_channel_wordings, wording_in

    says = wording_in(language, load_channel_wordings()).says
    typer.secho(says["terminal"] if named else f"{says['terminal']}\n{says['fresh']}", dim=True)


async def _choose(bot: "Bot", user: "UserKey", session: str, settings: "Settings", chosen: dict[str, Any]) -> None:
    """Puts the user's conversation into the domain and mode that the command line names."""
    from bot.app import initial_state
    from bot.channels.base import Reply, Turn
    from bot.clock import utc_now
    from bot.storage.base import Outcome

    if not chosen:
        return
    turn = Turn(user, f"{session}:0", "text", "", utc_now())
    async with bot.store.open_turn(turn) as opened:
        state: DialogueState = opened.state or initial_state(settings)
        changed = replace(state, **chosen)
        if state.domain != changed.domain:
            changed = replace(changed, recommendations=(), position=None, suggested=None, questions=())
        changed = replace(changed, domain_chosen=state.domain_chosen or "domain" in chosen)
        await opened.save(Outcome(changed, opened.profile, Reply(())))
    await bot.store.mark_sent(turn)
