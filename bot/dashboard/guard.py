"""Who may see and change what: the cookie, the form's token, and how often one address may try to sign in."""

import hmac

from fastapi import HTTPException
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from bot.dashboard.accounts import LASTS, AccountStore, Session

COOKIE = "researcher"
SIGN_IN = "/admin/login"
ATTEMPTS = 10
"""One address may try to sign in so often in a minute."""


class Guard:
    """Looks at the cookie of a request."""

    def __init__(self, accounts: AccountStore) -> None:
        self.accounts = accounts

    async def session(self, request: Request) -> Session:
        """Who is signed in. Raises HTTPException when nobody is: it leads to the page where one does."""
        token = request.cookies.get(COOKIE)
        session = await self.accounts.session(token) if token else None
        if session is None and request.headers.get("HX-Request"):
            raise HTTPException(401, headers={"HX-Refresh": "true"})
        if session is None:
            raise HTTPException(303, headers={"Location": SIGN_IN})
        return session

    async def owner(self, request: Request) -> Session:
        """Who is signed in and may change things. Raises HTTPException: as `session` does, or 403 for a viewer."""
        session = await self.session(request)
        if not session.may_change:
            raise HTTPException(403)
        return session

    async def change(self, request: Request) -> tuple[Session, FormData]:
        """A form that an owner sent from one of our pages.

        Raises:
            HTTPException: nobody is signed in; 403 for a viewer, or a form that comes from elsewhere.
        """
        session = await self.owner(request)
        return session, await checked(request, session)


async def checked(request: Request, session: Session) -> FormData:
    """The fields of a form that carries the session's token. Raises HTTPException (403) for any other."""
    form = await request.form()
    given = form.get("csrf")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), session.csrf.encode()):
        await form.close()
        raise HTTPException(403)
    return form


def let_in(request: Request, response: Response, token: str) -> None:
    """Gives the browser its cookie, which scripts and other sites never see."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(LASTS.total_seconds()),
        path="/admin",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
