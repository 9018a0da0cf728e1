"""The bot's own web server: webhooks, health and metrics."""

import hmac
import json
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import tornado.web
from telegram import Bot, Update
from tornado.httpserver import HTTPServer

from bot.channels.telegram.polling import Accept
from bot.errors import BackendError

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of a header
LARGEST_UPDATE = 1_000_000

_log = logging.getLogger(__name__)

Route = tuple[str, type[tornado.web.RequestHandler], dict[str, Any]]


class _Handler(tornado.web.RequestHandler):
    """Says nothing of itself, and as little as possible in errors."""

    def set_default_headers(self) -> None:
        self.clear_header("Server")

    def write_error(self, status_code: int, **_details: Any) -> None:
        self.finish({"status": status_code})

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        if not isinstance(value, tornado.web.HTTPError):
            _log.error("a web request failed", exc_info=(kind, value, trace))


class _Nothing(_Handler):
    """Every other path."""

    def prepare(self) -> None:
        raise tornado.web.HTTPError(404)


class _Webhook(_Handler):
    """Takes one update, and says that it did only when it has been dealt with: Telegram sends it again otherwise."""

    def initialize(self, bot: Bot, accept: Accept, secret: str) -> None:
        self._bot = bot
        self._accept = accept
        self._secret = secret

    async def post(self) -> None:
        if not hmac.compare_digest(self.request.headers.get(SECRET_HEADER, "").encode(), self._secret.encode()):
            raise tornado.web.HTTPError(403)
        try:
            update = Update.de_json(json.loads(self.request.body), self._bot)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise tornado.web.HTTPError(400) from error
        await self._accept(update)


class _Health(_Handler):
    """Whether the bot lives, or whether everything it needs does."""

    def initialize(self, check: Callable[[], Awaitable[Mapping[str, str]]] | None) -> None:
        self._check = check

    async def get(self) -> None:
        problems = await self._check() if self._check else {}
        self.set_status(503 if problems else 200)
        self.finish({"status": "failing" if problems else "ok", **({"problems": dict(problems)} if problems else {})})


class _Metrics(_Handler):
    """The figures in Prometheus's format."""

    def initialize(self, figures: Callable[[], bytes]) -> None:
        self._figures = figures

    def get(self) -> None:
        self.set_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.finish(self._figures())


def webhook_route(path: str, bot: Bot, accept: Accept, secret: str) -> Route:
    """Where Telegram sends updates to."""
    return (path or "/", _Webhook, {"bot": bot, "accept": accept, "secret": secret})


def health_routes(ready: Callable[[], Awaitable[Mapping[str, str]]], figures: Callable[[], bytes]) -> list[Route]:
    """`/healthz`, `/readyz` and `/metrics`.

    Args:
        ready: gives what does not work, by part; nothing when all does.
        figures: gives the metrics as text.
    """
    return [
        ("/healthz", _Health, {"check": None}),
        ("/readyz", _Health, {"check": ready}),
        ("/metrics", _Metrics, {"figures": figures}),
    ]


@asynccontextmanager
async def serving(routes: list[Route], host: str, port: int) -> AsyncIterator[int]:
    """A web server while the context is open.

    Yields:
        The port it listens on.

    Raises:
        BackendError: the port cannot be used.
    """
    application = tornado.web.Application(routes, default_handler_class=_Nothing)
    server = HTTPServer(application, max_body_size=LARGEST_UPDATE)
    try:
        listening = socket.create_server((host, port))
    except OSError as error:
        raise BackendError(f"cannot listen on {host} port {port} ({error.strerror}): choose another port") from error
    listening.setblocking(False)
    server.add_socket(listening)
    try:
        yield int(listening.getsockname()[1])
    finally:
        server.stop()
        await server.close_all_connections()
