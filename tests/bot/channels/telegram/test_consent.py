"""Consent before anything is stored, and what people can do with what is."""

import json

from bot.channels.base import UserKey
from bot.storage.store import SqlStore
from tests.bot.channels.telegram.conftest import Start
from tests.telegram_rules import Message
from tests.telegram_server import TelegramServer

ANNA, BEN = 7, 8


async def agree(server: TelegramServer, user: int = ANNA, language: str = "en") -> Message:
    await server.say(user, "/start", language=language)
    (question,) = await server.answers(user, 1)
    await server.press(user, question, {"en": "I agree", "it": "Sono d'accordo"}[language], language=language)
    await server.answers(user, 2)
    return question


async def test_nothing_is_stored_before_consent(server: TelegramServer, store: SqlStore, start: Start) -> None:
    async with start(consent=True):
        await server.say(ANNA, "I like Heat")
        (question,) = await server.answers(ANNA, 1)
        await server.say(ANNA, "/privacy")
        await server.press(ANNA, question, "No, thanks")
        texts = [message.text for message in await server.answers(ANNA, 3)]
        await server.idle()
    assert "Do you agree?" in texts[0]
    assert "/forget_me" in texts[1]
    assert "store nothing" in texts[2]
    assert await store.my_data(UserKey("telegram", "7")) == {}


async def test_after_consent_the_conversation_starts(server: TelegramServer, store: SqlStore, start: Start) -> None:
    async with start(consent=True):
        await agree(server, language="it")
        await server.say(ANNA, "I like Heat")
        texts = [message.text for message in await server.answers(ANNA, 3)]
    assert "accordo" in texts[0]
    assert texts[1:] == ["You said text '/start' None.", "You said text 'I like Heat' None."]
    data = await store.my_data(UserKey("telegram", "7"))
    assert data["users"][0]["consented_at"] is not None
    assert len(data["records"]) == 2


async def test_agreeing_twice_does_no_harm(server: TelegramServer, start: Start) -> None:
    async with start(consent=True):
        question = await agree(server)
        await server.press(ANNA, question, "I agree")
        assert "/start" in (await server.answers(ANNA, 3))[2].text


async def test_export_my_data_is_a_file_with_everything(server: TelegramServer, start: Start) -> None:
    async with start(consent=True):
        await agree(server)
        await server.say(ANNA, "I like Heat")
        await server.say(ANNA, "/export_my_data")
        file = (await server.answers(ANNA, 5))[4]
    assert file.kind == "document"
    data = json.loads(file.file or b"")
    assert [record["message"] for record in data["records"]] == ["/start", "I like Heat", "/export_my_data"]
    assert data["users"][0]["external_id"] == "7"


async def test_forget_me_asks_and_then_leaves_nothing(server: TelegramServer, store: SqlStore, start: Start) -> None:
    async with start(consent=True):
        await agree(server)
        await agree(server, BEN)
        await server.say(ANNA, "/forget_me")
        question = (await server.answers(ANNA, 3))[2]
        await server.press(ANNA, question, "Keep it")
        await server.answers(ANNA, 4)
        assert (await store.my_data(UserKey("telegram", "7")))["records"]
        await server.press(ANNA, question, "Delete everything")
        assert "nothing of you is left" in (await server.answers(ANNA, 5))[4].text
        await server.idle()
        assert await store.my_data(UserKey("telegram", "7")) == {}
        assert await store.my_data(UserKey("telegram", "8")) != {}
        await server.say(ANNA, "hello again")
        assert "Do you agree?" in (await server.answers(ANNA, 6))[5].text
