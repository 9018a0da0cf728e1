import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.export.redaction import redact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to ann.lee+x@mail.example.org please", "write to [email] please"),
        ("see https://t.me/ann?x=1 or www.ann.example", "see [link] or [link]"),
        ("I am @ann_lee on Telegram", "I am [handle] on Telegram"),
        ("call +39 080 123 4567", "call [phone]"),
        ("facebook.com/ann.lee and my-site.example.org/a?b=c", "[link] and [link]"),
        ("tg://user?id=7", "[link]"),
        ("I like Startup.com, S.W.A.T. and Fast/Slow", "I like Startup.com, S.W.A.T. and Fast/Slow"),
        ("call 555-1234 now", "call [phone] now"),
        ("a 4-3 win, 24/7, 3.14159, 1-2-3", "a 4-3 win, 24/7, 3.14159, 1-2-3"),
        ("call (080) 555-12345!", "call [phone]!"),
        ("I like 1984, 2001: A Space Odyssey and 12 Angry Men", "I like 1984, 2001: A Space Odyssey and 12 Angry Men"),
        ("U2 in 1987, 90s rock, 10/10", "U2 in 1987, 90s rock, 10/10"),
        ("films from 1990-1999 or 1980 to 1985", "films from 1990-1999 or 1980 to 1985"),
    ],
)
def test_what_identifies_a_person_goes_and_titles_stay(text: str, expected: str) -> None:
    assert redact(text)[0] == expected


def test_what_was_taken_out_is_counted() -> None:
    assert redact("a@b.it, c@d.it and @ann: 0039 080 1234567")[1] == {"email": 2, "handle": 1, "phone": 1}


@given(st.text(max_size=80))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, {})
