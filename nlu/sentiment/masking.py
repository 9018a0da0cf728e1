"""Target-masked text: what the classifier reads. Training and recognition share every step of it.

The thing whose polarity is asked becomes one token, everything else that is named another, and the rest of the message
is lower-cased words and signs, split on "-" and "/" as Stanza's own training does.
"""

import re
import unicodedata
from collections.abc import Sequence

from nlu.model import Span

TARGET = "target"
OTHER = "beta"

_WINDOW = 60
_LONGEST_WORD = 30
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "“": '"', "”": '"', "…": "...", "–": "-", "—": "-"})
_TOKEN = re.compile(r"<3|[:;=]-?[()dp/|]+|[^\W_]+(?:'[^\W_]+)*|\.\.\.|[^\w\s]")
_SEPARATORS = frozenset("-/")
_SILENT = frozenset({"Mn", "Me", "Cf", "Cc", "Sk"})


def mask(text: str, targets: Sequence[Span], scored: int | None) -> list[str]:
    """The tokens from which the polarity of one target is read.

    Args:
        text: the message.
        targets: character spans of everything that is named, in any order; of overlapping ones the scored or
            else the first counts.
        scored: index of the target that is asked about; None for the message as a whole.

    Returns:
        At least one token, at most `2 * _WINDOW + 1` around the target.
    """
    tokens: list[str] = []
    position, place = 0, 0
    order = sorted(range(len(targets)), key=lambda index: (index != scored, targets[index].start))
    kept: list[int] = []
    for index in order:
        span = targets[index]
        if all(span.end <= targets[other].start or span.start >= targets[other].end for other in kept):
            kept.append(index)
    for index in sorted(kept, key=lambda index: targets[index].start):
        tokens += words(text[position : targets[index].start])
        if index == scored:
            place = len(tokens)
        tokens.append(TARGET if index == scored else OTHER)
        position = targets[index].end
    tokens += words(text[position:])
    return tokens[max(0, place - _WINDOW) : place + _WINDOW + 1] or ["-"]


def words(text: str) -> list[str]:
    """Lower-cased words and signs; an emoji becomes the words of its Unicode name, a dash or slash only separates."""
    found: list[str] = []
    for token in _TOKEN.findall(text.translate(_STRAIGHT).lower()):
        if token in _SEPARATORS or unicodedata.category(token[0]) in _SILENT:
            continue
        if token[0] in ":;=" and len(token) > 1:
            found.append(token.replace("-", "").replace("/", "("))
        elif unicodedata.category(token[0]) == "So":
            found += re.split(r"[ -]", unicodedata.name(token, "symbol").lower())
        else:
            found.append(token[:_LONGEST_WORD])
    return found


def normalised(text: str) -> str:
    """The words of a text, for finding the same text again whatever its capitals, spaces and punctuation."""
    return " ".join(word for word in words(text) if word[0].isalnum())
