"""The state before a published row, from the rows before it alone."""

from typing import Any

import pytest

from bot.dialogue.published import answers_options, conversations, state_after, states_before
from bot.dialogue.state import Phase


def row(intent: str, events: str = "", objects: str = "", message: str = "hm", user: Any = 1) -> dict[str, Any]:
    return {
        "userID": user,
        "messageID": "1",
        "message": message,
        "intent": intent,
        "contexts": "",
        "events": events,
        "recognizedObjects": objects,
        "toCheck": False,
    }


def phases(*rows: dict[str, Any]) -> list[Phase]:
    """The phase before each row and after the last."""
    before = list(states_before(rows))
    return [*(state.phase for state, _ in before), state_after(before[-1][0], rows[-1]).phase]


def test_a_whole_conversation_is_followed_without_recorded_contexts() -> None:
    asks = "question, preference, disambiguation"
    assert phases(
        row("start"),
        row("preference", asks),
        row("preference - disambiguation", "preference", "Q1+"),
        row("request_recommendation", "question, recommendation"),
        row("request_recommendation - why", "recommendation, question"),
        row("request_recommendation - preference", "recommendation, question, preference", "Q2+"),
        row("request_recommendation - preference", "finished_recommendation, preference, recommendation", "Q3-"),
        row("show_profile"),
        row("reset_profile", "question"),
        row("reset - reset_movies"),
        row("reset - reset_movies - yes"),
    ) == [
        Phase.IDLE,
        Phase.IDLE,
        Phase.DISAMBIGUATING,
        Phase.IDLE,
        Phase.RECOMMENDING,
        Phase.RECOMMENDING,
        Phase.RECOMMENDING,
        Phase.FINISHED,
        Phase.PROFILE,
        Phase.RESET_MENU,
        Phase.RESET_CONFIRMATION,
        Phase.IDLE,
    ]


def test_what_was_recorded_already_leaves_a_confirmation_open() -> None:
    events = "question, preference, disambiguation"
    states = list(states_before([row("preference", events, "Q1+"), row("preference", events), row("help")]))
    assert [state.question for state, _ in states] == [None, "confirmation", "item"]


def test_a_critique_is_asked_about_while_the_item_stays() -> None:
    shown = row("request_recommendation", "question, recommendation")
    critique = row("request_recommendation - yes_but", "preference, recommendation, question, disambiguation", "Q1+")
    assert phases(shown, critique)[-1] is Phase.DISAMBIGUATING_WHILE_RECOMMENDING


def test_a_refused_request_and_a_stop_show_nothing() -> None:
    shown = row("request_recommendation", "question, recommendation")
    assert phases(row("request_recommendation", "recommendation"))[-1] is Phase.IDLE
    assert phases(shown, row("request_recommendation - stop", "recommendation"))[-1] is Phase.IDLE


def test_help_and_small_talk_leave_the_question_open() -> None:
    asked = row("preference", "question, preference, disambiguation")
    assert phases(asked, row("preference - help"), row("smalltalk.greetings.hello"))[-1] is Phase.DISAMBIGUATING


def test_reset_remembers_its_target() -> None:
    states = [state for state, _ in states_before([row("reset - reset_properties"), row("start")])]
    assert states[-1].reset == "properties"


def test_odd_rows_are_accepted() -> None:
    rows = [row("start", user="u-7"), row("brand new intent", "unheard_of, suggestion", user="u-7"), row("x", user=3)]
    assert list(conversations(rows)) == ["u-7", "3"]
    assert phases(*conversations(rows)["u-7"])[-1] is Phase.SUGGESTING


@pytest.mark.parametrize(
    ("text", "domain", "expected"),
    [
        ("I like Clint Eastwood as actor", "movie", True),
        ("I like Jodie Foster", "movie", False),
        ("I like Clint Eastwood as actor", "book", False),
    ],
)
def test_more_on_the_same_mention_is_an_answer(text: str, domain: str, expected: bool) -> None:
    asked = row("preference", "question, preference, disambiguation", message="I like Clint Eastwood")
    state = list(states_before([asked, row("help")]))[-1][0]
    assert answers_options(state, text, domain=domain) is expected
