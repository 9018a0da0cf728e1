"""The pages without a browser: real application, real SQLite, an echo in place of the dialogue manager."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy.engine import URL

from bot.channels.conversation import Conversation
from bot.channels.privacy import PrivacyDesk
from bot.channels.throttle import Throttle
from bot.channels.web.app import create_app
from bot.channels.web.chat import FILTERS
from bot.channels.web.front import Front
from bot.channels.web.pages import Pages
from bot.channels.web.talks import Talks
from bot.channels.wording import load_channel_wordings
from bot.clock import utc_now
from bot.dialogue.state import DialogueState
from bot.logs import UserHash
from bot.metrics import Metrics
from bot.storage.store import SqlStore, open_store
from data.domains import DomainConfig
from tests.bot.channels.doubles import StoredEcho

HTML = {"Accept": "text/html"}


class Visitor:
    """A browser as far as HTTP goes: keeps cookies, follows nothing by itself, sends forms as its pages say."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.page = ""

    async def get(self, path: str, **headers: str) -> httpx.Response:
        response = await self.client.get(path, headers={**HTML, **headers})
        self.page = response.text
        return response

    async def post(self, path: str, fields: Mapping[str, Any] | None = None, **headers: str) -> httpx.Response:
        """Sends a form with the hidden fields of the page on show."""
        data = {"csrf": self.hidden("csrf"), **(fields or {})}
        return await self.client.post(path, data=data, headers={**HTML, **headers})

    def hidden(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        return found[1] if found else ""

    async def agree(self) -> None:
        await self.get("/")
        assert (await self.post("/consent", {"answer": "agree"})).status_code == 303
        await self.get("/")

    async def say(self, text: str, number: str = "message-1") -> httpx.Response:
        """Sends a message as the script of the chat page does."""
        headers = {"X-CSRF-Token": self.hidden("csrf")}
        return await self.client.post("/messages", data={"message_id": number, "text": text}, headers=headers)


class Web:
    """An application with its parts."""

    def __init__(self, app: FastAPI, talks: Talks, store: SqlStore) -> None:
        self.app = app
        self.talks = talks
        self.store = store

    @asynccontextmanager
    async def visitor(self, base: str = "http://test") -> AsyncIterator[Visitor]:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=base) as client:
            yield Visitor(client)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    async with open_store(URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db")), utc_now) as opened:
        yield opened


async def no_problems() -> Mapping[str, str]:
    return {}


@pytest.fixture
def build(store: SqlStore, domains: Mapping[str, DomainConfig]) -> Callable[..., Web]:
    """Makes an application around a conversation."""

    def make(conversation: Conversation, *, per_minute: int = 1000, shared: int = 1000, problems: Any = None) -> Web:
        pages = Pages()
        pages.filters.update(FILTERS)
        talks = Talks(store, Throttle(per_minute), UserHash(b"key"), Metrics())
        desk = PrivacyDesk(conversation, store, load_channel_wordings(), DialogueState(), utc_now)
        front = Front(pages, talks, desk, domains, utc_now).router()
        return Web(create_app(pages, problems or no_problems, Throttle(shared), front), talks, store)

    return make


@pytest.fixture
def echo(store: SqlStore) -> StoredEcho:
    return StoredEcho(store)


@pytest.fixture
def web(build: Callable[..., Web], echo: StoredEcho) -> Web:
    return build(echo)


@pytest.fixture
async def visitor(web: Web) -> AsyncIterator[Visitor]:
    async with web.visitor() as made:
        yield made
