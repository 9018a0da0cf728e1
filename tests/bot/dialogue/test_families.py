"""Small talk: every family has apt answers in every language, and the words that name it."""

from importlib import resources

import pytest
import yaml

from bot.dialogue.families import acknowledges, family_of, published_label
from bot.dialogue.labels import COARSE
from bot.dialogue.wording import load_wordings

KNOWN = yaml.safe_load(resources.files("bot.dialogue").joinpath("families.yaml").read_text("utf-8"))["families"]
FAMILIES = (*KNOWN, "bye", "thanks", "praise", "chitchat", "affirm", "deny")


@pytest.mark.parametrize("language", load_wordings())
def test_every_family_has_answers_that_ask_nothing(language: str) -> None:
    says = load_wordings()[language].says
    for family in FAMILIES:
        answers = says[f"small_{family}"]
        assert len(set(answers)) >= 3, family
        assert not any("?" in answer for answer in (*answers, *says["lead_back"])), family


@pytest.mark.parametrize(
    ("coarse", "text", "family"),
    [
        ("greet", "Hello, how are you today", "how_are_you"),
        ("chitchat", "come te la passi?", "how_are_you"),
        ("chitchat", "quanti anni hai", "age"),
        ("chitchat", "sei una persona vera?", "robot"),
        ("chitchat", "who built you?", "identity"),
        ("chitchat", "you're fired!", "fired"),
        ("chitchat", "dimmi una barzelletta", "joke"),
        ("chitchat", "that is beautiful", None),
        ("praise", "that is beautiful", "beauty"),
        ("praise", "you are so clever", "compliment"),
        ("praise", "a great film", None),
        ("chitchat", "sei proprio bravissimo", "compliment"),
        ("chitchat", "do you have a name?", "identity"),
        ("chitchat", "let's talk about you", "identity"),
        ("chitchat", "let's talk about horror", None),
        ("chitchat", "Home", "residence"),
        ("chitchat", "com'è casa tua?", "residence"),
        ("chitchat", "I am going home", None),
        ("preference", "I love you", None),
        ("chitchat", "the sky is green", None),
    ],
)
def test_words_name_a_family(coarse: str, text: str, family: str | None) -> None:
    assert family_of(coarse, text) == family


def test_labels_are_published_ones() -> None:
    assert published_label("chitchat", "I love you") == "smalltalk.user.loves_agent"
    assert published_label("chitchat", "tell me a joke") is None
    for text in ("how are you", "where do you live", "lol", "you are useless", "how old are you"):
        assert published_label("chitchat", text) in COARSE


def test_ok_only_takes_note() -> None:
    assert acknowledges("Ok")
    assert not acknowledges("yes, great")
