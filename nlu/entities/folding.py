"""Text as the alias index sees it: tokens with their place in the message, and keys free of case, accents and spaces.

A key is the concatenation of folded tokens, so that "Spider-Man", "spiderman" and "SPIDER MAN" are one key, and so are
"Rocky III" and "rocky 3", "J. K. Rowling" and "JK Rowling", "Fast & Furious" and "fast and furious".
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_SIGNS = {"&": "and", "+": "and"}
_ROMAN = ("ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_NUMBERS = {word: str(number) for number, word in enumerate(_ROMAN, start=2)}
_LETTER_NUMERALS = frozenset("vx")
_IDEOGRAPHS = ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF))


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a message.

    Attributes:
        start: index of its first character in the message.
        end: index after its last character.
        word: folded: lower case, without accents.
        key: the word as it counts in keys: Roman numerals as digits.
        capital: whether it begins with a capital letter.
    """

    start: int
    end: int
    word: str
    key: str
    capital: bool = False


@lru_cache(maxsize=65536)
def _fold_character(character: str) -> str | None:
    """The folded form, "" for a mark that joins its letter, None for what separates words."""
    folded = unicodedata.normalize("NFKD", character).casefold().translate(_LETTERS)
    kept = "".join(part for part in folded if part.isalnum())
    if kept:
        return kept
    return "" if folded and all(unicodedata.category(part) in {"Mn", "Cf"} for part in folded) else None


def _is_ideograph(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in _IDEOGRAPHS)


def _numeral(word: str, first: bool, last: bool) -> str:
    """Digits for a numeral; "v" and "x" count as numerals only at the end of several words."""
    if word in _LETTER_NUMERALS and (first or not last):
        return word
    return _NUMBERS.get(word, word)


def _raw_words(text: str) -> list[tuple[int, int, str]]:
    """Start, end and folded form of each word; every ideograph is a word of its own."""
    words: list[tuple[int, int, str]] = []
    start, folded = 0, ""

    def close(end: int) -> None:
        nonlocal folded
        if folded:
            words.append((start, end, folded))
        folded = ""

    for position, character in enumerate(text):
        part = _fold_character(character)
        if part is None or _is_ideograph(character):
            close(position)
            alone = _SIGNS.get(character, part)
            if alone:
                words.append((position, position + 1, alone))
            continue
        if not folded:
            start = position
        folded += part
    close(len(text))
    return words


def tokenize(text: str) -> tuple[Token, ...]:
    """Words of a message, in order, with their places."""
    words = _raw_words(text)
    last = len(words) - 1
    return tuple(
        Token(start, end, word, _numeral(word, place == 0, place == last), text[start].isupper())
        for place, (start, end, word) in enumerate(words)
    )


def join_keys(tokens: Sequence[Token]) -> str:
    """The key of some neighbouring tokens, as `fold` gives it for their text alone."""
    last = len(tokens) - 1
    return "".join(_numeral(token.word, place == 0, place == last) for place, token in enumerate(tokens))


def fold(text: str) -> str:
    """The key of a name."""
    return join_keys(tokenize(text))
