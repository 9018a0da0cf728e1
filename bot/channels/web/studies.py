"""The pages that lead a participant through a study; what comes next is decided by the study's desk alone."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Depends, HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.channels.base import Option, Turn, TurnKind
from bot.channels.conversation import Conversation
from bot.channels.web.chat import Chat, Place, new_message_id
from bot.channels.web.pages import Pages
from bot.channels.web.rights import rights_routes
from bot.channels.web.seats import Seat, keep_parameters, kept_parameters, link_parameters, study_user
from bot.channels.web.talks import FORM, Talks
from bot.channels.web.visitors import Form
from bot.study.desk import AGREE, DECLINE, StudyDesk
from bot.study.guide import SKIP
from bot.study.view import Asked, StepView

QUESTIONS_A_PAGE = 6
LONGEST_OPINION = 2000
_TEMPLATES = {
    "questionnaire": "questionnaire.html",
    "battle": "battle.html",
    "done": "done.html",
    "stopped": "stopped.html",
}


class Desks(Conversation, Protocol):
    """Where the desk of a study is found; see `bot.study.studies.Studies`."""

    async def desk(self, name: str) -> StudyDesk | None: ...


class StudyPages:
    """Everything at `/study/NAME`."""

    def __init__(self, pages: Pages, talks: Talks, desks: Desks, clock: Callable[[], datetime]) -> None:
        """Takes the parts."""
        self._pages = pages
        self._talks = talks
        self._desks = desks
        self._clock = clock
        self._chat = Chat(pages, talks, clock)

    def router(self) -> APIRouter:
        """The routes of all studies."""
        prefix = "/study/{name}"
        router = APIRouter()
        router.include_router(self._chat.routes(prefix, self._seat))
        router.include_router(rights_routes(self._pages, self._talks, prefix, self._seat))
        Here = Annotated[Seat, Depends(self._seat)]
        Desk = Annotated[StudyDesk, Depends(self._desk)]

        @router.get(prefix)
        async def step(request: Request, seat: Here, desk: Desk, before: Place | None = None) -> Response:
            parameters = link_parameters(request.query_params, desk.study.recruiting.parameters)
            if parameters:
                response = RedirectResponse(seat.base, 303)
                keep_parameters(request, response, desk.study.name, parameters)
                return response
            return await self._show(request, seat, desk, before)

        @router.get(f"{prefix}/bar")
        async def bar(request: Request, seat: Here, desk: Desk) -> Response:
            view = await desk.view(seat.user)
            if view is None:
                raise HTTPException(404)
            return self._page(request, "study_bar.html", seat, desk, view=view, panel=True)

        @router.post(f"{prefix}/consent")
        async def consent(request: Request, seat: Here, desk: Desk, form: Form) -> Response:
            return await self._consent(request, seat, desk, form)

        @router.post(f"{prefix}/answers")
        async def answers(request: Request, seat: Here, desk: Desk, form: Form) -> Response:
            return await self._answers(request, seat, desk, form)

        @router.post(f"{prefix}/vote")
        async def vote(seat: Here, desk: Desk, form: Form) -> Response:
            return await self._vote(seat, desk, form)

        return router

    async def _desk(self, name: str) -> StudyDesk:
        desk = await self._desks.desk(name)
        if desk is None:
            raise HTTPException(404)
        return desk

    async def _seat(self, request: Request, name: str) -> Seat:
        desk = await self._desk(name)
        user = study_user(request, name, self._parameters(request, desk))
        participant = await desk.kept.find(user)
        wished = self._pages.language(request)
        known = desk.study.languages
        language = participant.language if participant else wished if wished in known else known[0]
        return Seat(user, f"/study/{name}", self._desks, language)

    def _parameters(self, request: Request, desk: StudyDesk) -> dict[str, str]:
        names = desk.study.recruiting.parameters
        return link_parameters(kept_parameters(request, desk.study.name), names)

    async def _show(self, request: Request, seat: Seat, desk: StudyDesk, before: int | None) -> Response:
        """The page of the step in which the visitor is."""
        view = await desk.view(seat.user)
        if view is None:
            return await self._invite(request, seat, desk)
        if view.kind == "task":
            shown = await self._chat.shown(seat, before)
            known = {"view": view, "panel": True, "message_id": new_message_id(), **shown}
            return self._page(request, "chat.html", seat, desk, **known)
        if view.kind == "questionnaire":
            return self._questionnaire(request, seat, desk, view)
        back = _way_back(desk) if view.kind == "done" else None
        return self._page(request, _TEMPLATES[view.kind], seat, desk, view=view, text=view.text, back=back)

    def _questionnaire(
        self, request: Request, seat: Seat, desk: StudyDesk, view: StepView, given: Mapping[int, Option] | None = None
    ) -> Response:
        """Some questions of a questionnaire; with what was `given` when an answer is missing."""
        page = _page_of(view)
        missing = [] if given is None else [place for place, _ in page if place not in given]
        known = {"view": view, "page": page, "given": given or {}, "missing": missing}
        return self._page(request, "questionnaire.html", seat, desk, 422 if missing else 200, **known)

    async def _invite(self, request: Request, seat: Seat, desk: StudyDesk) -> Response:
        """The information sheet with the consent form, or why nobody is let in. Nothing is stored."""
        knock = self._turn(seat, "invite", "", f"/start {desk.study.name}")
        reply = (await desk.handle(knock)).reply
        if not reply.options:
            return self._page(request, "stopped.html", seat, desk, text="\n".join(reply.texts))
        languages = {code: self._pages.texts(code)("language_name") for code in desk.study.languages}
        return self._page(request, "study_consent.html", seat, desk, languages=languages)

    async def _consent(self, request: Request, seat: Seat, desk: StudyDesk, form: Mapping[str, Any]) -> Response:
        agrees = form.get("answer") == "agree"
        if agrees and desk.study.eligibility and form.get("eligible") != "yes":
            return RedirectResponse(seat.base, 303)
        values = "".join(f"__{key}-{value}" for key, value in self._parameters(request, desk).items())
        text = f"/start {desk.study.name}{values}"
        option = desk.option(AGREE if agrees else DECLINE)
        result = await self._talks.take(desk, self._turn(seat, "consent", option, text))
        if await desk.kept.find(seat.user) is not None:
            return RedirectResponse(seat.base, 303)
        return self._page(request, "stopped.html", seat, desk, text="\n".join(result.reply.texts))

    async def _answers(self, request: Request, seat: Seat, desk: StudyDesk, form: Mapping[str, Any]) -> Response:
        """Takes the answers of a page, all or none."""
        view = await desk.view(seat.user)
        if view is None or view.kind != "questionnaire" or form.get("step") != str(view.number):
            return RedirectResponse(seat.base, 303)
        given = {
            place: option
            for place, question in _page_of(view)
            for option in question.options
            if option.id == form.get(f"q{place}")
        }
        if len(given) < len(_page_of(view)):
            return self._questionnaire(request, seat, desk, view, given)
        answers = [self._turn(seat, f"{_form_id(form)}/{place}", one.id, one.label) for place, one in given.items()]
        going_on = self._turn(seat, _form_id(form), None, "")  # where nothing is asked
        await self._talks.take(desk, *(answers or [going_on]))
        return RedirectResponse(seat.base, 303)

    async def _vote(self, seat: Seat, desk: StudyDesk, form: Mapping[str, Any]) -> Response:
        view = await desk.view(seat.user)
        if view is None or view.kind != "battle" or form.get("step") != str(view.number):
            return RedirectResponse(seat.base, 303)
        opinion = str(form.get("opinion") or "").strip()[:LONGEST_OPINION]
        options = view.questions[0].options
        chosen = next((each for each in options if each.id == form.get("choice")), None)
        if options and chosen:
            await self._talks.take(desk, self._turn(seat, _form_id(form), chosen.id, chosen.label))
        if not options:
            option = None if opinion and form.get("choice") != "skip" else SKIP
            await self._talks.take(desk, self._turn(seat, _form_id(form), option, opinion))
        return RedirectResponse(seat.base, 303)

    def _turn(self, seat: Seat, what: str, option: str | None, text: str) -> Turn:
        moment = self._clock()
        kind: TurnKind = "option" if option else "text"
        return Turn(seat.user, f"{FORM}{what}", kind, text, moment, option or None, seat.language)

    def _page(
        self, request: Request, template: str, seat: Seat, desk: StudyDesk, status: int = 200, **values: Any
    ) -> Response:
        known = {"base": seat.base, "language": seat.language, "study": desk.study, "form_id": new_message_id()}
        return self._pages.page(request, template, status, **{**known, **values})


def _page_of(view: StepView) -> list[tuple[int, Asked]]:
    """The next questions of a questionnaire with their places."""
    return list(enumerate(view.questions))[view.answered : view.answered + QUESTIONS_A_PAGE]


def _form_id(form: Mapping[str, Any]) -> str:
    """The id of a form, by which what it does is done once, however often it is sent."""
    return str(form.get("form_id") or new_message_id())[:64]


def _way_back(desk: StudyDesk) -> str | None:
    """Where a participant goes at the end."""
    recruiting = desk.study.recruiting
    return recruiting.completion_url and recruiting.completion_url.replace("{code}", recruiting.completion_code)
