"""The table of labels: total, in the published vocabulary, and right where people's words have many meanings."""

import pytest

from bot.dialogue import labels
from bot.dialogue.state import Phase

PUBLISHED_SMALL_TALK = {name for name in labels.SMALL_TALK if name != "smalltalk.agent.chatbot"}


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("coarse", [*labels.COARSE_INTENTS, "fallback"])
def test_every_coarse_intent_has_a_published_label_in_every_phase(coarse: str, phase: Phase) -> None:
    for question in (None, "item", "confirmation", "delete"):
        for answers in (False, True):
            assert labels.exact_intent(coarse, phase, question=question, answers=answers) in labels.COARSE


def test_vocabulary_is_the_published_one() -> None:
    assert len(labels.COARSE_INTENTS) == 25
    assert len({*labels.COARSE} - {*labels.SMALL_TALK}) == 43
    assert len(PUBLISHED_SMALL_TALK) == 26
    assert set(labels.COARSE.values()) == {*labels.COARSE_INTENTS, "fallback"}


@pytest.mark.parametrize(
    ("phase", "label"),
    [
        (Phase.IDLE, "smalltalk.confirmation.yes"),
        (Phase.SUGGESTING, "preference"),
        (Phase.RECOMMENDING, "request_recommendation - preference"),
        (Phase.DISAMBIGUATING, "preference - yes"),
        (Phase.DISAMBIGUATING_WHILE_RECOMMENDING, "request_recommendation - critiquing - yes"),
        (Phase.RESET_CONFIRMATION, "reset - reset_movies - yes"),
        (Phase.FINISHED, "smalltalk.confirmation.yes"),
    ],
)
def test_a_bare_yes_means_what_was_asked(phase: Phase, label: str) -> None:
    assert labels.exact_intent("affirm", phase, reset="items", text="yes") == label


def test_ok_is_no_opinion_on_the_item_on_show() -> None:
    assert labels.exact_intent("affirm", Phase.RECOMMENDING, text="ok") == "smalltalk.confirmation.yes"


def test_liking_it_rates_the_item_on_show_and_is_a_preference_otherwise() -> None:
    assert labels.exact_intent("preference", Phase.RECOMMENDING) == "request_recommendation - preference"
    assert labels.exact_intent("preference", Phase.IDLE) == "preference"


def test_an_opinion_that_picks_an_option_is_an_answer() -> None:
    phase = Phase.DISAMBIGUATING
    assert labels.exact_intent("preference", phase, question="item", answers=True) == "preference - disambiguation"
    assert labels.exact_intent("preference", phase, question="item") == "preference"


def test_no_to_which_one_chooses_none_and_to_a_confirmation_is_a_no() -> None:
    phase = Phase.DISAMBIGUATING
    assert labels.exact_intent("deny", phase, question="item") == "preference - disambiguation"
    assert labels.exact_intent("deny", phase, question="confirmation") == "preference - no"


def test_deleting_asks_which_one() -> None:
    asked = {"phase": Phase.DISAMBIGUATING, "question": "delete"}
    assert labels.exact_intent("inform", **asked) == "show_profile - delete_preference - disambiguation"
    assert labels.exact_intent("help", **asked) == "show_profile - delete_preference - help"


@pytest.mark.parametrize(
    ("coarse", "text", "label"),
    [
        ("chitchat", "how are you?", "smalltalk.greetings.how_are_you"),
        ("chitchat", "hahaha", "smalltalk.emotions.ha_ha"),
        ("chitchat", "I love you", "smalltalk.user.loves_agent"),
        ("chitchat", "is it raining in Oslo", "smalltalk.agent.chatbot"),
        ("thanks", "no problem", "smalltalk.appraisal.no_problem"),
        ("thanks", "many thanks", "smalltalk.appraisal.thank_you"),
    ],
)
def test_small_talk_has_its_published_families(coarse: str, text: str, label: str) -> None:
    assert labels.exact_intent(coarse, Phase.IDLE, text=text) == label


