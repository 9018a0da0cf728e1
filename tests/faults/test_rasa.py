"""Rasa gone, hanging or talking rubbish: buttons, commands and exact titles still work, and the records say so."""

import asyncio
import signal
from pathlib import Path
from typing import get_args

from sqlalchemy.engine import URL

from tests.bot.channels.telegram.test_process import Runner
from tests.faults.broken_rasa import Behaviour, broken_rasa
from tests.faults.talking import agree, ask, kept, press
from tests.telegram_rules import Fault
from tests.telegram_server import TelegramServer

ANNA = 7
TITLES = {
    "gone": ("I like The Godfather", "Q47703"),
    "hanging": ("Pulp Fiction", "Q104123"),
    "rubbish": ("I love Titanic", "Q44578"),
}


async def test_the_bot_goes_on_without_rasa(server: TelegramServer, tmp_path: Path, rasa_url: str) -> None:
    assert set(TITLES) == set(get_args(Behaviour)) - {"good"}
    async with broken_rasa(rasa_url) as rasa, Runner(server, tmp_path, rasa.url).running() as process:
        await agree(server, ANNA)
        await ask(server, ANNA, "I love Forrest Gump")
        for behaviour, (text, _) in TITLES.items():
            rasa.behaviour = behaviour  # type: ignore[assignment]
            (answer, *_) = await ask(server, ANNA, text)
            if behaviour == "hanging":
                assert answer.labels, "a bare title: the opinion is asked"
                await press(server, ANNA, answer, answer.labels[0])
            asked = rasa.asked
            (books, *_) = await ask(server, ANNA, "/books")
            (movies, *_) = await ask(server, ANNA, "/movies")
            assert rasa.asked == asked, "commands do not need Rasa"
            assert "book" in books.text.casefold()
            assert "movie" in movies.text.casefold() or "film" in movies.text.casefold()
        rasa.behaviour = "good"
        await ask(server, ANNA, "I hate Inception")
        assert process.returncode is None
        await stop_in_the_middle(server, process)
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    records, preferences = await kept(url, ANNA, "records", "preferences")
    told = {row["message"]: dict(row["backends"]) for row in records}
    for text, qid in TITLES.values():
        assert told[text]["intents_unavailable"] == "yes"
        assert told[text]["intents"] == "none"
        assert qid in {row["qid"] for row in preferences}
    for text in ("I love Forrest Gump", "I hate Inception"):
        assert told[text]["intents"] == "rasa", "it is used again as soon as it answers"
        assert "intents_unavailable" not in told[text]


async def test_nobody_waits_for_a_rasa_that_goes_on_hanging(
    server: TelegramServer, tmp_path: Path, rasa_url: str
) -> None:
    async with broken_rasa(rasa_url) as rasa, Runner(server, tmp_path, rasa.url).running():
        await agree(server, ANNA)
        rasa.behaviour, asked = "hanging", rasa.asked
        for title in ("Pulp Fiction", "Titanic", "The Godfather"):
            await ask(server, ANNA, title)
        assert rasa.asked == asked + 3
        (answer, *_) = await ask(server, ANNA, "I love Inception")
        assert rasa.asked == asked + 3, "it is left alone"
        assert "Inception" in answer.text
        rasa.behaviour = "good"
        number = 0
        while rasa.asked == asked + 3:
            number += 1
            await ask(server, ANNA, f"hello {number}")
        await ask(server, ANNA, "I hate Alien")
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    (records,) = await kept(url, ANNA, "records")
    told = {row["message"]: dict(row["backends"])["intents"] for row in records}
    assert told["I love Inception"] == "none"
    assert told["I hate Alien"] == "rasa"


async def stop_in_the_middle(server: TelegramServer, process: asyncio.subprocess.Process) -> None:
    """SIGTERM while a reply is on its way: the turn in hand is finished and confirmed before the bot ends."""
    calls, before = server.count("sendMessage"), len(server.messages)
    server.fail("sendMessage", Fault(delay=1.5))
    await server.say(ANNA, "I love Alien")
    await server.wait_for(lambda: server.count("sendMessage"), lambda count: count > calls, 180)
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 180) == 0
    assert "Alien" in server.messages[before].text
    assert not server._updates, "the update is confirmed"
