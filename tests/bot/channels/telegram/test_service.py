"""The Telegram channel over real HTTP against a strict Bot API server; what answers is an echo."""

import asyncio
import logging

import pytest

from bot.channels.base import Link, Option, Reply, Turn, UserKey
from bot.channels.telegram import polling, service
from bot.errors import BackendError, ConfigError, StorageError
from bot.records import TurnResult
from bot.storage.store import SqlStore
from recommender.sketch import Branch, Sketch
from tests.bot.channels.doubles import NOW, Echo, StoredEcho, make_record
from tests.bot.channels.telegram.conftest import Start
from tests.telegram_rules import ApiError, Fault
from tests.telegram_server import TelegramServer

ANNA, BEN = 7, 8
TOO_MUCH = Fault(ApiError(429, "Too Many Requests: retry after 1", retry_after=1))


class Scripted(StoredEcho):
    """Gives one reply to everything."""

    def __init__(self, store: SqlStore, reply: Reply) -> None:
        super().__init__(store)
        self._reply = reply

    async def answer(self, turn: Turn) -> TurnResult:
        return TurnResult(self._reply, make_record(turn, self._reply))


async def test_a_message_is_answered_with_buttons(server: TelegramServer, start: Start) -> None:
    async with start():
        await server.say(ANNA, 'I like <Heat> & "Up"')
        (answer,) = await server.answers(ANNA, 1)
    assert answer.text == "You said text 'I like <Heat> & \"Up\"' None."
    assert answer.labels == ["Heat (1995)", "Heat (1986)", "None of these"]
    assert server.refused == []


@pytest.mark.parametrize(("slow", "shown"), [(True, "sendChatAction"), (False, "sendMessage")])
async def test_typing_is_shown_to_who_waits_and_to_nobody_else(
    server: TelegramServer, store: SqlStore, start: Start, monkeypatch: pytest.MonkeyPatch, slow: bool, shown: str
) -> None:
    monkeypatch.setattr(service, "TYPING_AFTER", 0.0 if slow else 600.0)

    class Waiting(StoredEcho):
        async def answer(self, turn: Turn) -> TurnResult:
            if slow:
                await server.wait_for(lambda: server.count("sendChatAction"), bool)
            return await super().answer(turn)

    async with start(Waiting(store)):
        await server.say(ANNA, "hi")
        await server.answers(ANNA, 1)
        await server.idle()
    assert next(name for name, _ in server.calls if name.startswith("send")) == shown


async def test_a_button_is_acknowledged_first_and_answered(server: TelegramServer, start: Start) -> None:
    async with start():
        await server.say(ANNA, "hi")
        (first,) = await server.answers(ANNA, 1)
        server.calls.clear()
        await server.press(ANNA, first, "Heat (1986)")
        answer = (await server.answers(ANNA, 2))[1]
    assert answer.text == "You said option 'Heat (1986)' 3:1."
    names = [name for name, _ in server.calls if name != "getUpdates"]
    assert names[0] == "answerCallbackQuery"


async def test_a_button_too_old_to_acknowledge_is_answered_all_the_same(server: TelegramServer, start: Start) -> None:
    async with start():
        await server.say(ANNA, "hi")
        (first,) = await server.answers(ANNA, 1)
        await server.press_data(ANNA, first, "old:1", expired=True)
        assert "option '' old:1" in (await server.answers(ANNA, 2))[1].text


async def test_commands_are_published_in_each_language(server: TelegramServer, start: Start) -> None:
    async with start():
        assert set(server.commands) == {"", "it"}
    assert {"start", "help", "movies", "books", "music", "privacy", "forget_me"} <= {
        command["command"] for command in server.commands[""]
    }
    assert {"command": "books", "description": "Talk about books"} in server.commands[""]
    assert {"command": "books", "description": "Parliamo di libri"} in server.commands["it"]


async def test_media_edits_and_unknown_updates(server: TelegramServer, start: Start) -> None:
    async with start():
        await server.send_media(ANNA, "voice")
        await server.edit(ANNA, "I like Heat")
        await server.push_raw({"update_id": 5000, "brand_new_kind": {"x": 1}})
        texts = [message.text for message in await server.answers(ANNA, 2)]
        await server.idle()
    assert texts == ["You said media '' None.", "You said text 'I like Heat' None."]


