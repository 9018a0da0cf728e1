"""Signing in and out, the accounts and the log of what researchers did."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.channels.throttle import Throttle
from bot.channels.web.visitors import Form
from bot.dashboard.accounts import Session
from bot.dashboard.guard import ATTEMPTS, COOKIE, SIGN_IN, checked, let_in
from bot.dashboard.parts import Parts
from bot.errors import UsageError

_LINES = 100


def signing_routes(parts: Parts) -> APIRouter:
    """The routes of signing in and out."""
    router = APIRouter(prefix="/admin")
    guard = parts.guard
    throttle = Throttle(ATTEMPTS)
    Signed = Annotated[Session, Depends(guard.session)]

    @router.get("/login")
    async def ask(request: Request) -> Response:
        is_new = not await guard.accounts.all()
        return parts.page(request, None, "login.html", fault="", is_new=is_new, name="")

    @router.post("/login")
    async def sign_in(request: Request, form: Form) -> Response:
        name, password = str(form.get("name", "")).strip(), str(form.get("password", ""))
        address = request.client.host if request.client else ""
        if not throttle.admits(address):
            return parts.page(request, None, "login.html", 429, fault="often", is_new=False, name=name)
        token = await guard.accounts.sign_in(name, password)
        if token is None:
            return parts.page(request, None, "login.html", 401, fault="wrong", is_new=False, name=name)
        response = RedirectResponse("/admin", 303)
        let_in(request, response, token)
        return response

    @router.post("/logout")
    async def sign_out(request: Request, session: Signed) -> Response:
        await checked(request, session)
        await guard.accounts.sign_out(request.cookies[COOKIE])
        response = RedirectResponse(SIGN_IN, 303)
        response.delete_cookie(COOKIE, path="/admin", httponly=True, samesite="strict")
        return response

    return router


def account_routes(parts: Parts) -> APIRouter:
    """The routes of the log and of the accounts."""
    router = APIRouter(prefix="/admin")
    guard = parts.guard
    Signed = Annotated[Session, Depends(guard.session)]
    Owner = Annotated[Session, Depends(guard.owner)]
    Change = Annotated[tuple[Session, FormData], Depends(guard.change)]

    @router.get("/log")
    async def log(request: Request, session: Signed, page: int = 0) -> Response:
        lines, total = await guard.accounts.audit(max(page, 0), _LINES)
        return parts.page(
            request, session, "log.html", lines=lines, number=max(page, 0), pages=max(-(-total // _LINES), 1)
        )

    @router.get("/accounts")
    async def accounts(request: Request, session: Owner) -> Response:
        return parts.page(request, session, "accounts.html", accounts=await guard.accounts.all(), fault="")

    @router.post("/accounts")
    async def change(request: Request, change: Change) -> Response:
        session, form = change
        try:
            await _change(parts, session, form)
        except UsageError as error:
            known = await guard.accounts.all()
            return parts.page(request, session, "accounts.html", 400, accounts=known, fault=str(error))
        return RedirectResponse("/admin/accounts", 303)

    return router


async def _change(parts: Parts, session: Session, form: FormData) -> None:
    """Adds an account, or removes another's. Raises UsageError."""
    accounts, name = parts.guard.accounts, str(form.get("name", ""))
    if form.get("action") == "remove":
        if name == session.account.name:
            raise UsageError("you cannot remove the account that you are signed in with")
        await accounts.remove(name, session.account.name)
        return
    await accounts.add(name, str(form.get("role")), str(form.get("password", "")), session.account.name)
