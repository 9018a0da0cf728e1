"""The page of a study, its participants and their conversations, and what an owner may do with them."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, HTTPException
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.dashboard import charts
from bot.dashboard.accounts import Session
from bot.dashboard.parts import Parts
from bot.dashboard.transcripts import transcript
from bot.errors import UsageError
from bot.study.desk import StudyDesk
from bot.study.figures import figures
from bot.study.journey import steps_of
from bot.study.plans import plan_of
from bot.study.population import STATES, Filter, Person, by_state, journey_of, population
from bot.study.status import alerts
from bot.study.store import Status

_AT_ONCE = 50
_LATEST = 8


def watching_routes(parts: Parts) -> APIRouter:
    """The routes of the page of a study."""
    router = APIRouter(prefix="/admin/studies/{name}")
    Signed = Annotated[Session, Depends(parts.guard.session)]
    Change = Annotated[tuple[Session, FormData], Depends(parts.guard.change)]

    @router.get("")
    async def study(request: Request, session: Signed, name: str) -> Response:
        desk = await parts.desk(name)
        template = "live.html" if request.headers.get("HX-Request") else "study.html"
        return parts.page(request, session, template, **await _overview(parts, desk, request))

    @router.post("")
    async def set_status(change: Change, name: str) -> Response:
        session, form = change
        desk = await parts.desk(name)
        status = form.get("status")
        if status not in get_args(Status):
            raise HTTPException(400)
        await desk.kept.set_status(status, session.account.name)  # type: ignore[arg-type]  # checked above
        return RedirectResponse(f"/admin/studies/{name}", 303)

    return router


def participant_routes(parts: Parts) -> APIRouter:
    """The routes of the participants of a study."""
    router = APIRouter(prefix="/admin/studies/{name}")
    Signed = Annotated[Session, Depends(parts.guard.session)]
    Change = Annotated[tuple[Session, FormData], Depends(parts.guard.change)]

    @router.get("/participants")
    async def people(request: Request, session: Signed, name: str, page: int = 0) -> Response:
        desk = await parts.desk(name)
        return parts.page(request, session, "participants.html", **await _people(desk, request, max(page, 0)))

    @router.get("/participants/{number}")
    async def person(request: Request, session: Signed, name: str, number: int, after: int = 0) -> Response:
        desk = await parts.desk(name)
        template = "exchanges.html" if request.headers.get("HX-Request") else "participant.html"
        return parts.page(request, session, template, **await _person(parts, desk, number, after), fault="")

    @router.post("/participants/{number}")
    async def intervene(request: Request, change: Change, name: str, number: int) -> Response:
        session, form = change
        desk = await parts.desk(name)
        try:
            await _intervene(desk, number, form, session.account.name)
        except UsageError as error:
            values = await _person(parts, desk, number, 0)
            return parts.page(request, session, "participant.html", 400, **values, fault=str(error))
        parts.counted.forget()
        return RedirectResponse(f"/admin/studies/{name}/participants/{number}", 303)

    return router


async def _overview(parts: Parts, desk: StudyDesk, request: Request) -> dict[str, Any]:
    chosen = Filter.of(request.query_params)
    return {
        **await parts.counted.get((desk.study.name, chosen), partial(_counted, parts, desk, chosen)),
        "study": desk.study,
        "running": await desk.kept.status(),
        "chosen": chosen,
        "domains": sorted(parts.domains),
        "done": (await desk.kept.audit())[-_LATEST:],
        "now": parts.clock(),
    }


async def _counted(parts: Parts, desk: StudyDesk, chosen: Filter) -> dict[str, Any]:
    """What is counted over all participants and messages: a second's work in large studies."""
    journey = journey_of(desk.study)
    people = await population(desk.kept, desk.study, chosen)
    found = await figures(desk.kept, desk.study, chosen, people)
    names = {item.qid: parts.label(item.qid) for item in found.items}
    return {
        "journey": journey,
        "people": people,
        "states": by_state(people),
        "found": found,
        "alerts": alerts(found, people, parts.clock()),
        "by_condition": charts.by_condition(people, journey),
        "by_stage": charts.by_stage(people, journey),
        "by_day": charts.by_day(people),
        "misunderstood": charts.misunderstood(found),
        "asked_back": charts.asked_back(found),
        "waits": charts.waits(found),
        "items": charts.items(found, names),
        "progress": charts.progress(people, journey, found.answers),
        "latest": sorted(people, key=lambda person: person.active_at, reverse=True)[:_LATEST],
    }


async def _people(desk: StudyDesk, request: Request, page: int) -> dict[str, Any]:
    """One page of the participants; all are read in one query, and only these are shown."""
    chosen = Filter.of(request.query_params)
    state = request.query_params.get("state", "")
    people = await population(desk.kept, desk.study, chosen)
    if state in STATES:
        people = [person for person in people if person.state == state]
    page = min(page, max(-(-len(people) // _AT_ONCE) - 1, 0))
    return {
        "study": desk.study,
        "journey": journey_of(desk.study),
        "chosen": chosen,
        "state": state if state in STATES else "",
        "total": len(people),
        "people": people[page * _AT_ONCE : (page + 1) * _AT_ONCE],
        "number": page,
        "pages": max(-(-len(people) // _AT_ONCE), 1),
        "states": STATES,
    }


async def _person(parts: Parts, desk: StudyDesk, number: int, after: int) -> dict[str, Any]:
    person = await _known(desk, number)
    exchanges = [
        replace(one, objects=tuple((parts.label(qid), sign) for qid, sign in one.objects))
        for one in await transcript(desk.kept, person, after)
    ]
    participant = await desk.kept.numbered(number)
    plan = plan_of(desk.study, participant)
    return {
        "study": desk.study,
        "person": person,
        "journey": journey_of(desk.study),
        "exchanges": exchanges,
        "last": exchanges[-1].id if exchanges else after,
        "step": participant.step,
        "steps": steps_of(desk.study, plan),
        "conditions": [condition.label for condition in plan.conditions],
        "answers": await desk.kept.answers_of(participant),
    }


async def _known(desk: StudyDesk, number: int) -> Person:
    """The participant of a number. Raises HTTPException (404) when there is none."""
    found = await population(desk.kept, desk.study, Filter(), number=number)
    if not found:
        raise HTTPException(404)
    return found[0]


async def _intervene(desk: StudyDesk, number: int, form: FormData, who: str) -> None:
    """Excludes or reassigns a participant. Raises UsageError."""
    if form.get("action") == "reassign":
        await desk.kept.reassign(number, str(form.get("cell", "")), who)
        return
    reason = str(form.get("reason", "")).strip()
    if not reason:
        raise UsageError("give a reason: it stands in the report")
    await desk.kept.exclude(number, reason[:500], who)
