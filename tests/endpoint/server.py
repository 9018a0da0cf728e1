"""The server (Oxigraph behind HTTP) and the faults that it can be made to have."""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import uvicorn
from pyoxigraph import Quad, QueryResultsFormat, Store
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

JSON = "application/sparql-results+json"
Fault = Callable[[Request, Callable[[Request], Awaitable[Response]]], Awaitable[Response]]


@dataclass
class Server:
    """A running endpoint.

    Attributes:
        faults: what happens to the next requests, one each; None lets one through.
        agents: User-Agent of each request.
        methods: HTTP method of each request.
        queries: the queries asked.
        most_at_once: the most queries that were being answered together.
    """

    store: Store
    url: str = ""
    faults: deque[Fault | None] = field(default_factory=deque)
    agents: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    under_way: int = 0
    most_at_once: int = 0

    async def handle(self, request: Request) -> Response:
        self.agents.append(request.headers.get("user-agent", ""))
        self.methods.append(request.method)
        fault = self.faults.popleft() if self.faults else None
        return await (fault(request, self.answer) if fault else self.answer(request))

    async def answer(self, request: Request) -> Response:
        query = request.query_params.get("query") or parse_qs((await request.body()).decode()).get("query", [""])[0]
        self.queries.append(query)
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            body = await run_in_threadpool(self._select, query)
        except SyntaxError as error:
            return PlainTextResponse(f"malformed query: {error}", status_code=400)
        finally:
            self.under_way -= 1
        return Response(body, media_type=JSON)

    def _select(self, query: str) -> bytes:
        found = self.store.query(query)
        body = found.serialize(format=QueryResultsFormat.JSON)  # type: ignore[union-attr]
        assert body is not None
        return body

    def reset(self) -> None:
        self.faults.clear()
        for seen in (self.agents, self.methods, self.queries):
            seen.clear()
        self.most_at_once = 0


def status(code: int, retry_after: str | None = None) -> Fault:
    async def fault(_request: Request, _answer: Callable[[Request], Awaitable[Response]]) -> Response:
        headers = {"Retry-After": retry_after} if retry_after is not None else None
        return PlainTextResponse("Query deadline is expired", status_code=code, headers=headers)

    return fault


def silent(seconds: float) -> Fault:
    async def fault(_request: Request, _answer: Callable[[Request], Awaitable[Response]]) -> Response:
        await asyncio.sleep(seconds)
        return Response(b"{}", media_type=JSON)

    return fault


def changed(change: Callable[[bytes], bytes]) -> Fault:
    """An answer with another body, still as 200."""

    async def fault(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        return Response(change(bytes((await answer(request)).body)), media_type=JSON)

    return fault


def trickling(every: float) -> Fault:
    """A byte now and then: each read is in time, the whole never comes."""

    async def fault(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        body = bytes((await answer(request)).body)

        async def drip() -> AsyncIterator[bytes]:
            for place in range(len(body)):
                yield body[place : place + 1]
                await asyncio.sleep(every)

        return StreamingResponse(drip(), media_type=JSON)

    return fault


TRUNCATED = changed(lambda body: body[: len(body) // 2])
MIXED = changed(
    lambda body: body[:-40] + b"\njava.util.concurrent.TimeoutException\n\tat org.example.Query(Query.java:1)\n"
)
NO_JSON = changed(lambda _body: b"<html><body>Service temporarily overloaded</body></html>")
OTHER_JSON = changed(lambda _body: b'{"error": "overloaded"}')
ODD_ROWS = changed(
    lambda _body: b'{"head":{"vars":["item"]},"results":{"bindings":[{"item":{"type":"uri","value":7}}]}}'
)
LYING = changed(
    lambda _body: (
        b'{"head":{"vars":["item","name"]},"results":{"bindings":[{"item":{"type":"uri","value":"http://evil/Q1"},'
        b'"name":{"type":"literal","value":"x"}}]}}'
    )
)


@contextlib.contextmanager
def running(data: Iterable[Quad]) -> Iterator[Server]:
    """A server on a free port of this machine, with that data."""
    store = Store()
    store.bulk_extend(data)
    server = Server(store)
    app = Starlette(routes=[Route("/sparql", server.handle, methods=["GET", "POST"])])
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1
    )
    http = uvicorn.Server(config)
    thread = threading.Thread(target=http.run, daemon=True)
    thread.start()
    while not http.started:
        time.sleep(0.01)
    port = http.servers[0].sockets[0].getsockname()[1]
    server.url = f"http://127.0.0.1:{port}/sparql"
    try:
        yield server
    finally:
        http.should_exit = True
        thread.join()
