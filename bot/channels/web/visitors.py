"""Who visits: a random token in a cookie, which knows nothing of the person; forms prove that they come from it."""

import hmac
import secrets
from typing import Annotated

from fastapi import Depends, HTTPException
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from bot.fingerprint import fingerprint

COOKIE = "visitor"
CSRF_FIELD = "csrf"
CSRF_HEADER = "X-CSRF-Token"
_LONGEST = 64
_YEAR = 365 * 24 * 3600


def visitor_of(request: Request) -> str:
    """The visitor's token; a new one for a browser that has none, which `remember` sends along."""
    known: str | None = getattr(request.state, "visitor", None)
    if known is None:
        sent = request.cookies.get(COOKIE, "")
        request.state.is_new = not 32 <= len(sent) <= _LONGEST
        known = secrets.token_urlsafe(32) if request.state.is_new else sent
        request.state.visitor = known
    return known


def remember(request: Request, response: Response) -> None:
    """Sends a new visitor's token to the browser."""
    visitor_of(request)
    if request.state.is_new:
        set_cookie(request, response, COOKIE, request.state.visitor)


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """Sets a cookie that scripts and other sites never see."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=_YEAR, httponly=True, samesite="lax", secure=secure)


def forget_cookie(request: Request, response: Response, name: str) -> None:
    """Deletes a cookie."""
    response.delete_cookie(name, httponly=True, samesite="lax", secure=request.url.scheme == "https")


def csrf_token(request: Request) -> str:
    """What a form of this visitor must carry."""
    return fingerprint("form", visitor_of(request))


async def checked_form(request: Request) -> FormData:
    """The fields of a form, or none when the header proves where the request comes from.

    Raises:
        HTTPException: 403 when the form does not come from a page of this visitor.
    """
    form = await request.form()
    given = request.headers.get(CSRF_HEADER) or form.get(CSRF_FIELD)
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), csrf_token(request).encode()):
        raise HTTPException(403)
    return form


Form = Annotated[FormData, Depends(checked_form)]
