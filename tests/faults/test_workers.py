"""Two workers behind webhooks, on one PostgreSQL database and one chat: updates reach both, and each has one effect."""

import asyncio
import socket
from pathlib import Path

import httpx
import pytest

from bot.channels.telegram.server import SECRET_HEADER
from tests.bot.channels.telegram.test_process import Runner
from tests.faults.talking import APOLOGY, expected_messages, kept, of_user
from tests.postgres import PostgresServer
from tests.telegram_server import TelegramServer

ANNA = 7
SECRET = "the-secret-of-both-workers"
LINES = ("I like The Godfather", "I love Pulp Fiction", "I hate Titanic", "/books", "I like The Hobbit", "/movies")
pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class Workers:
    """Sends every update to all workers at once, as a proxy that tries again too early would."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._client = httpx.AsyncClient(trust_env=False, timeout=60)

    async def ready(self) -> None:
        for port in self._ports:
            while True:
                try:
                    (await self._client.get(f"http://127.0.0.1:{port}/readyz")).raise_for_status()
                    break
                except httpx.HTTPError:
                    await asyncio.sleep(0.2)

    async def send(self, update: dict[str, object]) -> list[int]:
        headers = {SECRET_HEADER: SECRET}
        posts = [
            self._client.post(f"http://127.0.0.1:{port}/hook", json=update, headers=headers) for port in self._ports
        ]
        return [response.status_code for response in await asyncio.gather(*posts)]

    async def aclose(self) -> None:
        await self._client.aclose()


async def test_one_chat_on_two_workers(
    server: TelegramServer, tmp_path: Path, rasa_url: str, postgres_server: PostgresServer
) -> None:
    url, ports = postgres_server.new_database(), [free_port(), free_port()]
    settings = {"CONVERSE_DATABASE_URL": url.render_as_string(), "CONVERSE_WEBHOOK_SECRET": SECRET}
    runner = Runner(server, tmp_path, rasa_url, **settings)
    workers = Workers(ports)
    first, second = ([f"--webhook-url=http://127.0.0.1:{port}/hook", f"--port={port}"] for port in ports)
    async with runner.running(*first), runner.running(*second):
        await workers.ready()
        server.webhook = None  # updates come from this test, to both
        server.private(ANNA)
        number = 0

        async def deliver(**content: object) -> None:
            nonlocal number
            number += 1
            assert await workers.send({"update_id": number, **content}) == [200, 200]

        await deliver(message=server._message(ANNA, None, "en", text="/start"))
        question = of_user(server, ANNA)[-1]
        agree = next(b["callback_data"] for row in question.buttons for b in row if b["text"] == "I agree")
        query = {"id": "q", "from": server.user(ANNA), "chat_instance": "1", "data": agree}
        shown = {"message_id": question.id, "date": 1_700_000_000, "chat": server.private(ANNA), "text": "x"}
        await deliver(callback_query={**query, "message": shown})
        for line in LINES:
            await deliver(message=server._message(ANNA, None, "en", text=line))
        await asyncio.sleep(1)
    await workers.aclose()
    records, preferences = await kept(url, ANNA, "records", "preferences")
    assert [row["message"] for row in records if row["message"] in LINES] == list(LINES)
    assert len(preferences) == len({row["qid"] for row in preferences}) == 4
    arrived = [message.text for message in of_user(server, ANNA) if "Do you agree?" not in message.text]
    assert APOLOGY not in arrived
    assert arrived == await expected_messages(url, ANNA)
