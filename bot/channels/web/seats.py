"""Where a visitor sits: in the open chat or in a study, and as whom."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import Response

from bot.channels.base import UserKey
from bot.channels.conversation import Conversation
from bot.channels.web.talks import CHANNEL
from bot.channels.web.visitors import COOKIE, forget_cookie, set_cookie, visitor_of
from bot.fingerprint import fingerprint

TOKEN = "token"  # noqa: S105 - name of a parameter
"""A link with this parameter stands for one person, whatever browser opens it."""

_VALUE = re.compile(r"[A-Za-z0-9.-]+(?:_[A-Za-z0-9.-]+)*")
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Seat:
    """One place to talk.

    Attributes:
        user: who talks there.
        base: beginning of the addresses of its pages: "" or "/study/NAME".
        conversation: what answers.
        language: of the pages; None for the one that the visitor's browser asks for.
    """

    user: UserKey
    base: str
    conversation: Conversation
    language: str | None = None


SeatOf = Callable[..., Awaitable[Seat]]
"""Finds the seat of a request, whose parts it asks for as routes do. Raises HTTPException when there is none."""


def open_user(request: Request) -> UserKey:
    """Who a visitor is in the open chat."""
    return UserKey(CHANNEL, fingerprint(visitor_of(request)))


def study_user(request: Request, study: str, parameters: Mapping[str, str]) -> UserKey:
    """Who a visitor is in a study: the person of the link, whatever the browser; else the browser.

    Args:
        request: of the visitor.
        study: its name.
        parameters: of the link, see `link_parameters`; the first one tells the person.
    """
    if parameters:
        name, value = next(iter(parameters.items()))
        return UserKey(CHANNEL, fingerprint(study, name, value))
    return UserKey(CHANNEL, fingerprint(study, visitor_of(request)))


def link_parameters(found: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """The parameters of a study's link that recruiting services use, in the study's order; others are dropped."""
    wanted = (*names, TOKEN)
    values = {name: found[name] for name in wanted if name in found}
    return {name: value for name, value in values.items() if len(value) <= _LONGEST and _VALUE.fullmatch(value)}


def keep_parameters(request: Request, response: Response, study: str, parameters: Mapping[str, str]) -> None:
    """Lets the browser remember by which link it came, so that the address shows nothing of the person."""
    set_cookie(request, response, _cookie(study), urlencode(parameters))


def kept_parameters(request: Request, study: str) -> dict[str, str]:
    """By which link the browser came."""
    return dict(parse_qsl(request.cookies.get(_cookie(study), "")))


def _cookie(study: str) -> str:
    return f"link-{study}"


def leave(request: Request, response: Response, seat: Seat) -> None:
    """Lets the browser forget who it was in a seat."""
    if seat.base:
        forget_cookie(request, response, _cookie(seat.base.rpartition("/")[2]))
    else:
        forget_cookie(request, response, COOKIE)
