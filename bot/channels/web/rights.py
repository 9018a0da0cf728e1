"""What people may do with what is stored of them in a seat: read about it, take it along, have it deleted."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.channels.web.pages import Pages
from bot.channels.web.seats import Seat, SeatOf, leave
from bot.channels.web.talks import Talks
from bot.channels.web.visitors import Form


class Rights:
    """The routes that every seat has, below its own address."""

    def __init__(self, pages: Pages, talks: Talks) -> None:
        """Takes what makes pages, and what is kept."""
        self._pages = pages
        self._talks = talks

    def routes(self, prefix: str, seat_of: SeatOf) -> APIRouter:
        """The routes.

        Args:
            prefix: of their addresses.
            seat_of: finds the seat of a request.
        """
        router = APIRouter(prefix=prefix)
        Here = Annotated[Seat, Depends(seat_of)]  # noqa: N806 - a type

        @router.get("/privacy")
        async def privacy(request: Request, seat: Here) -> Response:
            is_known = await self._talks.store.consented(seat.user)
            return self._page(request, "privacy.html", seat, is_known=is_known)

        @router.get("/data")
        async def data(seat: Here) -> Response:
            found = await self._talks.store.my_data(seat.user)
            headers = {"Content-Disposition": 'attachment; filename="my_data.json"', "Cache-Control": "no-store"}
            return JSONResponse(found, headers=headers)

        @router.post("/forget")
        async def forget(request: Request, seat: Here, form: Form) -> Response:
            if form.get("sure") != "yes":
                return self._page(request, "forget.html", seat)
            await self._talks.store.erase(seat.user)
            self._talks.ring(seat.user)
            response = self._page(request, "message.html", seat, heading="forgotten_title", texts=("forgotten",))
            leave(request, response, seat)
            return response

        return router

    def _page(self, request: Request, template: str, seat: Seat, **values: Any) -> Response:
        return self._pages.page(request, template, base=seat.base, language=seat.language, **values)