async def test_long_texts_pictures_and_links(server: TelegramServer, store: SqlStore, start: Start) -> None:
    reply = Reply(
        ("\n".join(["line"] * 2000), "How about <Heat>?"),
        (Option("like:Q1", "Like"),),
        "https://example.org/poster.jpg",
        (Link("Trailer", "https://example.org/t"),),
    )
    async with start(Scripted(store, reply)):
        await server.say(ANNA, "hi")
        messages = await server.answers(ANNA, 4)
        await server.say(ANNA, "again")
        again = await server.answers(ANNA, 8)
    assert [message.kind for message in messages] == ["text", "text", "text", "photo"]
    assert messages[3].text == "How about <Heat>?\nTrailer"
    assert messages[3].links == ["https://example.org/t"]
    assert messages[3].labels == ["Like"]
    assert again[7].photo == "file-https://example.org/poster.jpg", "Telegram has the picture already"
    assert server.refused == []


async def test_a_picture_that_telegram_cannot_fetch(server: TelegramServer, store: SqlStore, start: Start) -> None:
    server.unfetchable.add("https://example.org/gone.jpg")
    reply = Reply(("How about Heat?",), (Option("like:Q1", "Like"),), "https://example.org/gone.jpg")
    async with start(Scripted(store, reply)):
        await server.say(ANNA, "hi")
        (message,) = await server.answers(ANNA, 1)
    assert (message.kind, message.text) == ("text", "How about Heat?\nhttps://example.org/gone.jpg")
    assert message.labels == ["Like"]


async def test_messages_of_a_user_are_answered_in_order_and_users_in_parallel(
    server: TelegramServer, store: SqlStore, start: Start
) -> None:
    together = asyncio.Barrier(2)

    class Meeting(StoredEcho):
        async def answer(self, turn: Turn) -> TurnResult:
            if turn.text == "meet":
                await together.wait()
            return await super().answer(turn)

    async with start(Meeting(store)):
        for number in range(5):
            await server.say(ANNA, str(number))
        await server.say(ANNA, "meet")
        await server.say(BEN, "meet")
        await server.answers(BEN, 1)
        answers = await server.answers(ANNA, 6)
    assert [answer.text.split("'")[1] for answer in answers] == ["0", "1", "2", "3", "4", "meet"]


async def test_a_redelivered_update_has_no_second_effect(server: TelegramServer, store: SqlStore, start: Start) -> None:
    async with start():
        number = await server.say(ANNA, "once")
        await server.answers(ANNA, 1)
        await server.idle()
        await server.push_raw({"update_id": number, "message": server._message(ANNA, None, "en", text="once")})
        await server.say(ANNA, "twice")
        assert "twice" in (await server.answers(ANNA, 2))[1].text
        await server.idle()
    assert len(server.messages) == 2
    assert len((await store.my_data(UserKey("telegram", "7")))["records"]) == 2


async def test_nothing_is_confirmed_too_early(server: TelegramServer, store: SqlStore, start: Start) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    class Slow(StoredEcho):
        async def answer(self, turn: Turn) -> TurnResult:
            if turn.text == "slow":
                arrived.set()
                await go_on.wait()
            return await super().answer(turn)

    async with start(Slow(store)):
        slow = await server.say(ANNA, "slow")
        await arrived.wait()
        await server.say(BEN, "fast")
        await server.answers(BEN, 1)
        await asyncio.sleep(0.2)
        assert server._updates[0]["update_id"] == slow
        go_on.set()
        await server.answers(ANNA, 1)
        await server.idle()


@pytest.mark.parametrize(
    "fault",
    [TOO_MUCH, Fault(ApiError(500, "Internal Server Error")), Fault(ApiError(502, "Bad Gateway")), Fault(drop=True)],
)
async def test_faults_while_sending_are_got_over(server: TelegramServer, start: Start, fault: Fault) -> None:
    server.fail("sendMessage", fault)
    async with start():
        await server.say(ANNA, "hello")
        (answer,) = await server.answers(ANNA, 1)
        await server.idle()
    assert "hello" in answer.text
    assert len(server.messages) == 1


async def test_flood_control_of_one_chat_does_not_stop_others(server: TelegramServer, start: Start) -> None:
    server.fail("sendMessage", Fault(ApiError(429, "Too Many Requests: retry after 2", retry_after=2)))
    async with start():
        await server.say(ANNA, "a")
        await server.wait_for(lambda: server.count("sendMessage"), lambda count: count == 1)
        await server.say(BEN, "b")
        await server.answers(ANNA, 1)
    assert [message.chat for message in server.messages] == [BEN, ANNA]


