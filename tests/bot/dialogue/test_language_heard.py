"""The bot speaks one language and understands the fixed words of whichever the user writes."""

from dataclasses import dataclass
from itertools import combinations
from random import Random

import pytest

from bot.dialogue.questions import aged
from bot.dialogue.state import DialogueState, Question
from bot.dialogue.wording import Voice, load_wordings

WORDINGS = load_wordings()


def voice(language: str, text: str) -> Voice:
    return Voice(language, WORDINGS[language], Random(1)).listening(text, WORDINGS)


@pytest.mark.parametrize("spoken", ["en", "it"])
@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("qualcosa di simile ai Radiohead", "it"),
        ("che libri mi piacciono?", "it"),
        ("non l'ho visto", "it"),
        ("dimenticalo", "it"),
        ("what should I watch tonight?", "en"),
    ],
)
def test_the_language_of_a_message_is_heard_whatever_is_spoken(spoken: str, text: str, heard: str) -> None:
    assert voice(spoken, text).ear_language == heard


@pytest.mark.parametrize("spoken", ["en", "it"])
@pytest.mark.parametrize("text", ["Matrix", "no", "Radiohead", ""])
def test_what_tells_no_language_is_heard_in_the_one_that_is_spoken(spoken: str, text: str) -> None:
    assert voice(spoken, text).ear_language == spoken


@pytest.mark.parametrize("spoken", ["en", "it"])
@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("not_now", "no, non mi va"),
        ("not_now", "non stasera"),
        ("not_now", "non ne ho voglia"),
        ("not_now", "no, not tonight"),
        ("not_now", "I'm not in the mood for this"),
        ("unseen", "non l'ho visto"),
        ("another", "un altro"),
        ("resembling", "musica simile ai "),
        ("resembling", "qualcosa tipo "),
    ],
)
def test_fixed_words_are_heard_in_both_languages(spoken: str, cue: str, text: str) -> None:
    assert voice(spoken, text).hears(cue, text)


@pytest.mark.parametrize("text", ["no", "not for me", "non mi piace", "not in the mood for horror", "not really"])
def test_an_opinion_or_a_condition_is_not_put_off(text: str) -> None:
    assert not voice("en", text).hears("not_now", text)


def test_titles_of_another_language_hide_no_word_of_the_spoken_one() -> None:
    heard = voice("en", "I like La vita è bella and Il postino")
    assert heard.hears("joining", " and ")
    assert heard.hears("another", "another one like Il postino")


def test_no_word_tells_two_languages() -> None:
    assert all(wording.common for wording in WORDINGS.values())
    for one, other in combinations(WORDINGS.values(), 2):
        assert not one.common & other.common


@dataclass(frozen=True)
class Wait:
    """How long a question waits that was asked so often."""

    times: int
    turns: int


@pytest.mark.parametrize("wait", [Wait(times=1, turns=6), Wait(times=2, turns=3)])
def test_a_question_yet_to_be_asked_again_waits_longer(wait: Wait) -> None:
    state = DialogueState(questions=(Question("role", times=wait.times),))
    for _ in range(wait.turns):
        state = aged(state, 3)
    assert state.questions
    assert not aged(state, 3).questions
