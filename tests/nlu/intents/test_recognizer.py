"""The client of Rasa: against a server of the test's own for faults, against the real one for plain sentences."""

import asyncio
import json
from collections.abc import Callable

import httpx
import pytest

from data.errors import BackendError
from nlu.intents.recognizer import RasaIntentRecognizer

RANKING = {"intent": {"name": "greet", "confidence": 0.9}, "intent_ranking": [{"name": "greet", "confidence": 0.9}]}


def answering(handle: Callable[[str], httpx.Response]) -> tuple[RasaIntentRecognizer, list[str]]:
    """A recogniser whose server answers with `handle`, and the texts that arrive there."""
    texts: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/model/parse"
        texts.append(json.loads(request.content)["text"])
        return handle(texts[-1])

    return RasaIntentRecognizer("http://rasa", transport=httpx.MockTransport(respond)), texts


async def test_slashes_would_bypass_the_model_and_are_left_out() -> None:
    recognizer, texts = answering(lambda _text: httpx.Response(200, json=RANKING))
    result = await recognizer.recognize("/ help  me")
    assert texts == ["help me"]
    assert (result.best, result.confidence) == ("greet", 0.9)


async def test_mojibake_and_curly_quotes_are_repaired() -> None:
    recognizer, texts = answering(lambda _text: httpx.Response(200, json=RANKING))
    await recognizer.recognize("I donâ€™t know")
    await recognizer.recognize("I don’t know")
    assert texts == ["I don't know"]


@pytest.mark.parametrize("text", ["", "   ", "///"])
async def test_nothing_is_a_fallback_without_asking(text: str) -> None:
    recognizer, texts = answering(lambda _text: httpx.Response(500))
    assert (await recognizer.recognize(text)).best == "fallback"
    assert texts == []


async def test_a_lost_connection_is_tried_once_more() -> None:
    failures = [httpx.ConnectError("refused")]

    def flaky(_text: str) -> httpx.Response:
        if failures:
            raise failures.pop()
        return httpx.Response(200, json=RANKING)

    recognizer, texts = answering(flaky)
    assert (await recognizer.recognize("hello")).best == "greet"
    assert len(texts) == 2


@pytest.mark.parametrize(
    "fault",
    [
        httpx.Response(500),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"ok": True}),
        httpx.Response(200, json=[1, 2]),
    ],
)
async def test_a_server_that_fails_is_one_clear_error(fault: httpx.Response) -> None:
    recognizer, _ = answering(lambda _text: fault)
    with pytest.raises(BackendError, match="http://rasa"):
        await recognizer.recognize("hello")


async def test_time_out_is_a_backend_error() -> None:
    def slow(_text: str) -> httpx.Response:
        raise httpx.ReadTimeout("too slow")

    recognizer, texts = answering(slow)
    with pytest.raises(BackendError):
        await recognizer.recognize("hello")
    assert len(texts) == 1


async def test_a_server_that_hangs_is_left_alone_until_one_message_gets_an_answer() -> None:
    now, hanging, texts = 0.0, True, list[str]()

    def respond(request: httpx.Request) -> httpx.Response:
        texts.append(json.loads(request.content)["text"])
        if hanging:
            raise httpx.ReadTimeout("too slow")
        return httpx.Response(200, json=RANKING)

    recognizer = RasaIntentRecognizer("http://rasa", transport=httpx.MockTransport(respond), clock=lambda: now)

    async def say(*said: str) -> int:
        results = await asyncio.gather(*map(recognizer.recognize, said), return_exceptions=True)
        return sum(isinstance(result, BackendError) for result in results)

    assert [await say("a"), await say("b"), await say("c"), await say("d")] == [1, 1, 1, 1]
    assert texts == ["a", "b", "c"], "the fourth is not asked about"
    now = 10.0
    assert await say("e", "f") == 2
    assert texts[3:] == ["e"], "one tries"
    now, hanging = 25.0, False
    assert await say("g", "h") == 0
    assert await say("i", "j") == 0
    assert texts[4:] == ["g", "h", "i", "j"]


async def test_failures_that_cost_no_time_do_not_stop_anybody_from_asking() -> None:
    recognizer, texts = answering(lambda _text: httpx.Response(503))
    for text in "abcde":
        with pytest.raises(BackendError):
            await recognizer.recognize(text)
    assert texts == list("abcde")


async def test_errors_are_not_remembered() -> None:
    answers = [httpx.Response(200, json=RANKING), httpx.Response(503)]
    recognizer, _ = answering(lambda _text: answers.pop())
    with pytest.raises(BackendError):
        await recognizer.recognize("hello")
    assert (await recognizer.recognize("hello")).best == "greet"


PLAIN = [
    ("I love The Godfather", "preference"),
    ("i dont like horror movies", "preference"),
    ("I love Stephen King, but I don't like The Shining", "preference"),
    ("Hated it!", "preference"),
    ("the second one", "inform"),
    ("actor", "inform"),
    ("none of these", "inform"),
    ("Blade Runner", "inform"),
    ("yes", "affirm"),
    ("no", "deny"),
    ("skip this one pls", "skip"),
    ("I haven't seen it", "skip"),
    ("stop suggesting me movies", "stop"),
    ("what should I watch tonight?", "request_recommendation"),
    ("a comedy from the nineties with Tom Hanks", "request_recommendation"),
    ("any good novel like Dune?", "request_recommendation"),
    ("tell me more about it", "details"),
    ("why did you suggest this?", "why"),
    ("can I see the trailer?", "trailer"),
    ("I like it, but not the director", "yes_but"),
    ("I don't like it but I like the actors", "no_but"),
    ("show me my profile", "show_profile"),
    ("delete my preference for Titanic", "delete_preference"),
    ("forget the last one", "delete_preference"),
    ("reset my profile", "reset_profile"),
    ("everything", "reset_everything"),
    ("only the movies", "reset_items"),
    ("properties", "reset_properties"),
    ("help", "help"),
    ("/start", "start"),
    ("hello there", "greet"),
    ("bye bye", "bye"),
    ("thank you so much", "thanks"),
    ("great choice!", "praise"),
    ("how old are you?", "chitchat"),
    ("I love you", "chitchat"),
    ("I love Pixar", "preference"),
    ("mi piace molto Il padrino", "preference"),
    ("non mi piace", "preference"),
    ("il secondo", "inform"),
    ("sì", "affirm"),
    ("salta", "skip"),
    ("consigliami un film", "request_recommendation"),
    ("perché me lo consigli?", "why"),
    ("mostrami il mio profilo", "show_profile"),
    ("grazie mille", "thanks"),
]


@pytest.mark.parametrize(("text", "intent"), PLAIN)
async def test_the_shipped_model_understands_plain_sentences(rasa_url: str, text: str, intent: str) -> None:
    async with RasaIntentRecognizer(rasa_url, timeout=20) as recognizer:
        assert (await recognizer.recognize(text)).best == intent


async def test_the_shipped_model_ranks_all_coarse_intents(rasa_url: str) -> None:
    async with RasaIntentRecognizer(rasa_url, timeout=20) as recognizer:
        result = await recognizer.recognize("I like it")
    assert len(result.ranking) == 25
    assert sum(probability for _, probability in result.ranking) == pytest.approx(1, abs=0.01)


async def test_ten_thousand_characters_are_classified(rasa_url: str) -> None:
    async with RasaIntentRecognizer(rasa_url, timeout=20) as recognizer:
        assert (await recognizer.recognize("I like Titanic " * 700)).best == "preference"
