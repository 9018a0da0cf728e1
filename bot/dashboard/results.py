"""What comes out of a study: the report to read, everything to take along, and the study's own file."""

import asyncio
import csv
import io
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bot.dashboard.accounts import Session
from bot.dashboard.parts import Parts
from bot.errors import DataError
from bot.study.collecting import collect
from bot.study.designs import as_yaml
from bot.study.export import export_study
from bot.study.report import report_page
from bot.study.store import Participant

_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox allow-downloads"
"""The report is one page with its own style; nothing in it may run or load anything."""


def results_routes(parts: Parts) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/admin/studies/{name}")
    Signed = Annotated[Session, Depends(parts.guard.session)]
    Owner = Annotated[Session, Depends(parts.guard.owner)]

    @router.get("/report")
    async def report(request: Request, session: Signed, name: str) -> Response:
        desk = await parts.desk(name)
        tables = await collect(desk.kept, desk.study)
        try:
            page = await asyncio.to_thread(report_page, desk.study, tables, parts.clock())
        except DataError:
            return parts.page(request, session, "early.html", study=desk.study)
        return HTMLResponse(page, headers={"Content-Security-Policy": _REPORT_POLICY, "Cache-Control": "no-store"})

    @router.get("/export")
    async def export(session: Owner, name: str) -> Response:
        desk = await parts.desk(name)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / name
            await export_study(desk.kept, desk.study, parts.lookup, out, parts.clock(), lambda _: None)
            data = await asyncio.to_thread(_zipped, out)
        await parts.guard.accounts.note(session.account.name, "export", "", study=name)
        return _download(data, "application/zip", f"{name}.zip")

    @router.get("/study.yaml")
    async def design(_session: Signed, name: str) -> Response:
        desk = await parts.desk(name)
        return _download(as_yaml(desk.study).encode("utf-8"), "application/yaml; charset=utf-8", f"{name}.yaml")

    @router.get("/payments.csv")
    async def payments(session: Owner, name: str) -> Response:
        """Who is to be paid, by the parameters of the recruiting service; it stays apart from all other data."""
        desk = await parts.desk(name)
        data = _payments(desk.study.recruiting.parameters, await desk.kept.participants())
        await parts.guard.accounts.note(session.account.name, "payments", "", study=name)
        return _download(data, "text/csv; charset=utf-8", f"{name}-payments.csv")

    return router


def _payments(names: Sequence[str], people: Sequence[Participant]) -> bytes:
    """One row a participant who came by a recruiting service, without their number, in no telling order."""
    rows = sorted(
        [*(person.recruited.get(name, "") for name in names), "yes" if person.finished_at else "no"]
        for person in people
        if any(name in person.recruited for name in names)
    )
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([[*names, "finished"], *rows])
    return text.getvalue().encode("utf-8")


def _zipped(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder.parent))
    return buffer.getvalue()


def _download(data: bytes, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, media_type=kind, headers=headers)
