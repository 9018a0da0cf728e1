"""The tasks behind `toCheck`."""

from data.formats.tocheck import recompute


def row(intent: str, events: str = "", message: str = "", objects: str = "") -> dict[str, str]:
    return {"intent": intent, "events": events, "message": message, "recognizedObjects": objects}


ASKED = "question, preference, disambiguation"
ASKED_AGAIN = "preference, question, disambiguation"


def test_a_preference_with_its_answer_is_complete() -> None:
    rows = [
        row("preference", ASKED, "I like Alien"),
        row("preference - disambiguation", "preference", "Alien (1979)", "Q1+"),
    ]
    assert recompute(rows) == [False, False]


def test_a_fallback_in_between_fails_the_task() -> None:
    rows = [
        row("preference", ASKED, "I like Alien"),
        row("Default Fallback Intent", ASKED, "hm"),
        row("preference - disambiguation", "preference", "Alien (1979)", "Q1+"),
    ]
    assert recompute(rows) == [True, True, True]


def test_a_step_towards_the_role_does_not_fail() -> None:
    rows = [
        row("preference", ASKED, "I like Queen"),
        row("preference - disambiguation", ASKED_AGAIN, "Queen (band)"),
        row("preference - disambiguation", "preference", "performer", "Q15862+"),
    ]
    assert recompute(rows) == [False, False, False]


def test_of_our_own_conversations_nothing_is_guessed_from_words() -> None:
    rows = [
        row("preference", ASKED, "I like Queen"),
        row("preference - disambiguation", ASKED_AGAIN, "I like the band"),
        row("preference - disambiguation", "preference", "the second", "Q15862-"),
    ]
    assert recompute(rows) == [True, True, True]
    assert recompute(rows, guess=False) == [False, False, False]


def test_an_item_is_complete_when_the_next_is_shown() -> None:
    rows = [
        row("request_recommendation", "question, recommendation", "suggest a film"),
        row("request_recommendation - why", "recommendation, question", "why?"),
        row("request_recommendation - preference", "recommendation, question, preference", "I like it", "Q1+"),
        row("request_recommendation - stop", "recommendation", "stop"),
    ]
    assert recompute(rows) == [False, False, False, True]


def test_profile_is_complete_at_once_and_reset_never() -> None:
    rows = [row("show_profile"), row("reset_profile", "question"), row("start")]
    assert recompute(rows) == [False, True, True]
