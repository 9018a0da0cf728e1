"""The real `converse telegram` process, everything real, against a strict Bot API server over HTTP."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy.engine import URL

from bot.channels.base import UserKey
from bot.clock import utc_now
from bot.storage.store import open_store
from tests.telegram_rules import ApiError, Fault, Message
from tests.telegram_server import TOKEN, TelegramServer

ANNA = 7


class Runner:
    """Starts, kills and stops the process on one data folder."""

    def __init__(self, server: TelegramServer, folder: Path, rasa_url: str, **more: str) -> None:
        self._environment = {
            **os.environ,
            "RASA_URL": rasa_url,
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_BASE_URL": server.url,
            "CONVERSE_DATA_DIR": str(folder),
            "CONVERSE_LOG_LEVEL": "INFO",
            "CONVERSE_LOG_FORMAT": "json",
            "CONVERSE_SEED": "1",
            "OMP_NUM_THREADS": "1",
            **more,
        }
        self.errors = b""

    @asynccontextmanager
    async def running(
        self, *arguments: str, program: tuple[str, ...] = ("-m", "bot.cli")
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *program,
            "telegram",
            *arguments,
            env=self._environment,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            assert process.stderr is not None
            self.errors += await process.stderr.read()
            await process.wait()


@pytest.fixture
def runner(server: TelegramServer, tmp_path: Path, rasa_url: str) -> Runner:
    return Runner(server, tmp_path, rasa_url)


async def agree(server: TelegramServer) -> None:
    """Talks to the bot up to the welcome."""
    await server.say(ANNA, "/start")
    (question,) = await server.answers(ANNA, 1, 300)
    await server.press(ANNA, question, "I agree")
    await server.answers(ANNA, 2)
    await server.idle()


async def say(server: TelegramServer, text: str) -> list[Message]:
    """What the bot answers to a message."""
    before = len(server.messages)
    await server.say(ANNA, text)
    await server.idle()
    return server.messages[before:]


async def test_a_conversation_a_crash_and_a_conflict(server: TelegramServer, runner: Runner, tmp_path: Path) -> None:
    async with runner.running() as process:
        await agree(server)
        (noted,) = await say(server, "I like The Godfather")
        shown = await say(server, "suggest something")
        before = len(server.messages)
        await server.press(ANNA, shown[-1], next(label for label in shown[-1].labels if "Why" in label))
        await server.idle()
        why = server.messages[before:]
        (stale,) = await press_old(server, noted)
        unknown = await say(server, "/nonsense")
        sent = len(server.messages)
        server.fail("sendMessage", Fault(delay=600))
        await server.say(ANNA, "I love Pulp Fiction")
        await server.wait_for(lambda: len(server._faults["sendMessage"]), lambda left: left == 0)
        process.kill()
        await process.wait()
    assert "The Godfather" in noted.text
    assert any("like" in label.casefold() for label in shown[-1].labels)
    assert why[0].text != shown[-1].text
    assert stale.text
    assert unknown[0].text
    async with runner.running() as process:
        await server.wait_for(lambda: len(server.messages), lambda count: count > sent, 300)
        await server.idle()
        conflict = Fault(ApiError(409, "Conflict: terminated by other getUpdates request"))
        server.fail("getUpdates", *[conflict] * 5)
        await asyncio.wait_for(process.wait(), 180)
    await check_that_nothing_is_missing_or_doubled(server, tmp_path, sent)
    assert process.returncode == 1
    lines = runner.errors.decode().strip().splitlines()
    assert "another program receives this bot's messages" in lines[-1]
    assert not any("Traceback" in line for line in lines)
    assert [refused for refused in server.refused if "query is too old" not in refused] == []
    assert TOKEN not in "".join(lines)
    assert "Godfather" not in "".join(lines), "no message text in the log"


async def check_that_nothing_is_missing_or_doubled(server: TelegramServer, folder: Path, sent: int) -> None:
    """After a crash between commit and send."""
    assert "Pulp Fiction" in server.messages[sent].text
    async with open_store(URL.create("sqlite+aiosqlite", database=str(folder / "converse.db")), utc_now) as store:
        data = await store.my_data(UserKey("telegram", str(ANNA)))
        assert [found async for found in store.unsent("telegram")] == []
    assert [row["message"] for row in data["records"]].count("I love Pulp Fiction") == 1
    assert [row["qid"] for row in data["preferences"]].count("Q104123") == 1
    texts = [message.text for message in server.messages[sent:]]
    assert len(texts) == len(set(texts))


async def press_old(server: TelegramServer, message: Message) -> list[Message]:
    before = len(server.messages)
    await server.press_data(ANNA, message, "pick:1:0", expired=True)
    await server.idle()
    return server.messages[before:]


async def test_webhooks_health_and_metrics(server: TelegramServer, runner: Runner, unused_tcp_port: int) -> None:
    base = f"http://127.0.0.1:{unused_tcp_port}"
    async with runner.running("--webhook-url", f"{base}/telegram", "--port", str(unused_tcp_port)) as process:
        await server.wait_for(lambda: server.count("setWebhook"), lambda count: count == 1, 300)
        await agree(server)
        async with httpx.AsyncClient(base_url=base, trust_env=False) as client:
            assert (await client.get("/healthz")).json() == {"status": "ok"}
            assert (await client.get("/readyz")).json() == {"status": "ok"}
            assert 'converse_turns_total{channel="telegram"' in (await client.get("/metrics")).text
            assert (await client.post("/telegram", json={"update_id": 1})).status_code == 403
    assert process.returncode == 0
