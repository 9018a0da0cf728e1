"""Keys and tokens."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlu.entities.folding import fold, join_keys, tokenize


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Spider-Man", "spiderman"),
        ("Amélie", "AMELIE"),
        ("Rocky III", "rocky 3"),
        ("Fast & Furious", "fast and furious"),
        ("J. K. Rowling", "jk rowling"),
        ("L’amica geniale", "l'amica geniale"),
        ("Motörhead", "motorhead"),
        ("Sigur Rós", "sigur ros"),
        ("Ame\u0301lie", "Amélie"),
        ("Æon Flux", "aeon flux"),
    ],
)
def test_spellings_of_one_name_have_one_key(one, other):
    assert fold(one) == fold(other) != ""


@pytest.mark.parametrize(("one", "other"), [("Rocky II", "Rocky III"), ("V for Vendetta", "5 for Vendetta")])
def test_different_names_have_different_keys(one, other):
    assert fold(one) != fold(other)


def test_ideographs_are_words_of_their_own():
    assert [token.word for token in tokenize("千と千尋 is good")] == ["千", "と", "千", "尋", "is", "good"]


def test_emoji_part_words():
    assert [token.word for token in tokenize("Up🎈Her")] == ["up", "her"]


@given(st.text())
def test_tokens_point_into_the_text_in_order(text):
    tokens = tokenize(text)

    assert all(0 <= token.start < token.end <= len(text) for token in tokens)
    assert all(one.end <= other.start for one, other in itertools.pairwise(tokens))
    assert join_keys(tokens) == fold(text)
