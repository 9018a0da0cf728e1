"""What the bot says: two languages with the same messages, filled in as sentences."""

from collections.abc import Callable
from random import Random

import pytest

from bot.dialogue.wording import Voice, Wording, check_wordings, load_wordings
from bot.errors import ConfigError

WORDINGS = load_wordings()


def voice(language: str = "en") -> Voice:
    return Voice(language, WORDINGS[language], Random(1))


def wording(**says: list[str]) -> Wording:
    return Wording(name="x", joining={"and": " & ", "or": " / "}, says=says, labels={}, hears={})


def test_both_languages_ship() -> None:
    assert set(WORDINGS) >= {"en", "it"}


def test_every_message_has_variants_and_differs_between_languages() -> None:
    for key, texts in WORDINGS["en"].says.items():
        uniform = key == "details_title" or key.startswith(("help", "profile_liked", "profile_disliked"))
        assert uniform or len(texts) > 1, key
        if not uniform:
            assert texts != WORDINGS["it"].says[key], key


@pytest.mark.parametrize(
    ("template", "fields", "expected"),
    [
        ("{names}", {"names": ["a"]}, "a"),
        ("{names}", {"names": ["a", "b", "c"]}, "a, b and c"),
        ("{names:or}", {"names": ["a", "b"]}, "a or b"),
        ("{n} {n:film|films}", {"n": 1}, "1 film"),
        ("{n} {n:film|films}", {"n": 3}, "3 films"),
        ("{domain!c}", {"domain": "books"}, "Books"),
    ],
)
def test_fields_become_words(template: str, fields: dict[str, object], expected: str) -> None:
    assert voice().fill(template, **fields) == expected


def test_braces_in_a_title_are_only_text() -> None:
    assert voice().fill("{title}", title="{x} {0}") == "{x} {0}"


def test_variants_alternate() -> None:
    say = voice()
    assert len({say("hello") for _ in range(20)}) > 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda: {"en": wording(a=["x"]), "it": wording(b=["x"])}, "differ"),
        (lambda: {"en": wording(a=["{one}"]), "it": wording(a=["{two}"])}, "differ"),
        (lambda: {"en": wording(a=["Who? What?"])}, "more than one question"),
    ],
)
def test_languages_that_disagree_are_refused(change: Callable[[], dict[str, Wording]], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        check_wordings(change())


@pytest.mark.parametrize(
    ("language", "cue", "text"),
    [
        ("en", "undo", "Undo!"),
        ("en", "undo", "forget the last one"),
        ("en", "undo", "I didn't say that"),
        ("en", "correction", "no, I meant the 1999 one"),
        ("en", "correction", "not that one"),
        ("en", "revision", "Actually I hated it"),
        ("en", "unseen", "I haven't seen it yet"),
        ("en", "rate", "⭐ Rate books"),
        ("en", "seen", "I've already seen it"),
        ("en", "seen", "oh we've seen that one already"),
        ("en", "this_language", "let's speak English"),
        ("it", "this_language", "I'm from Rome, can we speak Italian?"),
        ("en", "resembling", "recommend something like "),
        ("en", "resembling", "what about jazz, "),
        ("en", "resembling", "something a bit like "),
        ("en", "dismissing", "Forget it, show me an album"),
        ("it", "dismissing", "lascia stare, consigliami un libro"),
        ("it", "undo", "annulla"),
        ("it", "correction", "no, intendevo quello del 1999"),
        ("it", "revision", "in realtà lo odio"),
        ("it", "unseen", "non l'ho visto"),
        ("it", "this_language", "parliamo italiano"),
    ],
)
def test_cues_are_heard(language: str, cue: str, text: str) -> None:
    assert voice(language).hears(cue, text)


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("undo", "I like The Forget Me Not"),
        ("undo", "delete my preference for Titanic"),
        ("correction", "I like Memento"),
        ("unseen", "I have never seen a better film than Heat"),
        ("this_language", "a film in English"),
        ("this_language", "films where they speak English"),
        ("seen", "I have seen that film and hated it"),
        ("dismissing", "forget it"),
        ("dismissing", "forget it ever happened"),
        ("resembling", "I like "),
    ],
)
def test_cues_are_not_heard_in_other_sentences(cue: str, text: str) -> None:
    assert not voice().hears(cue, text)
