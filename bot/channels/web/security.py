"""What every response says to the browser for safety, and how much a request may carry."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 512 * 1024
"""Bytes of a request; a study's file is the largest thing anyone sends."""

PICTURES = "https://commons.wikimedia.org https://upload.wikimedia.org"
HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'self'; img-src 'self' {PICTURES}; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_SECURE = {"Strict-Transport-Security": "max-age=31536000"}
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
_OWN = {"same-origin", "none"}


class Safety:
    """Adds the headers, and turns away requests that are too large or that another site makes a browser send."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, unless it is turned away."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {**HEADERS, **(_SECURE if scope["scheme"] == "https" else {})}

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        refusal = _refusal(scope["method"], Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, safely)
        else:
            await self._app(scope, _Limited(receive).receive, safely)


def _refusal(method: str, headers: Headers) -> PlainTextResponse | None:
    if method in _SAFE_METHODS:
        return None
    if headers.get("sec-fetch-site", "none") not in _OWN:
        return PlainTextResponse("Forbidden", 403)
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > LARGEST_BODY:
        return PlainTextResponse("Too large", 413)
    return None


class _Limited:
    """A body that ends when it grows too large, whatever its header promised."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._taken = 0

    async def receive(self) -> Message:
        """The next part of the body; a connection that sends too much is taken for closed."""
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self._taken > LARGEST_BODY else message
