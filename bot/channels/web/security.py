"""What every response says to the browser for safety, and how much a request may carry."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.channels.throttle import Throttle

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


def headers_for(scheme: str) -> dict[str, str]:
    """The headers of every response over http or https."""
    return {**HEADERS, **(_SECURE if scheme == "https" else {})}


class Safety:
    """Adds the headers, and turns away what is too much, too large, or sent because of another site."""

    def __init__(self, app: ASGIApp, throttle: Throttle) -> None:
        """Takes the application, and how much may be sent from one address of the network."""
        self._app = app
        self._throttle = throttle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, unless it is turned away."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = headers_for(scope["scheme"])

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in headers.items():
                    sent.setdefault(name, value)  # a page may have a stricter policy of its own
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, safely)
        else:
            await self._app(scope, _Limited(receive).receive, safely)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if scope["method"] in _SAFE_METHODS:
            return None
        if headers.get("sec-fetch-site", "none") not in _OWN:
            return PlainTextResponse("Forbidden", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return PlainTextResponse("Too large", 413)
        address = (scope.get("client") or ("unknown",))[0]
        if not self._throttle.admits(address):
            return PlainTextResponse("Too many requests", 429, {"Retry-After": "10"})
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
