"""The web application: puts pages, safety, static files and health together."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from bot.channels.throttle import Throttle
from bot.channels.web.pages import STATIC, Pages
from bot.channels.web.security import Safety, headers_for
from bot.errors import StorageError

Problems = Callable[[], Awaitable[Mapping[str, str]]]
"""Tells what does not work at the moment, by part."""

_EXPLAINED = {403, 404, 413, 429}
"""Statuses with a text of their own."""

_log = logging.getLogger(__name__)


def create_app(pages: Pages, problems: Problems, throttle: Throttle, *routers: APIRouter) -> FastAPI:
    """The application.

    Args:
        pages: makes pages, error pages too.
        problems: tells what does not work at the moment, by part; nothing when all does.
        throttle: how much may be sent from one address of the network, by all who share it.
        routers: of the chat, the studies, the researchers' dashboard.
    """
    app = FastAPI(title="ConveRSE", openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(Safety, throttle=throttle)
    app.mount("/static", _Static(directory=STATIC))
    app.include_router(_health(problems))
    for router in routers:
        app.include_router(router)

    async def explain(request: Request, error: Exception) -> Response:
        return _explained(pages, request, error)

    for kind in (HTTPException, RequestValidationError, StorageError, Exception):
        app.add_exception_handler(kind, explain)
    return app


def _explained(pages: Pages, request: Request, error: Exception) -> Response:
    """A page that says what went wrong in plain words, and nothing of the inside."""
    status = _status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("a page failed", exc_info=error, extra={"route": _route(request)})
    headers = {**headers_for(request.url.scheme), **(getattr(error, "headers", None) or {})}
    if "text/html" not in request.headers.get("Accept", ""):
        return PlainTextResponse(HTTPStatus(status).phrase, status, headers)
    family = 500 if status >= HTTPStatus.INTERNAL_SERVER_ERROR else 400
    key = f"error_{status if status in _EXPLAINED else family}"
    response = pages.page(request, "error.html", status, text=key)
    response.headers.update(headers)
    return response


def _status_of(error: Exception) -> int:
    if isinstance(error, HTTPException):
        return error.status_code
    if isinstance(error, RequestValidationError):
        return 400
    return 503 if isinstance(error, StorageError) else 500


def _route(request: Request) -> str:
    """The pattern of the address, which says nothing of the visitor."""
    return getattr(request.scope.get("route"), "path", "unknown")


class _Static(StaticFiles):
    """Files whose address changes with their content, so that browsers may keep them for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if b"v=" in scope.get("query_string", b""):
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def _health(problems: Problems) -> APIRouter:
    """`/healthz`: the process answers; `/readyz`: everything it needs does."""
    router = APIRouter()

    @router.get("/healthz")
    async def alive() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @router.get("/readyz")
    async def ready() -> JSONResponse:
        found = sorted(await problems())
        return JSONResponse(
            {"status": "failing", "problems": found} if found else {"status": "ok"}, 503 if found else 200
        )

    return router
