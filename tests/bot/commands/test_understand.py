import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli import build_app
from bot.errors import UsageError


async def run(rasa_url: str, folder: Path, *arguments: str) -> Result:
    command = ["understand", "--data-dir", str(folder), *arguments]
    runner = CliRunner(env={"RASA_URL": rasa_url})
    return await asyncio.to_thread(runner.invoke, build_app(), command)


async def test_json_holds_what_was_understood(rasa_url: str, tmp_path: Path) -> None:
    text = "I love Stephen King, but I don't like The Shining"

    result = await run(rasa_url, tmp_path, text, "--json")

    document = json.loads(result.stdout)
    assert (document["coarse_intent"], document["intent"]) == ("preference", "preference")
    assert document["ranking"][0] == [document["ranking"][0][0], document["confidence"]]
    assert [(one["text"], one["polarity"]) for one in document["mentions"]] == [
        ("Stephen King", "+"),
        ("The Shining", "-"),
    ]
    for mention in document["mentions"]:
        start, end = mention["span"]
        assert text[start:end] == mention["text"]
        assert mention["accepted"] == mention["candidates"][0]["qid"]
        assert {"qid", "label", "kind", "year", "score"} <= set(mention["candidates"][0])


async def test_state_decides_the_exact_intent(rasa_url: str, tmp_path: Path) -> None:
    options = ("--option", "Dune (2021 film)", "--option", "Dune (1984 film)")

    result = await run(rasa_url, tmp_path, "the second one", "--state", "disambiguating", *options, "--json")

    document = json.loads(result.stdout)
    assert document["answer"] == {"chosen": [1], "none": False}
    assert document["intent"] == "preference - disambiguation"


async def test_people_can_read_it(rasa_url: str, tmp_path: Path) -> None:
    shown = (await run(rasa_url, tmp_path, "a comedy with Tom Hanks, like Forrest Gump")).stdout

    assert "'Tom Hanks' [" in shown
    assert "condition 'with Tom Hanks'" in shown


@pytest.mark.parametrize(
    ("arguments", "message"), [(("--state", "asleep"), "asleep"), (("--domain", "cheese"), "cheese")]
)
def test_what_does_not_exist_is_refused(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    command = ["understand", "--data-dir", str(tmp_path), "hello", *arguments]

    with pytest.raises(UsageError, match=message):
        CliRunner().invoke(build_app(), command, catch_exceptions=False)


async def test_small_talk_has_the_label_that_its_words_name(rasa_url: str, tmp_path: Path) -> None:
    result = await run(rasa_url, tmp_path, "how are you?", "--json")

    assert json.loads(result.stdout)["intent"] == "smalltalk.greetings.how_are_you"


async def test_bytes_that_are_no_utf8_are_answered_too(rasa_url: str, tmp_path: Path) -> None:
    result = await run(rasa_url, tmp_path, "I like \udcff Titanic", "--json")

    assert json.loads(result.stdout)["text"] == "I like � Titanic"
