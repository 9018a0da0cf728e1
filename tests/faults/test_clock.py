"""A clock that jumps back and forth under the real bot: order, exactly-once and recovery do not depend on it."""

from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from tests.bot.channels.telegram.test_process import Runner
from tests.faults import skewed_clock_file
from tests.faults.talking import agree, ask, expected_messages, kept, of_user
from tests.telegram_rules import Fault
from tests.telegram_server import TelegramServer

ANNA = 7
DAY = 24 * 3600
pytestmark = pytest.mark.slow


@pytest.mark.slow
async def test_a_clock_that_goes_backwards(server: TelegramServer, tmp_path: Path, rasa_url: str) -> None:
    skew = tmp_path / "skew"
    runner = Runner(server, tmp_path, rasa_url)
    skew.write_text("0")
    lines = []
    async with runner.running(program=(str(skewed_clock_file()), str(skew))) as process:
        await agree(server, ANNA)
        for days in (0, -1, 2, -400, 0):
            skew.write_text(str(days * DAY))
            for text in (f"I like The Godfather {days}", "suggest something", "skip"):
                lines.append(text)
                await ask(server, ANNA, text)
        skew.write_text(str(5 * DAY))
        server.fail("sendMessage", Fault(delay=600))
        await server.say(ANNA, "I love Pulp Fiction")
        await server.wait_for(lambda: len(server._faults["sendMessage"]), lambda left: left == 0)
        process.kill()
        await process.wait()
    sent = len(server.messages)
    async with runner.running():  # its clock is five days behind that of the one that died
        await server.wait_for(lambda: len(server.messages), lambda count: count > sent, 300)
        await server.idle(90)
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    records, updates = await kept(url, ANNA, "records", "updates")
    assert [row["message"] for row in records if row["message"] in lines] == lines
    assert all(row["answered_at"] >= row["received_at"] for row in records)
    assert all(row["sent_at"] for row in updates)
    arrived = [message.text for message in of_user(server, ANNA) if "Do you agree?" not in message.text]
    assert arrived == await expected_messages(url, ANNA)
