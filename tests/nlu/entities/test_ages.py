"""Which words tell the age of a person."""

import pytest

from data.domains import load_domains
from nlu.entities.ages import ages
from nlu.entities.message import Message
from nlu.entities.references import References
from nlu.entities.words import load_words

NOUNS = References(load_domains(), load_words()).nouns


def told(text: str) -> list[tuple[str, int]]:
    message = Message(text, load_words())
    return [(message.surface(age.span.first, age.span.last), age.years) for age in ages(message, (), NOUNS)]


@pytest.mark.parametrize(
    ("text", "words", "years"),
    [
        ("a film for my 8 year old daughter", "8 year old daughter", 8),
        ("something my six-year-old can watch", "six-year-old", 6),
        ("books for a niece who is nearly 11 years old", "niece who is nearly 11 years old", 11),
        ("a song for 8 to 10 year olds", "8 to 10 year olds", 8),
        ("a film for my 7yo", "7yo", 7),
        ("a book for boys aged 14", "boys aged 14", 14),
        ("un libro per mia nipote di nove anni", "nipote di nove anni", 9),
        ("un film per bambini dai 4 ai 6 anni", "bambini dai 4 ai 6 anni", 4),
    ],
)
def test_an_age_is_heard_with_the_person(text: str, words: str, years: int) -> None:
    assert told(text) == [(words, years)]


@pytest.mark.parametrize(
    "text",
    [
        "a 20 year old film",
        "a film that is 20 years old",
        "I saw it 8 years ago",
        "something older than 30 years",
        "un film di 20 anni fa",
        "un film degli anni 80",
        "i migliori libri degli ultimi 10 anni",
        "a film by a 30 year old director",
        "8 Mile",
    ],
)
def test_other_years_are_no_ages(text: str) -> None:
    assert told(text) == []
