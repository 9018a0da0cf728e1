"""Runs the web server until told to stop; what is in hand is finished."""

import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from bot.errors import UsageError

FINISHING_SECONDS = 20
MOST_CONNECTIONS = 2000


def listen(host: str, port: int) -> socket.socket:
    """A socket to serve on. Raises UsageError when the address cannot be used."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = str(error.strerror or error).partition(" (")[0]
        raise UsageError(f"cannot listen on {host} port {port} ({reason}): choose another --port") from error


class _Server(uvicorn.Server):
    """A server that first ends the streams of open pages, which would last for ever, and then finishes the rest."""

    def __init__(self, config: uvicorn.Config, closing: Callable[[], None]) -> None:
        super().__init__(config)
        self._close = closing

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as the library calls it
        """Begins to stop; a second signal does not wait any longer."""
        self._close()
        self.force_exit = self.should_exit
        self.should_exit = True


async def serve(
    app: FastAPI, listening: socket.socket, closing: Callable[[], None], ready: Callable[[str], None]
) -> None:
    """Serves until SIGINT or SIGTERM.

    Args:
        app: the application.
        listening: from `listen`.
        closing: called when the server begins to stop.
        ready: told the address, when people can come.
    """
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        proxy_headers=True,
        server_header=False,
        timeout_graceful_shutdown=FINISHING_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
        lifespan="off",
    )
    host, port = listening.getsockname()[:2]
    ready(f"http://{f'[{host}]' if ':' in host else host}:{port}/")
    await _Server(config, closing).serve([listening])
