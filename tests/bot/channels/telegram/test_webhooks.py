"""Webhooks, health, metrics, and what the log must not hold."""

import asyncio
import logging

import httpx
import pytest

from bot.channels.telegram.server import SECRET_HEADER
from bot.errors import BackendError
from tests.bot.channels.telegram.conftest import Start
from tests.telegram_rules import Fault
from tests.telegram_server import TOKEN, TelegramServer

ANNA, BEN = 7, 8


async def test_webhooks(server: TelegramServer, start: Start, unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/hook"
    async with start(webhook_url=url, webhook_port=unused_tcp_port):
        await server.wait_for(lambda: server.webhook, lambda hook: hook is not None)
        await server.say(ANNA, "hello")
        assert "hello" in (await server.answers(ANNA, 1))[0].text
        assert server.webhook is not None
        secret = {SECRET_HEADER: server.webhook["secret_token"]}
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.post(url, json={"update_id": 1})).status_code == 403
            wrong = {SECRET_HEADER: "wrong"}
            assert (await client.post(url, json={"update_id": 1}, headers=wrong)).status_code == 403
            assert (await client.post(url, content=b"{", headers=secret)).status_code == 400
            assert (await client.post(url, content=b"[1]", headers=secret)).status_code == 400
            assert (await client.post(url, content=b"[" * 100_000, headers=secret)).status_code == 400
            with pytest.raises(httpx.ReadError):  # the connection is closed on who sends too much
                await client.post(url, content=b"x" * 2_000_000, headers=secret)
            assert (await client.post(url, json={"update_id": 1}, headers=secret)).status_code == 200
            assert (await client.get(url)).status_code == 405
            assert (await client.get(url + "/../other")).status_code == 404
        await server.say(ANNA, "still here")
        assert "still here" in (await server.answers(ANNA, 2))[1].text


async def test_health_and_metrics_are_served_beside_polling(
    server: TelegramServer, start: Start, unused_tcp_port: int
) -> None:
    failing: dict[str, str] = {}

    async def problems() -> dict[str, str]:
        return failing

    async with (
        start(health_port=unused_tcp_port, problems=problems),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{unused_tcp_port}", trust_env=False) as client,
    ):
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).status_code == 200
        failing["rasa"] = "ConnectError"
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()["problems"]) == (503, {"rasa": "ConnectError"})
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/metrics")).text == "figures"


async def test_a_port_in_use_is_named(server: TelegramServer, start: Start) -> None:
    port = int(server.url.rsplit(":", 1)[1])
    with pytest.raises(BackendError, match=f"port {port}"):
        async with start(webhook_url="https://bot.example.org/x", webhook_port=port):
            await asyncio.sleep(1)


async def test_the_token_is_never_logged(
    server: TelegramServer, start: Start, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    from bot.logs import configure_logs

    stream = io.StringIO()
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    try:
        configure_logs("DEBUG", "json", [TOKEN], stream)
        logging.getLogger("httpx").setLevel(logging.DEBUG)
        server.fail("sendMessage", Fault(drop=True))
        async with start():
            await server.say(ANNA, "a private message")
            await server.answers(ANNA, 1)
    finally:
        root.handlers[:], root.level = kept, level
    assert stream.getvalue()
    assert TOKEN not in stream.getvalue()
