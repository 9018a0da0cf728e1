from collections.abc import AsyncIterator

import pytest

from tests.bot.conftest import postgres_server
from tests.telegram_server import TelegramServer, telegram_server

__all__ = ["postgres_server"]


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with telegram_server() as running:
        yield running
