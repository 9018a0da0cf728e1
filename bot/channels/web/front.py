"""The open chat: consent, the page itself, and the switches above it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.channels.base import Turn
from bot.channels.conversation import Conversation
from bot.channels.privacy import AGREE
from bot.channels.web.chat import Chat, Place, new_message_id
from bot.channels.web.pages import LANGUAGE_COOKIE, Pages
from bot.channels.web.rights import rights_routes
from bot.channels.web.seats import Seat, open_user
from bot.channels.web.talks import SAID, Talks
from bot.channels.web.visitors import Form, set_cookie
from data.domains import DomainConfig


class Front:
    """Everything at `/`."""

    def __init__(
        self,
        pages: Pages,
        talks: Talks,
        conversation: Conversation,
        domains: Mapping[str, DomainConfig],
        clock: Callable[[], datetime],
    ) -> None:
        """Takes the parts; `conversation` asks for consent before it keeps anything."""
        self._pages = pages
        self._talks = talks
        self._conversation = conversation
        self._domains = domains
        self._clock = clock
        self._chat = Chat(pages, talks, clock)

    def router(self) -> APIRouter:
        """The routes of the open chat."""
        router = APIRouter()
        router.include_router(self._chat.routes("", self._seat))
        router.include_router(rights_routes(self._pages, self._talks, "", self._seat))
        Here = Annotated[Seat, Depends(self._seat)]

        @router.get("/")
        async def home(request: Request, seat: Here, before: Place | None = None) -> Response:
            return await self._home(request, seat, before)

        @router.get("/bar")
        async def bar(request: Request, seat: Here) -> Response:
            response = self._pages.page(request, "bar.html", **await self._bar(seat))
            state = await self._talks.state(seat.user)
            if state is not None and state.language != self._pages.language(request):
                set_cookie(request, response, LANGUAGE_COOKIE, state.language)
                response.headers["HX-Refresh"] = "true"
            return response

        @router.post("/consent")
        async def consent(request: Request, seat: Here, form: Form) -> Response:
            if form.get("answer") != "agree":
                return self._pages.page(request, "message.html", heading="refused_title", texts=("refused",))
            await self._talks.take(self._conversation, self._turn(request, seat, AGREE, "", "agree"))
            return RedirectResponse("/", 303)

        @router.post("/language")
        async def language(request: Request, seat: Here, form: Form) -> Response:
            return await self._switch_language(request, seat, str(form.get("language")), str(form.get("next")))

        return router

    async def _seat(self, request: Request) -> Seat:
        return Seat(open_user(request), "", self._conversation)

    async def _home(self, request: Request, seat: Seat, before: int | None) -> Response:
        if not await self._talks.store.consented(seat.user):
            return self._pages.page(request, "consent.html", languages=self._languages())
        state = await self._talks.state(seat.user)
        language = state.language if state else None
        response = self._pages.page(
            request,
            "chat.html",
            language=language,
            message_id=new_message_id(),
            panel=None,
            **await self._chat.shown(seat, before),
            **await self._bar(seat),
        )
        if language and language != self._pages.language(request):
            set_cookie(request, response, LANGUAGE_COOKIE, language)
        return response

    async def _bar(self, seat: Seat) -> dict[str, Any]:
        state = await self._talks.state(seat.user)
        language = state.language if state else None
        return {
            "domains": [(name, config.label(language or "en")) for name, config in self._domains.items()],
            "domain": state.domain if state else None,
            "languages": self._languages(),
            "bar_id": new_message_id(),
        }

    def _languages(self) -> dict[str, str]:
        """Code of each language to its own name."""
        return {code: self._pages.texts(code)("language_name") for code in self._pages.languages}

    def _turn(self, request: Request, seat: Seat, option: str, label: str, number: str) -> Turn:
        language = self._pages.language(request)
        return Turn(seat.user, f"{SAID}{number}.", "option", label, self._clock(), option, language)

    async def _switch_language(self, request: Request, seat: Seat, language: str, target: str) -> Response:
        response = RedirectResponse(target if target.startswith("/") and target[1:2] not in {"/", "\\"} else "/", 303)
        if language not in self._pages.languages:
            return response
        set_cookie(request, response, LANGUAGE_COOKIE, language)
        if await self._talks.store.consented(seat.user):
            label = self._languages()[language]
            turn = self._turn(request, seat, f"do:language:{language}", label, new_message_id())
            await self._talks.take(self._conversation, turn)
        return response
