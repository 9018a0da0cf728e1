"""What people may do with what is stored of them in a seat: read about it, take it along, have it deleted."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.channels.web.pages import Pages
from bot.channels.web.seats import Seat, SeatOf, leave
from bot.channels.web.talks import Talks
from bot.channels.web.visitors import Form


def rights_routes(pages: Pages, talks: Talks, prefix: str, seat_of: SeatOf) -> APIRouter:
    """The routes that every seat has, below its own address.

    Args:
        pages: makes pages.
        talks: what is kept.
        prefix: of the addresses.
        seat_of: finds the seat of a request.
    """
    router = APIRouter(prefix=prefix)
    Here = Annotated[Seat, Depends(seat_of)]

    def page(request: Request, template: str, seat: Seat, **values: Any) -> Response:
        return pages.page(request, template, base=seat.base, language=seat.language, **values)

    @router.get("/privacy")
    async def privacy(request: Request, seat: Here) -> Response:
        return page(request, "privacy.html", seat, is_known=await talks.store.consented(seat.user))

    @router.get("/data")
    async def data(seat: Here) -> Response:
        found = await talks.store.my_data(seat.user)
        headers = {"Content-Disposition": 'attachment; filename="my_data.json"', "Cache-Control": "no-store"}
        return JSONResponse(found, headers=headers)

    @router.post("/forget")
    async def forget(request: Request, seat: Here, form: Form) -> Response:
        if form.get("sure") != "yes":
            return page(request, "forget.html", seat)
        await talks.store.erase(seat.user)
        talks.ring(seat.user)
        response = page(request, "message.html", seat, heading="forgotten_title", texts=("forgotten",))
        leave(request, response, seat)
        return response

    return router
