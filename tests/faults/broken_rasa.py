"""A Rasa server that can be told to fail: it passes messages on to the real one, or is gone, hangs or talks rubbish."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import httpx
import tornado.web
from tornado.httpserver import HTTPServer
from tornado.locks import Event
from tornado.netutil import bind_sockets

Behaviour = Literal["good", "gone", "hanging", "rubbish"]


class BrokenRasa:
    """What the server does is `behaviour`; `asked` counts the messages it was to understand."""

    def __init__(self, real: str) -> None:
        self.url = ""
        self.behaviour: Behaviour = "good"
        self.asked = 0
        self.released = Event()
        self.client = httpx.AsyncClient(base_url=real, trust_env=False, timeout=30)


class _Handler(tornado.web.RequestHandler):
    def initialize(self, rasa: BrokenRasa) -> None:
        self._rasa = rasa

    async def get(self, path: str) -> None:
        self._pass_on(await self._rasa.client.get(path))

    async def post(self, path: str) -> None:
        self._rasa.asked += 1
        if self._rasa.behaviour == "gone":
            self.request.connection.stream.close()  # type: ignore[union-attr]
        elif self._rasa.behaviour == "hanging":
            await self._rasa.released.wait()
        elif self._rasa.behaviour == "rubbish":
            self.finish({"intent": None, "intent_ranking": [{"confidence": "very"}]})
        else:
            self._pass_on(await self._rasa.client.post(path, content=self.request.body))

    def _pass_on(self, response: httpx.Response) -> None:
        self.set_status(response.status_code)
        self.finish(response.content)


@asynccontextmanager
async def broken_rasa(real: str) -> AsyncIterator[BrokenRasa]:
    """The server while the context is open; `real` is the address of the one it passes on to."""
    rasa = BrokenRasa(real)
    server = HTTPServer(tornado.web.Application([(r"(/.*)", _Handler, {"rasa": rasa})]))
    sockets = bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    rasa.url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    try:
        yield rasa
    finally:
        rasa.released.set()
        server.stop()
        await server.close_all_connections()
        await rasa.client.aclose()
