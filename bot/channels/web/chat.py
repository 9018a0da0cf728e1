"""The chat of a seat: messages in, replies out, and the news for pages that are open or come back."""

import hashlib
import re
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from bot.channels.base import Turn
from bot.channels.web.pages import Pages
from bot.channels.web.seats import Seat, SeatOf
from bot.channels.web.talks import SAID, Talks, TooManyError
from bot.channels.web.visitors import CSRF_HEADER, Form
from bot.errors import StorageError
from bot.storage.transcript import Exchange

FIELD = "message_id"
LONGEST_MESSAGE = 10_000
"""Characters that are passed on; the bot says itself when a message is too long to be read."""

SHOWN = 30

_LARGEST = 2**63 - 1
Place = Annotated[int, Query(ge=0, le=_LARGEST)]
"""Number of an exchange in an address."""

_KEY_DIGITS = 8
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_PICTURE_WIDTH = 240
_STREAM = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def new_message_id() -> str:
    """An id for the next message of a page, by which the message is known however often it is sent."""
    return secrets.token_urlsafe(12)


class Chat:
    """The routes that every seat's chat has, below the seat's own address."""

    def __init__(self, pages: Pages, talks: Talks, clock: Callable[[], datetime]) -> None:
        """Takes what makes pages, what answers, and what gives the present moment."""
        self._pages = pages
        self._talks = talks
        self._clock = clock

    def routes(self, prefix: str, seat_of: SeatOf) -> APIRouter:
        """The routes.

        Args:
            prefix: of their addresses.
            seat_of: finds the seat of a request.
        """
        router = APIRouter(prefix=prefix)
        Here = Annotated[Seat, Depends(seat_of)]

        @router.post("/messages")
        async def send(request: Request, seat: Here, form: Form) -> Response:
            return await self._send(request, seat, form)

        @router.get("/events")
        async def follow(
            request: Request, seat: Here, after: Place = 0, last: Annotated[str, Header(alias="Last-Event-ID")] = ""
        ) -> Response:
            return await self._follow(request, seat, min(int(last), _LARGEST) if last.isdecimal() else after)

        @router.get("/earlier")
        async def earlier(request: Request, seat: Here, before: Place) -> Response:
            known = await self.shown(seat, before)
            return HTMLResponse(self._pages.fragment(request, "transcript.html", language=seat.language, **known))

        return router

    async def shown(self, seat: Seat, before: int | None = None) -> dict[str, Any]:
        """What pages show of a conversation: the latest exchanges, or those before one. Raises StorageError."""
        found = await self._talks.said(seat.user, before=before, most=SHOWN + 1)
        name = seat.user.external_id[:_KEY_DIGITS]
        return {"exchanges": found[-SHOWN:], "has_earlier": len(found) > SHOWN, "base": seat.base, "seat_key": name}

    async def _send(self, request: Request, seat: Seat, form: Any) -> Response:
        turn = await self._turn(seat, form)
        by_script = CSRF_HEADER in request.headers
        await self._talks.take(seat.conversation, turn)
        exchange = await self._talks.one(turn)
        home = seat.base or "/"
        if not by_script:
            return RedirectResponse(f"{home}#latest" if exchange else home, 303)
        if exchange is None:  # nothing is kept: consent is missing or was withdrawn, or a study does not go on
            return Response(status_code=204, headers={"X-Go": home})
        return HTMLResponse(self._rendered(request, seat, exchange))

    async def _turn(self, seat: Seat, form: Any) -> Turn:
        text, option = str(form.get("text") or "")[:LONGEST_MESSAGE], form.get("option")
        given = str(form.get(FIELD) or "")
        number = given if _ID.fullmatch(given) else new_message_id()
        content = hashlib.sha256(f"{option or ''}\0{text}".encode("utf-8", "replace")).hexdigest()[:8]
        update_id = f"{SAID}{number}.{content}"
        if isinstance(option, str) and option:
            label = await self._label(seat, option)
            return Turn(seat.user, update_id, "option", label, self._clock(), option[:64])
        return Turn(seat.user, update_id, "text", text, self._clock())

    async def _label(self, seat: Seat, option: str) -> str:
        """What stood on a pressed button."""
        recent = await self._talks.said(seat.user, most=SHOWN)
        offered = (each for exchange in reversed(recent) for each in exchange.reply.options)
        return next((each.label for each in offered if each.id == option), "")

    async def _follow(self, request: Request, seat: Seat, after: int) -> Response:
        if not await self._talks.store.consented(seat.user):
            return Response(status_code=204)  # tells the browser not to come back
        self._talks.admit(seat.user)
        stream = self._events(request, seat, after)
        return StreamingResponse(stream, media_type="text/event-stream", headers=_STREAM)

    async def _events(self, request: Request, seat: Seat, after: int) -> AsyncIterator[str]:
        yield "retry: 1000\n\n"
        try:
            async for found in self._talks.news(seat.user, after):
                yield "".join(self._event(request, seat, exchange) for exchange in found) or ":\n\n"
        except (StorageError, TooManyError):
            return  # the browser comes back by itself

    def _event(self, request: Request, seat: Seat, exchange: Exchange) -> str:
        lines = self._rendered(request, seat, exchange).splitlines()
        data = "".join(f"data: {line}\n" for line in lines)
        return f"id: {exchange.number}\nevent: exchange\n{data}\n"

    def _rendered(self, request: Request, seat: Seat, exchange: Exchange) -> str:
        return self._pages.fragment(request, "exchange.html", base=seat.base, exchange=exchange, language=seat.language)


def client_id(update_id: str) -> str:
    """The id that the page gave a message."""
    return update_id.removeprefix(SAID).rpartition(".")[0]


def picture(url: str) -> str:
    """The address of a picture in the size that pages show, where its server makes sizes."""
    if "Special:FilePath/" not in url:
        return url
    address = url.partition("?")[0].replace("http://", "https://", 1)
    return f"{address}?width={_PICTURE_WIDTH}"


def is_card(options: Sequence[Any]) -> bool:
    """Whether a reply shows an item: it can be liked."""
    return any(option.id.startswith("like:") for option in options)


FILTERS = {"client_id": client_id, "picture": picture, "is_card": is_card}