@pytest.mark.parametrize(
    "fault",
    [TOO_MUCH, Fault(ApiError(500, "Internal Server Error")), Fault(ApiError(502, "Bad Gateway")), Fault(drop=True)],
)
async def test_faults_while_polling_are_got_over(server: TelegramServer, start: Start, fault: Fault) -> None:
    server.fail("getUpdates", fault, fault)
    async with start():
        await server.say(ANNA, "hello")
        assert len(await server.answers(ANNA, 1)) == 1


async def test_who_blocked_the_bot_is_left_alone(server: TelegramServer, store: SqlStore, start: Start) -> None:
    async with start():
        await server.say(ANNA, "hello")
        await server.answers(ANNA, 1)
        server._blocked.add(ANNA)
        await server.say(ANNA, "sent before blocking")
        await server.idle()
        assert (await store.my_data(UserKey("telegram", "7")))["users"][0]["blocked_at"] is not None
        await server.block(ANNA, blocked=False)
        await server.idle()
        assert (await store.my_data(UserKey("telegram", "7")))["users"][0]["blocked_at"] is None
        await server.say(ANNA, "back")
        assert "back" in (await server.answers(ANNA, 2))[1].text
    assert [found async for found in store.unsent("telegram")] == []


async def test_what_was_committed_but_not_sent_is_sent_at_the_next_start(
    server: TelegramServer, store: SqlStore, start: Start
) -> None:
    server._chats[ANNA] = server.private(ANNA)
    turn = Turn(UserKey("telegram", str(ANNA)), "900", "text", "before the crash", NOW)
    await StoredEcho(store).handle(turn)
    async with start():
        (answer,) = await server.answers(ANNA, 1)
    assert "before the crash" in answer.text
    assert [found async for found in store.unsent("telegram")] == []
    async with start():
        await server.say(BEN, "x")
        await server.answers(BEN, 1)
    assert len([message for message in server.messages if message.chat == ANNA]) == 1


async def test_sending_goes_on_where_it_stopped(server: TelegramServer, store: SqlStore, start: Start) -> None:
    server._chats[ANNA] = server.private(ANNA)
    turn = Turn(UserKey("telegram", str(ANNA)), "900", "text", "x", NOW)
    await Scripted(store, Reply(("one", "two", "three"))).handle(turn)
    await store.claim(turn)
    await store.mark_part(turn, 2)
    await store.release(turn)
    async with start():
        assert [message.text for message in await server.answers(ANNA, 1)] == ["three"]


