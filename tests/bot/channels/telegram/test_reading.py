from typing import Any

import pytest
from telegram import Bot, Update, User

from bot.channels.base import UserKey
from bot.channels.telegram.reading import Incoming, Membership, chat_of, read_update
from tests.bot.channels.doubles import NOW
from tests.telegram_methods import BOT
from tests.telegram_server import TelegramServer

ME = User.de_json(BOT, None)
GROUP = {"id": -100500, "type": "supergroup", "title": "Film club"}
OTHER = {"message_id": 1, "date": 1, "chat": GROUP, "text": "x", "from": {"id": 9, "is_bot": False, "first_name": "N"}}
OURS = {"message_id": 1, "date": 1, "chat": GROUP, "text": "x", "from": BOT}


async def read(server: TelegramServer, **raw: Any) -> Incoming | Membership | None:
    update = Update.de_json(raw.get("raw") or server._updates[-1], Bot("1:x"))
    return read_update(update, ME, lambda: NOW)


@pytest.fixture
def server() -> TelegramServer:
    return TelegramServer()


async def incoming(server: TelegramServer) -> Incoming:
    found = await read(server)
    assert isinstance(found, Incoming)
    return found


async def test_a_private_message(server: TelegramServer) -> None:
    number = await server.say(7, "I like Heat", language="it-IT")
    found = await incoming(server)
    assert (found.chat, found.query) == (7, None)
    turn = found.turn
    assert (turn.user, turn.update_id, turn.kind) == (UserKey("telegram", "7"), str(number), "text")
    assert (turn.text, turn.language, turn.received_at) == ("I like Heat", "it", NOW)
    assert chat_of(turn) == 7


async def test_an_edit_is_a_message(server: TelegramServer) -> None:
    await server.edit(7, "I like Heat")
    assert (await incoming(server)).turn.text == "I like Heat"


@pytest.mark.parametrize("kind", ["sticker", "photo", "voice", "video", "document"])
async def test_media(server: TelegramServer, kind: str) -> None:
    await server.send_media(7, kind)
    turn = (await incoming(server)).turn
    assert (turn.kind, turn.text) == ("media", "")


async def test_the_words_below_a_photo_count(server: TelegramServer) -> None:
    await server.send_media(7, "photo", caption="I like Heat")
    turn = (await incoming(server)).turn
    assert (turn.kind, turn.text) == ("text", "I like Heat")


async def test_service_messages_are_not_for_the_bot(server: TelegramServer) -> None:
    message = {"message_id": 1, "date": 1, "chat": server.private(7), "from": server.user(7), "new_chat_title": "x"}
    assert await read(server, raw={"update_id": 1, "message": message}) is None


@pytest.mark.parametrize(
    ("text", "more", "heard"),
    [
        ("I like Heat", {}, None),
        ("@someone_else I like Heat", {}, None),
        ("@converse_test_bot, I like Heat", {}, "I like Heat"),
        ("I like Heat @Converse_Test_Bot", {}, "I like Heat"),
        ("/help@converse_test_bot now", {}, "/help now"),
        ("/help", {}, "/help"),
        ("/help@other_bot", {}, None),
        ("I like Heat", {"reply_to_message": OURS}, "I like Heat"),
        ("I like Heat", {"reply_to_message": OTHER}, None),
    ],
)
async def test_groups_only_when_addressed(
    server: TelegramServer, text: str, more: dict[str, Any], heard: str | None
) -> None:
    await server.say(7, text, chat=GROUP, **more)
    found = await read(server)
    if heard is None:
        assert found is None
        return
    assert isinstance(found, Incoming)
    assert (found.turn.text, found.turn.user.external_id) == (heard, "7")
    assert chat_of(found.turn) == found.chat == -100500


async def test_media_in_groups_is_not_for_the_bot(server: TelegramServer) -> None:
    message = {"message_id": 1, "date": 1, "chat": GROUP, "from": server.user(7), "dice": {"emoji": "x", "value": 1}}
    assert await read(server, raw={"update_id": 1, "message": message}) is None


async def test_other_bots_are_not_answered(server: TelegramServer) -> None:
    message = {"message_id": 1, "date": 1, "chat": GROUP, "from": {**BOT, "id": 5}, "text": "/help"}
    assert await read(server, raw={"update_id": 1, "message": message}) is None


@pytest.mark.parametrize("blocked", [True, False])
async def test_blocking_and_coming_back(server: TelegramServer, blocked: bool) -> None:
    await server.block(7, blocked=blocked)
    assert await read(server) == Membership(UserKey("telegram", "7"), blocked)


async def test_buttons_of_messages_that_are_too_old_to_be_known(server: TelegramServer) -> None:
    inaccessible = {"message_id": 1, "date": 0, "chat": server.private(7)}
    query = {"id": "q", "from": server.user(7), "chat_instance": "1", "data": "like:Q1", "message": inaccessible}
    found = await read(server, raw={"update_id": 1, "callback_query": query})
    assert isinstance(found, Incoming)
    assert (found.turn.kind, found.turn.option, found.turn.text, found.query) == ("option", "like:Q1", "", "q")


async def test_buttons_of_inline_messages_and_games_are_not_ours(server: TelegramServer) -> None:
    query = {"id": "q", "from": server.user(7), "chat_instance": "1", "game_short_name": "x"}
    assert await read(server, raw={"update_id": 1, "callback_query": query}) is None
