"""The researchers' pages over a real database; no message is understood here, so nothing heavy is loaded."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot import dashboard
from bot.channels.base import Reply, Turn
from bot.channels.throttle import Throttle
from bot.channels.web.app import create_app
from bot.channels.web.pages import Pages
from bot.config import load_settings
from bot.dashboard.accounts import AccountStore
from bot.dialogue.state import DialogueState
from bot.records import TurnResult
from bot.storage.store import SqlStore, open_store
from bot.study.config import StudyConfig, parse_study
from bot.study.desk import StudyDesk
from bot.study.studies import Studies
from data.domains import load_domains
from tests.bot.study.conftest import study_content

PASSWORD = "correct horse battery"
NOW = datetime(2026, 6, 2, 12, tzinfo=UTC)


class SettableClock:
    def __init__(self) -> None:
        self.moment = NOW

    def __call__(self) -> datetime:
        return self.moment

    def wait(self, **span: float) -> None:
        self.moment += timedelta(**span)


class Nobody:
    """Answers who takes part in no study."""

    async def handle(self, turn: Turn) -> TurnResult:
        return TurnResult(Reply(()))


class NoLists:
    """Makes no battles."""

    async def battle_list(self, variant: str, profile: Any, domain: str) -> list[str]:
        return []

    async def pair_counts(self) -> list[tuple[str, str, int]]:
        return []

    def label(self, qid: str) -> str:
        return qid


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
async def store(tmp_path: Path, clock: SettableClock) -> AsyncIterator[SqlStore]:
    async with open_store(load_settings(data_dir=tmp_path).database, clock) as opened:
        yield opened


@pytest.fixture
def studies(store: SqlStore, clock: SettableClock) -> Studies:
    def make(study: StudyConfig) -> StudyDesk:
        return StudyDesk(
            study, store, Nobody(), lambda *_: Nobody(), lambda *_: DialogueState(domain="movie"), NoLists(), clock
        )

    factors = {"mode": {"levels": ["nl", "mixed"], "design": "within"}, "domain": {"levels": ["movie", "book"]}}
    return Studies([parse_study(study_content(factors=factors), "test")], make, store, Nobody())


@dataclass
class Browser:
    """A researcher's browser: it keeps cookies, and forms carry the token of the page they are on."""

    client: httpx.AsyncClient
    token: str = ""

    async def get(self, address: str, **options: Any) -> httpx.Response:
        response = await self.client.get(address, **options)
        if found := re.search(r'name="csrf" value="([^"]+)"', response.text):
            self.token = found[1]
        return response

    async def send(self, address: str, **fields: Any) -> httpx.Response:
        return await self.client.post(address, data={"csrf": self.token, **fields})

    async def sign_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        await self.get("/admin/login")
        return await self.send("/admin/login", name=name, password=password)


@pytest.fixture
async def browser(store: SqlStore, studies: Studies, clock: SettableClock) -> AsyncIterator[Browser]:
    accounts = AccountStore(store)
    await accounts.add("olga", "owner", PASSWORD, "test")
    await accounts.add("vera", "viewer", PASSWORD, "test")

    async def fine() -> dict[str, str]:
        return {}

    pages = Pages(dashboard.TEMPLATES)
    routes = dashboard.router(pages, store, studies, load_domains(), lambda _: None, clock)
    app = create_app(pages, fine, Throttle(1000), routes)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://test", headers={"Accept": "text/html"}
    ) as client:
        yield Browser(client)
