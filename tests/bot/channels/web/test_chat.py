"""Messages in, replies out: each message has one effect, whatever is sent twice or gets lost on the way."""

import asyncio
from collections.abc import Callable

import httpx
import pytest
from sqlalchemy import func, select

from bot.channels.base import Link, Option, Reply, Turn, UserKey
from bot.errors import StorageError
from bot.records import TurnResult
from bot.storage import schema
from bot.storage.store import SqlStore
from bot.storage.transcript import Exchange
from tests.bot.channels.doubles import Echo, StoredEcho
from tests.bot.channels.web.conftest import Visitor, Web


async def count(store: SqlStore, table: str) -> int:
    async with store.reading() as connection:
        rows = await connection.execute(select(func.count()).select_from(schema.metadata.tables[table]))
        return int(rows.scalar_one())


async def test_nothing_is_stored_before_consent(visitor: Visitor, store: SqlStore, echo: StoredEcho) -> None:
    page = await visitor.get("/")
    answer = await visitor.say("I love Heat")
    refused = await visitor.post("/consent", {"answer": "refuse"})
    assert "nothing is stored" in page.text
    assert answer.status_code == 204
    assert answer.headers["X-Go"] == "/"
    assert "Nothing was stored" in refused.text
    assert echo.turns == []
    assert [await count(store, table) for table in ("users", "updates", "records")] == [0, 0, 0]


async def test_after_consent_the_bot_begins(visitor: Visitor, echo: StoredEcho) -> None:
    await visitor.agree()
    assert [turn.text for turn in echo.turns] == ["/start"]
    assert "You said text" in visitor.page
    assert ">/start<" not in visitor.page, "what the visitor did not write is not shown as theirs"


async def test_agreeing_twice_begins_once(visitor: Visitor, echo: StoredEcho) -> None:
    await visitor.get("/")
    await asyncio.gather(*(visitor.post("/consent", {"answer": "agree"}) for _ in range(2)))
    assert [turn.text for turn in echo.turns] == ["/start"]


async def test_a_message_is_answered_once_however_often_it_is_sent(visitor: Visitor, echo: StoredEcho) -> None:
    await visitor.agree()
    first = await visitor.say("I love Heat")
    again = await visitor.say("I love Heat")
    both = await asyncio.gather(visitor.say("me too", "message-2"), visitor.say("me too", "message-2"))
    assert first.status_code == 200
    assert "I love Heat" in first.text
    assert first.text == again.text == first.text
    assert both[0].text == both[1].text
    assert [turn.text for turn in echo.turns] == ["/start", "I love Heat", "me too"]


async def test_another_text_under_the_same_id_is_another_message(visitor: Visitor, echo: StoredEcho) -> None:
    await visitor.agree()
    await visitor.say("I love Heat")
    await visitor.say("I love Alien")
    assert [turn.text for turn in echo.turns] == ["/start", "I love Heat", "I love Alien"]


async def test_a_button_carries_its_label(visitor: Visitor, echo: StoredEcho) -> None:
    await visitor.agree()
    headers = {"X-CSRF-Token": visitor.hidden("csrf")}
    fields = {"message_id": "option-1", "option": "3:1"}
    answer = await visitor.client.post("/messages", data=fields, headers=headers)
    turn = echo.turns[-1]
    assert (turn.kind, turn.option, turn.text) == ("option", "3:1", "Heat (1986)")
    assert "Heat (1986)" in answer.text


async def test_a_form_without_script_leads_back_to_the_page(visitor: Visitor) -> None:
    await visitor.agree()
    answer = await visitor.post("/messages", {"message_id": visitor.hidden("message_id"), "text": "I love Heat"})
    page = await visitor.get("/")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/")
    assert "I love Heat" in page.text


async def test_markup_is_shown_and_not_obeyed(visitor: Visitor) -> None:
    await visitor.agree()
    answer = await visitor.say("<script>alert(1)</script>")
    page = await visitor.get("/")
    for text in (answer.text, page.text):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert" in text


class Poster(StoredEcho):
    """Shows an item with everything that a reply can have."""

    async def answer(self, turn: Turn) -> TurnResult:
        result = await super().answer(turn)
        links = (Link("IMDb", "https://www.imdb.com/title/tt0113277/"), Link("Bad", "javascript:alert(1)"))
        image = "http://commons.wikimedia.org/wiki/Special:FilePath/Heat.jpg?width=480"
        options = (Option("like:Q42198", "I like it"),)
        return TurnResult(Reply(("Here:", "Heat (1995)\nMichael Mann"), options, image, links), result.record)


