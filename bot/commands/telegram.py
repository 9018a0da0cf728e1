"""`converse telegram`: the bot on Telegram."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.options import DatabaseUrl, DataDir, settings_of

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.study.config import StudyConfig

HELP = """Run the Telegram bot until it is stopped; TELEGRAM_BOT_TOKEN holds the token from @BotFather.

Without --webhook-url it fetches messages itself (long polling), which needs no public address. TELEGRAM_BASE_URL names
a Bot API server other than Telegram's own.

Examples:

    TELEGRAM_BOT_TOKEN=... converse telegram

    converse telegram --webhook-url https://bot.example.org/telegram --port 8443

    converse telegram --study tastes.yaml
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(telegram)


def telegram(
    ctx: typer.Context,
    webhook_url: Annotated[str | None, typer.Option(help="Public https address that Telegram sends to.")] = None,
    host: Annotated[str | None, typer.Option(help="Address that the webhook server listens on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port that the webhook server listens on.")] = None,
    study: Annotated[
        list[Path] | None,
        typer.Option(
            "--study", help="A study to run; its link is https://t.me/YOUR_BOT?start=NAME.", show_default=False
        ),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Checks the settings and runs until stopped."""
    from bot.channels.telegram.run import token_of
    from bot.logs import configure_logs
    from bot.study.config import load_study

    studies = [load_study(path) for path in study or ()]
    settings = settings_of(
        ctx,
        webhook_url=webhook_url,
        webhook_host=host,
        webhook_port=port,
        data_dir=data_dir,
        database_url=database_url,
    )
    configure_logs(settings.log_level, settings.log_format, [token_of(settings)])
    asyncio.run(_run(settings, studies))


async def _run(settings: "Settings", studies: "Sequence[StudyConfig]") -> None:
    from bot.app import initial_state, running_bot
    from bot.channels.privacy import PrivacyDesk
    from bot.channels.telegram.run import run_telegram
    from bot.channels.telegram.server import health_routes
    from bot.channels.wording import load_channel_wordings
    from bot.clock import utc_now
    from bot.metrics import Measured, Metrics
    from bot.progress import shown_progress
    from bot.study.running import with_studies

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        with shown_progress() as progress:
            bot = await stack.enter_async_context(running_bot(settings, progress))
        metrics = Metrics()
        desk = PrivacyDesk(bot.manager, bot.store, load_channel_wordings(), initial_state(settings), utc_now)
        await run_telegram(
            settings,
            Measured(with_studies(studies, settings, bot, desk), metrics),
            bot.store,
            routes=health_routes(bot.problems, metrics.text),
            clock=utc_now,
            notify=partial(typer.echo, err=True),
            stop=stop,
        )
