"""How far a name reaches beyond the words of it that are known: "Matrix" in "Matrix Unplugged" is not The Matrix."""

from collections.abc import Sequence

from nlu.entities.message import Message, Segment

_POSSESSIVE = "s"


def name_stretch(message: Message, span: Segment, known: Sequence[Segment]) -> Segment:
    """The longest stretch around the words that reads as one name.

    Args:
        message: the message.
        span: the words that name something.
        known: what else is named; a name ends there.

    Returns:
        The quoted words that the span is among, or the span with the telling words, capitals and numbers beside it.
    """
    for quoted in message.quoted:
        if quoted.first <= span.first and span.last <= quoted.last:
            return quoted
    if message.word(span.last) in message.words.verbs_after - {_POSSESSIVE}:
        return span
    first, last = span.first, span.last
    telling = sum(word not in message.words.common for word in message.phrase(first, last))
    any_word = telling <= 1 or message.mostly_capital
    while (step := _step(message, first, -1, known, any_word=any_word)) and not message.ends_clause(first):
        first -= step
    while (step := _step(message, last - 1, 1, known, any_word=any_word)) and not message.ends_clause(last):
        last += step
    while message.is_article(first - 1):
        first -= 1
    return Segment(first, last)


def written_as_name(message: Message, span: Segment, stretch: Segment) -> bool:
    """Whether a stretch around an everyday word is no mere description: "The Comedy Planet", not "dry comedy".

    It is when the words beside it have capitals, own it ("Zorro's revenge"), number it or stand in the same quotes.
    """
    if stretch in message.quoted:
        return True
    beside = [place for place in (span.first - 1, span.last) if stretch.first <= place < stretch.last]
    return any(
        message.word(place) == _POSSESSIVE or message.word(place).isdecimal() or message.tokens[place].capital
        for place in beside
    )


def _step(message: Message, place: int, way: int, known: Sequence[Segment], *, any_word: bool) -> int:
    """How many words the name goes on for from a place: 0 when it ends there, 2 over a word such as "of"."""
    if _goes_on(message, place + way, known, any_word=any_word):
        return 1
    over = place + 2 * way
    linked = message.word(place + way) in message.words.title_links and not message.ends_clause(max(place, over))
    return 2 if linked and _capital(message, over) and _goes_on(message, over, known, any_word=False) else 0


def _goes_on(message: Message, place: int, known: Sequence[Segment], *, any_word: bool) -> bool:
    """Whether the word there may belong to the same name; `any_word` tells whether it may do so without a capital."""
    if not 0 <= place < len(message) or any(one.first <= place < one.last for one in known):
        return False
    word = message.word(place)
    if word in message.words.part_words and message.word(place + 1).isdecimal():
        return True
    if word.isdecimal():
        return word != "1" and not message.is_year(place)
    if word == _POSSESSIVE and message.is_contraction(place):
        return True
    if word in message.words.nationalities or message.is_opinion(place):
        return False
    return (any_word and word not in message.words.common) or _capital(message, place)


def _capital(message: Message, place: int) -> bool:
    """Written with a capital where none is needed."""
    if not 0 <= place < len(message) or message.mostly_capital or message.starts_sentence(place):
        return False
    apart = message.words.subjects | message.words.joins | message.words.breaks
    return message.tokens[place].capital and message.word(place) not in apart