async def test_a_reply_that_can_never_be_sent_does_not_block_others(
    server: TelegramServer, store: SqlStore, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    turn = Turn(UserKey("telegram", "404"), "900", "text", "x", NOW)
    await StoredEcho(store).handle(turn)
    with caplog.at_level(logging.ERROR):
        async with start():
            await server.say(ANNA, "hello")
            await server.answers(ANNA, 1)
    assert [found async for found in store.unsent("telegram")] == []
    assert "chat not found" in caplog.text.casefold()


async def test_a_turn_that_cannot_be_kept_gets_one_apology(server: TelegramServer, start: Start) -> None:
    class Full(Echo):
        async def handle(self, turn: Turn) -> TurnResult:
            raise StorageError("the disk is full")

    async with start(Full()):
        await server.say(ANNA, "hello", language="it")
        (answer,) = await server.answers(ANNA, 1)
        await server.idle()
    assert answer.text.startswith("Scusa")
    assert len(server.messages) == 1


@pytest.mark.parametrize("method", ["claim", "mark_sent"])
async def test_a_database_away_while_sending_costs_neither_an_apology_nor_a_second_answer(
    server: TelegramServer, store: SqlStore, start: Start, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(service, "SWEEP_SECONDS", 0.1)
    work, failures = getattr(store, method), [StorageError("the server is restarted")] * 2

    async def away(turn: Turn) -> object:
        if failures:
            raise failures.pop()
        return await work(turn)

    monkeypatch.setattr(store, method, away)
    async with start():
        await server.say(ANNA, "hello")
        await server.answers(ANNA, 1)
        await server.idle()
        while [found async for found in store.unsent("telegram")]:
            await asyncio.sleep(0.1)
    assert not failures
    assert [message.text for message in server.messages] == ["You said text 'hello' None."]


async def test_a_flood_gets_one_warning(server: TelegramServer, start: Start) -> None:
    async with start(messages_per_minute=3):
        for number in range(8):
            await server.say(ANNA, str(number))
        await server.say(BEN, "hello")
        await server.answers(BEN, 1)
        await server.answers(ANNA, 4)
        await server.idle()
    texts = [message.text for message in server.messages if message.chat == ANNA]
    assert len(texts) == 4
    assert sum("faster" in text for text in texts) == 1


async def test_a_second_poller_ends_with_a_clear_error(
    server: TelegramServer, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "CONFLICTS", 2)
    conflict = Fault(ApiError(409, "Conflict: terminated by other getUpdates request"))
    server.fail("getUpdates", conflict, conflict)
    with pytest.raises(BackendError, match=r"another program receives this bot's messages .*409"):
        async with start():
            await asyncio.sleep(3)


async def test_two_pollers_for_a_moment_answer_once(server: TelegramServer, start: Start, store: SqlStore) -> None:
    async with start(), start():
        for number in range(5):
            await server.say(ANNA, str(number))
        await server.answers(ANNA, 5)
        await server.idle()
        await asyncio.sleep(0.3)
    assert sorted(message.text.split("'")[1] for message in server.messages) == ["0", "1", "2", "3", "4"]


async def test_a_wrong_token_is_named_without_showing_it(server: TelegramServer, start: Start) -> None:
    with pytest.raises(ConfigError, match="TELEGRAM_BOT_TOKEN") as caught:
        async with start(telegram_bot_token="654321:wrong"):
            pass
    assert "wrong" not in str(caught.value)


async def test_no_token() -> None:
    from bot.channels.telegram.run import token_of
    from bot.config import Settings

    with pytest.raises(ConfigError, match="@BotFather"):
        token_of(Settings())


async def test_groups_are_answered_in_the_group(server: TelegramServer, start: Start) -> None:
    group = {"id": -100500, "type": "supergroup", "title": "Film club"}
    async with start():
        await server.say(ANNA, "just talking", chat=group)
        await server.say(ANNA, "@converse_test_bot I like Heat", chat=group)
        (answer,) = await server.answers(-100500, 1)
        await server.press(BEN, answer, "Heat (1995)")
        second = (await server.answers(-100500, 2))[1]
    assert answer.text == "You said text 'I like Heat' None."
    assert second.text == "You said option 'Heat (1995)' 3:0."


async def test_a_drawing_comes_before_the_text(server: TelegramServer, start: Start, store: SqlStore) -> None:
    reply = Reply(("By Michael Mann.",), sketch=Sketch("Heat", (Branch("Michael Mann", "director", ("Ali",)),)))
    async with start(Scripted(store, reply)):
        await server.say(ANNA, "why?")
        drawing, text = await server.answers(ANNA, 2)
    assert (drawing.kind, text.text) == ("photo", "By Michael Mann.")
    assert server.refused == []


async def test_the_text_comes_even_when_the_drawing_is_refused(
    server: TelegramServer, start: Start, store: SqlStore
) -> None:
    reply = Reply(("By Michael Mann.",), sketch=Sketch("Heat", (Branch("Michael Mann", "director", ("Ali",)),)))
    server.fail("sendPhoto", Fault(ApiError(400, "Bad Request: IMAGE_PROCESS_FAILED")))
    async with start(Scripted(store, reply)):
        await server.say(ANNA, "why?")
        (text,) = await server.answers(ANNA, 1)
    assert text.text == "By Michael Mann."


async def test_what_is_stored_of_a_person_is_never_shown_in_a_group(
    server: TelegramServer, store: SqlStore, start: Start
) -> None:
    group = {"id": -100500, "type": "supergroup", "title": "Film club"}
    server._chats[ANNA] = server.private(ANNA)
    async with start(Scripted(store, Reply(("Here it is.",), attachment="my_data"))):
        await server.say(ANNA, "/export_my_data@converse_test_bot", chat=group)
        (document,) = await server.answers(ANNA, 1)
    assert document.kind == "document"
    assert [message.kind for message in server.messages if message.chat == -100500] == ["text"]


async def test_flooding_one_chat_does_not_slow_others(server: TelegramServer, store: SqlStore, start: Start) -> None:
    class Slow(StoredEcho):
        async def answer(self, turn: Turn) -> TurnResult:
            await asyncio.sleep(0.03)
            return await super().answer(turn)

    async with start(Slow(store), messages_per_minute=1000):
        for number in range(8):
            await server.say(ANNA, f"flood {number}")
        await server.say(BEN, "hello")
        await server.answers(BEN, 1)
        before = len([message for message in server.messages if message.chat == ANNA])
    assert before < 5, "one who writes later is answered long before the flood is over"
