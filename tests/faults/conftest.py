from collections.abc import AsyncIterator

import pytest

from tests.telegram_server import TelegramServer, telegram_server


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with telegram_server() as running:
        yield running
