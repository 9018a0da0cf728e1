import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.base import Link, Option, Reply
from bot.channels.telegram.rendering import Part, escape, length, render, split, without_picture
from tests.telegram_rules import parse_html, units

YES = Option("yes:1", "Yes")


def test_each_text_is_a_message_and_the_last_has_the_buttons() -> None:
    assert render(Reply(("One", "Two"), (YES,))) == (Part("One"), Part("Two", keyboard=((YES,),)))


def test_a_picture_goes_with_the_last_text() -> None:
    parts = render(Reply(("Noted.", "How about Heat?"), (YES,), "https://x/p.jpg"))
    assert parts == (Part("Noted."), Part("How about Heat?", "https://x/p.jpg", ((YES,),)))


def test_a_text_too_long_for_a_caption_follows_the_picture() -> None:
    parts = render(Reply(("x" * 1025,), (YES,), "https://x/p.jpg"))
    assert parts == (Part("", "https://x/p.jpg"), Part("x" * 1025, keyboard=((YES,),)))


def test_titles_cannot_be_markup() -> None:
    title = '<b>_*[Tom & "Jerry"](x)*_</b> &lt;'
    (part,) = render(Reply((title,)))
    assert parse_html(part.text) == (title, [])


def test_links_stand_below_the_text() -> None:
    (part,) = render(Reply(("Look",), links=(Link("A <trailer>", 'https://x/?a="1"&b=2'),)))
    assert part.text == 'Look\n<a href="https://x/?a=&quot;1&quot;&amp;b=2">A &lt;trailer&gt;</a>'


def test_addresses_that_are_no_web_pages_are_not_linked() -> None:
    (part,) = render(Reply(("Look",), links=(Link("Trailer", "javascript:alert(1)"),)))
    assert part.text == "Look\nTrailer"


def test_a_picture_that_cannot_be_sent_becomes_text_with_its_address() -> None:
    (part,) = render(Reply(("Heat",), (YES,), "https://x/?a=1&b=2"))
    assert without_picture(part) == Part("Heat\nhttps://x/?a=1&amp;b=2", None, ((YES,),))


def test_short_labels_share_a_row() -> None:
    labels = ["Like", "Dislike", "Skip", "Details", "A rather long title (1995 film)", "No"]
    (part,) = render(Reply(("x",), tuple(Option(f"o:{label}", label) for label in labels)))
    assert [[option.label for option in row] for row in part.keyboard] == [
        ["Like", "Dislike", "Skip"],
        ["Details"],
        ["A rather long title (1995 film)", "No"],
    ]


def test_an_id_over_64_bytes_is_an_error_of_ours() -> None:
    with pytest.raises(ValueError, match="66 bytes"):
        render(Reply(("x",), (Option("ж" * 33, "x"),)))


def test_split_on_lines_then_words_then_anywhere() -> None:
    assert split("aa\nbb\ncc", 5) == ["aa\nbb", "cc"]
    assert split("abcdefg", 3) == ["abc", "def", "g"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300), st.integers(min_value=2, max_value=60))
def test_pieces_fit_and_lose_no_word(text: str, longest: int) -> None:
    pieces = split(text, longest)
    assert all(units(piece) <= longest for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_length_is_in_utf16_units(text: str) -> None:
    assert length(text) == units(text)


@given(st.text(alphabet="<>&\"'_*[]()~`#+-=|{}.!\\ aé😀\n"))
def test_escaped_text_shows_as_it_was(text: str) -> None:
    assert parse_html(escape(text).replace("&#x27;", "'")) == (text, [])


@given(
    st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6000), max_size=3),
    st.booleans(),
    st.lists(st.text(alphabet="abc<&😀", min_size=1, max_size=40), max_size=3),
)
def test_every_part_is_within_the_limits(texts: list[str], image: bool, links: list[str]) -> None:
    reply = Reply(
        tuple(texts), (YES,), "https://x/p.jpg" if image else None, tuple(Link(label, "https://x") for label in links)
    )
    parts = render(reply)
    assert parts == render(reply)
    for part in parts:
        assert units(parse_html(part.text)[0]) <= (1024 if part.image else 4096)
        assert part.text.strip() or part.image
