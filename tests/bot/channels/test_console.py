import asyncio
import io
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rich.console import Console

from bot.channels.base import Link, Option, Reply, UserKey
from bot.channels.console import JsonScreen, RichScreen, chat, find_option, piped_lines
from bot.records import TurnResult
from tests.bot.channels.doubles import NOW, OPTIONS, Echo

ANNA = UserKey("console", "anna")
KEYS = [
    "message",
    "intent",
    "coarse_intent",
    "confidence",
    "contexts",
    "events",
    "recognized_objects",
    "domain",
    "interaction_type",
    "reply",
    "recommended",
    "recommendation_list",
    "pagerank_cycle",
    "number_recommendation_list",
    "elapsed_ms",
]


async def spoken(*lines: str) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def talk(*lines: str) -> tuple[Echo, list[str]]:
    echo, out = Echo(), io.StringIO()
    await chat(echo, echo, spoken(*lines), JsonScreen(out), ANNA, session="run", clock=lambda: NOW)
    return echo, out.getvalue().splitlines()


async def test_one_json_object_for_each_line_in_the_documented_form() -> None:
    _, out = await talk("I like Heat", "", "bye")
    turns = [json.loads(line) for line in out]
    assert [turn["message"] for turn in turns] == ["I like Heat", "", "bye"]
    for turn in turns:
        assert list(turn) == KEYS
        assert list(turn["reply"]) == ["texts", "options", "image", "links"]
    assert turns[0]["recognized_objects"] == ["Q42198+"]
    assert turns[0]["reply"]["options"][0] == {"id": "3:0", "label": "Heat (1995)"}
    assert turns[0]["recommended"] is None
    assert turns[0]["confidence"] == 0.9877


async def test_json_stays_on_one_line_whatever_is_said() -> None:
    _, out = await talk("line\u2028separator\x0b and \x85 and \ufffd")
    assert json.loads(*out)["message"] == "line\u2028separator\x0b and \x85 and \ufffd"


@pytest.mark.parametrize(("line", "option"), [("2", "3:1"), (" heat (1986) ", "3:1"), ("NONE of these", "none:3")])
async def test_an_option_is_chosen_by_number_or_label(line: str, option: str) -> None:
    echo, _ = await talk("I like Heat", line)
    assert (echo.turns[1].kind, echo.turns[1].option, echo.turns[1].text) == ("option", option, line)


@pytest.mark.parametrize("line", ["0", "4", "-1", "1.0", "Heat", "1984", ""])
async def test_anything_else_is_text(line: str) -> None:
    echo, _ = await talk("I like Heat", line)
    assert (echo.turns[1].kind, echo.turns[1].option) == ("text", None)


async def test_no_option_is_chosen_before_any_is_offered() -> None:
    echo, _ = await talk("1")
    assert echo.turns[0].kind == "text"


def test_of_equal_labels_the_first_counts() -> None:
    assert find_option("x", (Option("a", "X"), Option("b", "x"))) == Option("a", "X")


async def test_update_ids_differ_within_and_between_runs() -> None:
    first, _ = await talk("a", "a")
    out = io.StringIO()
    second = Echo()
    await chat(second, second, spoken("a"), JsonScreen(out), ANNA, session="other run", clock=lambda: NOW)
    assert len({turn.update_id for turn in first.turns + second.turns}) == 3
    assert first.sent == first.turns, "what was shown is marked as sent"


def shown(reply: Reply, *, echo: bool = True) -> str:
    out = io.StringIO()
    screen = RichScreen(Console(file=out, width=60), echo=echo)
    screen.show("what I [bold]said[/bold]", TurnResult(reply), 1.0)
    return out.getvalue()


def test_text_is_shown_as_it_is() -> None:
    text = shown(
        Reply(("A [red]title[/red] :smile:", "Second"), OPTIONS, "https://x/p.jpg", (Link("Trailer", "https://t"),))
    )
    assert text.splitlines() == [
        "> what I [bold]said[/bold]",
        "A [red]title[/red] :smile:",
        "Second",
        "https://x/p.jpg",
        "Trailer: https://t",
        "  1. Heat (1995)",
        "  2. Heat (1986)",
        "  3. None of these",
        "",
    ]


def test_options_that_the_text_lists_are_not_repeated() -> None:
    text = shown(Reply(("Which one?\n1. Heat (1995)\n2. Heat (1986)",), OPTIONS), echo=False)
    assert text.count("Heat (1995)") == 1
    assert "  3. None of these" in text


async def read(data: bytes, tmp_path: Path) -> list[str]:
    file = tmp_path / "lines"
    file.write_bytes(data)
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return [line async for line in piped_lines(descriptor)]
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\n\ntwo\r\n", ["one", "", "two"]),
        (b"bad \xff\xfe bytes\n", ["bad \ufffd\ufffd bytes"]),
        ("caf\u00e9 \u2028 \x0b x\n".encode(), ["caf\u00e9 \u2028 \x0b x"]),
        (b"x" * 200_000 + b"\n" + "é".encode() * 100_000, ["x" * 200_000, "é" * 100_000]),
    ],
)
async def test_piped_lines(data: bytes, lines: list[str], tmp_path: Path) -> None:
    assert await read(data, tmp_path) == lines


async def test_a_line_is_there_as_soon_as_it_is_written() -> None:
    reader, writer = os.pipe()
    lines = piped_lines(reader)
    os.write(writer, b"first\nsec")
    assert await asyncio.wait_for(anext(lines), 5) == "first"
    os.write(writer, b"ond\n")
    assert await asyncio.wait_for(anext(lines), 5) == "second"
    os.close(writer)
    assert [line async for line in lines] == []
    os.close(reader)


def test_records_are_needed_for_json() -> None:
    with pytest.raises(ValueError, match="no record"):
        JsonScreen(io.StringIO()).show("x", TurnResult(Reply(("x",))), 1.0)