async def test_an_item_is_shown_with_picture_links_and_buttons(build: Callable[..., Web], store: SqlStore) -> None:
    async with build(Poster(store)).visitor() as visitor:
        await visitor.agree()
        shown = (await visitor.say("suggest something")).text
    assert 'src="https://commons.wikimedia.org/wiki/Special:FilePath/Heat.jpg?width=240"' in shown
    assert '<a href="https://www.imdb.com/title/tt0113277/" target="_blank" rel="noopener noreferrer">IMDb' in shown
    assert "javascript:" not in shown
    assert "<strong>Heat (1995)</strong>" in shown
    assert 'value="like:Q42198"' in shown


async def test_earlier_messages_come_on_request(visitor: Visitor) -> None:
    await visitor.agree()
    for number in range(40):
        await visitor.say(f"message {number}", f"message-{number:03}")
    page = (await visitor.get("/")).text
    assert "message 39" in page
    assert "message 9<" not in page
    before = page.split("?before=")[1].split('"')[0]
    earlier = await visitor.get(f"/earlier?before={before}")
    by_link = await visitor.get(f"/?before={before}")
    assert "message 9<" in earlier.text
    assert "message 39" not in earlier.text
    assert "message 9<" in by_link.text


async def test_open_pages_are_told_what_is_new(web: Web, visitor: Visitor) -> None:
    await visitor.agree()
    (user,) = await users(web.store)
    heard: list[Exchange] = []

    async def listen() -> None:
        async for found in web.talks.news(user, 0):
            heard.extend(found)

    listening = asyncio.create_task(listen())
    await visitor.say("one", "message-1")
    await visitor.say("two", "message-2")
    while len(heard) < 3:
        await asyncio.sleep(0.01)
    web.talks.close()
    await listening
    assert [exchange.text for exchange in heard] == ["/start", "one", "two"]
    assert [exchange.number for exchange in heard] == sorted(exchange.number for exchange in heard)
    later = [found async for found in web.talks.news(user, heard[1].number)]
    assert later == [], "a server that stops tells nobody to wait"


async def test_a_page_that_comes_back_gets_what_it_missed(web: Web, visitor: Visitor) -> None:
    await visitor.agree()
    await visitor.say("one", "message-1")
    (user,) = await users(web.store)
    first, second = await web.talks.said(user)
    async with asyncio.timeout(5):
        async for found in web.talks.news(user, first.number):
            assert [exchange.number for exchange in found] == [second.number]
            break


async def users(store: SqlStore) -> list[UserKey]:
    async with store.reading() as connection:
        rows = await connection.execute(select(schema.users.c.channel, schema.users.c.external_id))
        return [UserKey(*row) for row in rows]


async def test_a_stranger_has_no_news(visitor: Visitor) -> None:
    assert (await visitor.get("/events")).status_code == 204