@pytest.mark.parametrize(
    ("exact", "text", "coarse"),
    [
        ("preference - disambiguation", "Actor", "inform"),
        ("preference - disambiguation", "I like the second", "preference"),
        ("preference - disambiguation", "no", "deny"),
        ("request_recommendation - preference", "Yes", "affirm"),
        ("request_recommendation - preference", "Yes, I like it", "preference"),
        ("reset - reset_properties - no", "no", "deny"),
        ("smalltalk.some.new.family", "hm", "chitchat"),
        ("never heard of", "hm", "fallback"),
    ],
)
def test_published_rows_have_a_coarse_intent(exact: str, text: str, coarse: str) -> None:
    assert labels.coarse_intent(exact, text) == coarse


def test_contexts_live_as_long_as_published() -> None:
    contexts = labels.contexts_after({}, "preference", domain="movie")
    assert contexts == {"preference-followup": 2}
    contexts = labels.contexts_after(contexts, "request_recommendation", domain="movie")
    assert list(contexts) == ["preference-followup", "request_recommendation-followup"]
    contexts = labels.contexts_after(contexts, "request_recommendation - preference", domain="movie")
    assert list(contexts) == ["request_recommendation-preference-followup", "request_recommendation-followup"]
    assert labels.contexts_after(contexts, "smalltalk.appraisal.good", domain="movie") == {}
    assert labels.contexts_after(contexts, "request_recommendation - stop", domain="movie") == {}


def test_an_answer_keeps_the_question_context_and_marks_books_and_music() -> None:
    before = labels.contexts_after({}, "preference", domain="book")
    after = labels.contexts_after(before, "preference - disambiguation", domain="book", question="item")
    assert list(after) == [
        "property_type_disambiguation",
        "preference-followup",
        "preference-disambiguation-followup",
    ]
    film = labels.contexts_after(before, "preference - disambiguation", domain="movie", question="item")
    assert "preference-disambiguation-followup" not in film


def test_reset_menu_lives_for_two_turns() -> None:
    contexts = labels.contexts_after({}, "reset_profile", domain="music")
    contexts = labels.contexts_after(contexts, "reset - reset_everything", domain="music", question="reset")
    assert list(contexts) == [
        "show_profile-reset-followup",
        "show_profile-reset-reset_everything-followup",
        "reset_profile-followup",
    ]
    assert labels.contexts_after(contexts, "reset - reset_everything - yes", domain="music") == {}


@pytest.mark.parametrize(
    ("intent", "events", "written"),
    [
        ("request_recommendation", {"recommendation", "question"}, "question, recommendation"),
        ("request_recommendation - trailer", {"recommendation", "question"}, "question, recommendation"),
        ("request_recommendation - why", {"recommendation", "question"}, "recommendation, question"),
        ("smalltalk.appraisal.good", {"recommendation", "question"}, "recommendation, question"),
        ("preference", {"preference", "question", "disambiguation"}, "question, preference, disambiguation"),
        (
            "preference - disambiguation",
            {"preference", "question", "disambiguation"},
            "preference, question, disambiguation",
        ),
        (
            "request_recommendation - preference",
            {"preference", "question", "recommendation"},
            "recommendation, question, preference",
        ),
        (
            "request_recommendation - preference",
            {"preference", "finished_recommendation", "recommendation"},
            "finished_recommendation, preference, recommendation",
        ),
        (
            "request_recommendation - skip",
            {"finished_recommendation", "recommendation"},
            "recommendation, finished_recommendation",
        ),
        (
            "request_recommendation - yes_but",
            {"disambiguation", "preference", "question", "recommendation"},
            "preference, recommendation, question, disambiguation",
        ),
        ("start", {"question", "suggestion"}, "question, suggestion"),
        ("preference", {"question", "suggestion", "preference"}, "preference, question, suggestion"),
    ],
)
def test_events_are_written_in_the_published_order(intent: str, events: set[str], written: str) -> None:
    assert ", ".join(labels.order_events(intent, events)) == written


def test_a_repeated_request_is_written_the_other_way_round_and_nothing_gets_lost() -> None:
    pair = {"question", "recommendation"}
    assert labels.order_events("request_recommendation", pair, while_shown=True) == ("recommendation", "question")
    assert labels.order_events("help", {"unheard_of", "another"}) == ("another", "unheard_of")
