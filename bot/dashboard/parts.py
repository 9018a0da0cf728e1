"""What all pages of the dashboard share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fastapi import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bot.channels.web.pages import Pages
from bot.dashboard.accounts import Session
from bot.dashboard.guard import Guard
from bot.dashboard.pacing import Paced
from bot.export.dialogues import Lookup
from bot.storage.store import SqlStore
from bot.study.desk import StudyDesk
from bot.study.population import Filter
from bot.study.studies import Studies
from data.domains import DomainConfig
from data.model import Domain, Qid

_LANGUAGE = "en"
"""The dashboard speaks English, as the files of studies do."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that pages are made of.

    Attributes:
        pages: makes pages out of templates.
        store: the database.
        studies: those that run here.
        domains: the bot's.
        lookup: what the catalogue knows about an id.
        clock: gives the present moment.
        guard: knows who is signed in.
        counted: what is shown of the conversations of a study, by the study's name and the filter.
    """

    pages: Pages
    store: SqlStore
    studies: Studies
    domains: Mapping[Domain, DomainConfig]
    lookup: Lookup
    clock: Callable[[], datetime]
    guard: Guard
    counted: Paced[tuple[str, Filter], dict[str, Any]] = field(default_factory=Paced)

    def page(
        self, request: Request, session: Session | None, template: str, status: int = 200, **values: Any
    ) -> Response:
        """A page of the dashboard; `csrf` is the session's for those who are signed in."""
        if session is not None:
            values = {"csrf": session.csrf, **values}
        response: Response = self.pages.page(
            request, f"admin/{template}", status, language=_LANGUAGE, session=session, **values
        )
        return response

    async def desk(self, name: str) -> StudyDesk:
        """The desk of a study. Raises HTTPException (404) when there is no such study."""
        desk = await self.studies.desk(name)
        if desk is None:
            raise HTTPException(404)
        return desk

    def label(self, qid: Qid) -> str:
        """Name of an entity, with its year."""
        entity = self.lookup(qid)
        return entity.titled if entity else qid
