"""Buttons, commands and unreadable input mean what they mean without any understanding."""

from collections.abc import Mapping
from datetime import UTC, datetime
from random import Random

import pytest

from bot.channels.base import Turn, UserKey
from bot.dialogue.reading import FreeText, context_of, foreign_script, read_directly, readable
from bot.dialogue.scene import Action, Knowledge
from bot.dialogue.state import Choice, DialogueState, Question
from bot.dialogue.wording import Voice, load_wordings
from data.catalogue import Catalogue
from data.domains import DomainConfig
from recommender.model import Recommender

VOICES = [Voice(language, wording, Random(0)) for language, wording in load_wordings().items()]
ASKED = Question(
    "role",
    (Choice("pick:5:0", "actor", "Q1", "P161"), Choice("pick:5:1", "director", "Q1", "P57")),
    serial=5,
    times=1,
)


@pytest.fixture
def know(catalogue: Catalogue, domains: Mapping[str, DomainConfig], recommender: Recommender) -> Knowledge:
    return Knowledge(catalogue, domains, recommender)


def turn(text: str = "", kind: str = "text", option: str | None = None) -> Turn:
    return Turn(UserKey("console", "x"), "1", kind, text, datetime(2026, 1, 1, tzinfo=UTC), option)  # type: ignore[arg-type]


def read(given: Turn, know: Knowledge, state: DialogueState | None = None) -> tuple[str, Action | None]:
    found = read_directly(given, state or DialogueState(), know, VOICES, VOICES[0])
    return ("text", found.action) if isinstance(found, FreeText) else (found[0].coarse_intent, found[1])


@pytest.mark.parametrize(
    ("text", "key"),
    [("", "empty"), (" \t\x00\u200b", "empty"), ("x" * 2001, "too_long"), ("😀 !!", "no_words")],
)
def test_what_cannot_be_read(text: str, key: str, know: Knowledge) -> None:
    assert read(turn(text), know) == ("fallback", Action("unreadable", key))


def test_media_cannot_be_read(know: Knowledge) -> None:
    assert read(turn(kind="media"), know)[1] == Action("unreadable", "media")


def test_control_characters_become_spaces() -> None:
    assert readable("I\x07like\r\n\x00Titanic ") == "I like Titanic"


@pytest.mark.parametrize(("text", "foreign"), [("我喜欢", True), ("Привет", True), ("1984", False), ("Amélie", False)])
def test_foreign_scripts_are_told(text: str, foreign: bool) -> None:
    assert foreign_script(text) == foreign


@pytest.mark.parametrize(
    ("text", "coarse", "action"),
    [
        ("/start", "start", None),
        ("/start study-1", "start", None),
        ("/help@some_bot", "help", None),
        ("/Movies", "fallback", Action("domain", "movie")),
        ("/books", "fallback", Action("domain", "book")),
        ("/libri", "fallback", Action("domain", "book")),
        ("/mode nl", "fallback", Action("mode", "nl")),
        ("/language IT", "fallback", Action("language", "it")),
        ("/undo", "fallback", Action("undo")),
        ("/frobnicate", "fallback", Action("unknown_command", "frobnicate")),
        ("/", "fallback", Action("unknown_command", "")),
    ],
)
def test_commands(text: str, coarse: str, action: Action | None, know: Knowledge) -> None:
    assert read(turn(text), know) == (coarse, action)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("pick:5:1", ("inform", Action("answer", "5"))),
        ("all:5", ("inform", Action("answer", "5"))),
        ("none:5", ("inform", Action("answer", "5"))),
        ("pick:4:1", ("fallback", Action("stale"))),
        ("pick:5:9", ("fallback", Action("stale"))),
        ("pick:5:x", ("fallback", Action("stale"))),
        ("like:Q1", ("preference", None)),
        ("unseen:Q1", ("fallback", Action("unseen"))),
        ("like:Q2", ("fallback", Action("stale"))),
        ("do:recommend", ("request_recommendation", None)),
        ("do:domain:book", ("fallback", Action("domain", "book"))),
        ("do:nothing", ("fallback", Action("stale"))),
        ("", ("fallback", Action("stale"))),
    ],
)
def test_buttons(option: str, expected: tuple[str, Action | None], know: Knowledge) -> None:
    state = DialogueState(questions=(ASKED,), recommendations=("Q1",), position=0)
    assert read(turn("a label", "option", option), know, state) == expected


def test_fixed_words_act_in_any_language(know: Knowledge) -> None:
    assert read(turn("parliamo italiano"), know)[1] == Action("language", "it")
    assert read(turn("no buttons please"), know)[1] == Action("mode", "nl")
    assert read(turn("I like Titanic"), know) == ("text", None)


def test_the_context_tells_what_is_asked(domains: Mapping[str, DomainConfig]) -> None:
    context = context_of(DialogueState(questions=(ASKED,)), domains)
    assert context.asked == "role"
    assert "actress" in context.options[0]
    shown = DialogueState(recommendations=("Q1", "Q2"), position=1)
    assert context_of(shown, domains).asked == "rating"
    assert context_of(shown, domains).shown == "Q2"
    assert context_of(DialogueState(), domains).asked is None
