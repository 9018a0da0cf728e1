import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest
from sqlalchemy.engine import URL

from bot.channels.conversation import Conversation
from bot.channels.privacy import PrivacyDesk
from bot.channels.telegram.run import run_telegram
from bot.channels.telegram.server import health_routes
from bot.channels.wording import load_channel_wordings
from bot.config import load_settings
from bot.dialogue.state import DialogueState
from bot.storage.store import SqlStore, open_store
from tests.bot.channels.doubles import StoredEcho
from tests.telegram_server import TOKEN, TelegramServer, telegram_server


@pytest.fixture(autouse=True)
def _durations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with telegram_server() as running:
        yield running


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    async with open_store(URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db")), utc_now) as opened:
        yield opened


def utc_now() -> datetime:
    return datetime.now(UTC)


Problems = Callable[[], Awaitable[Mapping[str, str]]]


async def no_problems() -> Mapping[str, str]:
    return {}


class Start(Protocol):
    def __call__(
        self, conversation: Conversation | None = None, *, consent: bool = True, **settings: Any
    ) -> AbstractAsyncContextManager[None]: ...


@pytest.fixture
def start(server: TelegramServer, store: SqlStore, tmp_path: Path) -> Start:
    """Runs the Telegram channel, by default with an echo that keeps its turns and asks no consent."""

    @asynccontextmanager
    async def run(
        conversation: Conversation | None = None,
        *,
        consent: bool = False,
        problems: Problems | None = None,
        **changes: Any,
    ) -> AsyncIterator[None]:
        values = {"data_dir": tmp_path, "telegram_bot_token": TOKEN, "telegram_base_url": server.url, **changes}
        talk: Conversation = conversation or StoredEcho(store)
        if consent:
            talk = PrivacyDesk(talk, store, load_channel_wordings(), DialogueState(), utc_now)
        stop, ready = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(
            run_telegram(
                load_settings(**values),
                talk,
                store,
                routes=health_routes(problems, lambda: b"figures"),
                clock=utc_now,
                notify=lambda _line: ready.set(),
                stop=stop,
            )
        )
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        try:
            yield
        finally:
            stop.set()
            await running

    return run
