"""The list of studies, and making a new one by a form or a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import func, select
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.dashboard.accounts import Session
from bot.dashboard.forms import MOMENTS, checked, content_of, example, example_text, text_of, uploaded
from bot.dashboard.parts import Parts
from bot.errors import ConfigError, UsageError
from bot.storage.studies import participants, studies
from bot.study.config import StudyConfig, read_study
from bot.study.designs import DesignStore
from bot.study.questionnaires import load_questionnaires
from bot.study.running import check_levels, known_levels


def listing_routes(parts: Parts) -> APIRouter:
    """The route of the list."""
    router = APIRouter(prefix="/admin")
    Signed = Annotated[Session, Depends(parts.guard.session)]

    @router.get("")
    async def home(request: Request, session: Signed) -> Response:
        await parts.studies.refresh()
        counts = await _counts(parts)
        rows = [(desk.study, counts.get(desk.study.name, Counts())) for desk in parts.studies]
        return parts.page(request, session, "studies.html", rows=rows)

    return router


def form_routes(parts: Parts) -> APIRouter:
    """The routes of a new study made in a form."""
    router = APIRouter(prefix="/admin")
    Owner = Annotated[Session, Depends(parts.guard.owner)]
    Change = Annotated[tuple[Session, FormData], Depends(parts.guard.change)]

    @router.get("/new")
    async def form(request: Request, session: Owner) -> Response:
        return _form(parts, request, session, example().model_dump(mode="json"), {})

    @router.post("/new")
    async def make(request: Request, change: Change) -> Response:
        session, sent = change
        content = content_of(sent)
        study, faults = checked(content)
        try:
            if study is not None:
                return await _made(parts, session, study, text_of(content))
        except (ConfigError, UsageError) as error:
            faults = {"study": str(error)}
        return _form(parts, request, session, content, faults)

    return router


def upload_routes(parts: Parts) -> APIRouter:
    """The routes of a new study from a file or a pasted text."""
    router = APIRouter(prefix="/admin")
    Owner = Annotated[Session, Depends(parts.guard.owner)]
    Change = Annotated[tuple[Session, FormData], Depends(parts.guard.change)]

    @router.get("/upload")
    async def paste(request: Request, session: Owner) -> Response:
        return parts.page(request, session, "upload.html", text=example_text(), fault="")

    @router.post("/upload")
    async def upload(request: Request, change: Change) -> Response:
        session, sent = change
        text = str(sent.get("text", "")).replace("\r\n", "\n")
        try:
            file = sent.get("file")
            if isinstance(file, UploadFile) and file.filename:
                text = uploaded(await file.read())
            return await _made(parts, session, read_study(text, "the file"), text)
        except (ConfigError, UsageError) as error:
            return parts.page(request, session, "upload.html", 400, text=text, fault=str(error))
        finally:
            await sent.close()

    return router


async def _made(parts: Parts, session: Session, study: StudyConfig, text: str) -> Response:
    """Keeps a new study and lets it begin. Raises ConfigError or UsageError."""
    check_levels(study, parts.domains)
    if await parts.studies.desk(study.name) is not None:
        raise UsageError(f"there is a study called {study.name!r} already; choose another name")
    parts.studies.add(await DesignStore(parts.store).add(text, session.account.name))
    return RedirectResponse(f"/admin/studies/{study.name}", 303)


def _form(
    parts: Parts, request: Request, session: Session, content: Mapping[str, Any], faults: Mapping[str, str]
) -> Response:
    return parts.page(
        request,
        session,
        "new.html",
        400 if faults else 200,
        study=content,
        faults=faults,
        levels=known_levels(parts.domains),
        questionnaires=load_questionnaires(),
        moments=MOMENTS,
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """What the list tells of a study."""

    status: str = "open"
    participants: int = 0
    finished: int = 0
    excluded: int = 0
    active_at: datetime | None = None


async def _counts(parts: Parts) -> dict[str, Counts]:
    """Of every study that has a status or participants, in two queries."""
    table = participants
    found = select(
        table.c.study,
        func.count(),
        func.count(table.c.finished_at),
        func.count(table.c.excluded),
        func.max(table.c.active_at),
    ).group_by(table.c.study)
    async with parts.store.reading() as connection:
        status = {row.study: row.status for row in await connection.execute(select(studies))}
        counts = {row[0]: row[1:] for row in await connection.execute(found)}
    return {name: Counts(status.get(name, "open"), *counts.get(name, ())) for name in {*status, *counts}}