class Broken(Echo):
    """Cannot answer."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    async def handle(self, turn: Turn) -> TurnResult:
        if turn.text == "/start":
            return await super().handle(turn)
        raise self._error


@pytest.mark.parametrize(("error", "status"), [(StorageError("disk full at C"), 503), (KeyError("secret"), 500)])
async def test_a_failure_is_explained_without_the_inside(
    build: Callable[..., Web], error: Exception, status: int
) -> None:
    async with build(Broken(error)).visitor() as visitor:
        await visitor.agree()
        answer = await visitor.post("/messages", {"text": "hello"})
    assert answer.status_code == status
    assert "Something went wrong" in answer.text
    assert "Traceback" not in answer.text
    assert "secret" not in answer.text
    assert "disk full" not in answer.text
    assert "Content-Security-Policy" in answer.headers


async def test_too_many_messages_are_put_off(build: Callable[..., Web], echo: StoredEcho) -> None:
    async with build(echo, per_minute=3).visitor() as visitor:
        await visitor.agree()
        answers = [await visitor.say("hi", f"message-{number}") for number in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0


async def test_one_address_cannot_send_without_end(build: Callable[..., Web], echo: StoredEcho) -> None:
    web = build(echo, shared=5)
    statuses = []
    for _ in range(7):
        async with web.visitor() as visitor:
            await visitor.get("/")
            statuses.append((await visitor.post("/consent", {"answer": "refuse"})).status_code)
    assert statuses == [200] * 5 + [429] * 2


async def test_what_is_stored_can_be_taken_along_and_deleted(visitor: Visitor, store: SqlStore) -> None:
    await visitor.agree()
    await visitor.say("I love Heat")
    data = await visitor.get("/data")
    await visitor.get("/privacy")
    asked = await visitor.post("/forget")
    before = await count(store, "records")
    gone = await visitor.post("/forget", {"sure": "yes"})
    again = await visitor.get("/")
    assert [row["message"] for row in data.json()["records"]] == ["/start", "I love Heat"]
    assert "attachment" in data.headers["Content-Disposition"]
    assert "cannot be undone" in asked.text
    assert before == 2
    assert "Everything is deleted" in gone.text
    assert [await count(store, table) for table in ("users", "updates", "records")] == [0, 0, 0]
    assert "Before we start" in again.text


async def test_the_database_does_not_hold_the_cookie(visitor: Visitor, store: SqlStore) -> None:
    await visitor.agree()
    token = visitor.client.cookies["visitor"]
    (user,) = await users(store)
    assert len(token) >= 43
    assert token not in user.external_id


async def test_pages_speak_the_visitors_language(visitor: Visitor) -> None:
    by_browser = await visitor.get("/", **{"Accept-Language": "it-IT,it;q=0.9,en;q=0.8"})
    other = await visitor.get("/", **{"Accept-Language": "fi"})
    switched = await visitor.post("/language", {"language": "it", "next": "/privacy"})
    outside = await visitor.post("/language", {"language": "en", "next": "//evil.example/"})
    await visitor.post("/language", {"language": "it", "next": "/"})
    by_choice = await visitor.get("/", **{"Accept-Language": "en"})
    assert '<html lang="it">' in by_browser.text
    assert '<html lang="en">' in other.text
    assert switched.headers["location"] == "/privacy"
    assert outside.headers["location"] == "/"
    assert '<html lang="it">' in by_choice.text


async def test_health_says_what_is_wrong_and_no_more(build: Callable[..., Web], echo: StoredEcho) -> None:
    async def problems() -> dict[str, str]:
        return {"rasa": "http://inside:5005 refused"}

    async with build(echo, problems=problems).visitor() as visitor:
        alive, ready = await visitor.get("/healthz"), await visitor.get("/readyz")
    assert alive.json() == {"status": "ok"}
    assert (ready.status_code, ready.json()) == (503, {"status": "failing", "problems": ["rasa"]})


async def test_what_must_not_come_in(visitor: Visitor, echo: StoredEcho) -> None:
    await visitor.agree()
    client = visitor.client

    async def send(data: dict[str, str], **headers: str) -> httpx.Response:
        return await client.post("/messages", data=data, headers=headers)

    async def endless() -> None:
        for _ in range(100):
            yield b"text=" + b"x" * 10_000

    token = visitor.hidden("csrf")
    assert (await send({"text": "hi"})).status_code == 403
    assert (await send({"text": "hi", "csrf": "0" * 32})).status_code == 403
    assert (await send({"text": "hi", "csrf": "né"})).status_code == 403
    assert (await send({"text": "hi", "csrf": token}, **{"Sec-Fetch-Site": "cross-site"})).status_code == 403
    assert (await send({"text": "x" * 600_000, "csrf": token})).status_code == 413
    form = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRF-Token": token}
    assert (await client.post("/messages", content=endless(), headers=form)).status_code >= 400
    assert [turn.text for turn in echo.turns] == ["/start"]


@pytest.mark.parametrize("query", ["?before=x", "?before=-1", "earlier", f"earlier?before={10**30}", "events?after=²"])
async def test_an_address_that_makes_no_sense_is_explained(visitor: Visitor, query: str) -> None:
    await visitor.agree()
    response = await visitor.get(f"/{query}")
    assert response.status_code == 400
    assert "could not be understood" in response.text


async def test_every_answer_tells_the_browser_to_be_careful(web: Web) -> None:
    async with web.visitor("https://test") as visitor:
        for path in ("/", "/nothing", "/healthz", "/static/app.css?v=1", "/privacy"):
            response = await visitor.get(path)
            assert response.headers["Content-Security-Policy"].startswith("default-src 'self';")
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Referrer-Policy"] == "same-origin"
            assert "Strict-Transport-Security" in response.headers
        cookie = (await visitor.get("/", Cookie="")).headers.get("set-cookie") or ""
        static = await visitor.get("/static/chat.js?v=1")
    assert static.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    async with web.visitor("https://test") as other:
        cookie = (await other.get("/")).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" in cookie
