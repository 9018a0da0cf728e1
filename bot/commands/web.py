"""`converse web`: the chat and the studies in a browser."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.options import DatabaseUrl, DataDir, settings_of

if TYPE_CHECKING:
    import socket

    from bot.config import Settings
    from bot.study.config import StudyConfig

HELP = """Run the web pages until stopped: the open chat at /, each study at /study/NAME, the dashboard at /admin.

Put a web server that speaks https before it when people use it from other machines (see docs/web.md).

Examples:

    converse web

    converse web --port 8080 --study tastes.yaml
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(web)


def web(
    ctx: typer.Context,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", show_default="8000", min=0, max=65535)] = None,
    study: Annotated[
        list[Path] | None,
        typer.Option("--study", help="A study to run; its link is /study/NAME.", show_default=False),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Checks the settings and the address, and runs until stopped."""
    from bot.channels.web.run import listen
    from bot.logs import configure_logs
    from bot.study.config import load_study

    studies = [load_study(path) for path in study or ()]
    settings = settings_of(ctx, web_host=host, web_port=port, data_dir=data_dir, database_url=database_url)
    configure_logs(settings.log_level, settings.log_format)
    with listen(settings.web_host, settings.web_port) as listening:
        asyncio.run(_run(settings, studies, listening))


async def _run(settings: "Settings", studies: "Sequence[StudyConfig]", listening: "socket.socket") -> None:
    from bot.app import running_bot
    from bot.channels.telegram.server import health_routes, serving
    from bot.channels.web.run import serve
    from bot.channels.web.site import build_site
    from bot.metrics import Metrics
    from bot.progress import shown_progress

    async with AsyncExitStack() as stack:
        with shown_progress() as progress:
            bot = await stack.enter_async_context(running_bot(settings, progress))
        metrics = Metrics()
        if settings.health_port is not None:
            routes = health_routes(bot.problems, metrics.text)
            await stack.enter_async_context(serving(routes, settings.webhook_host, settings.health_port))
        site = build_site(settings, bot, studies, metrics)
        await serve(site.app, listening, site.talks.close, partial(typer.echo, err=True))
