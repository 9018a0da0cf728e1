import pytest

from data.sparql.spelling import spellings


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("the lord of the rings", "The Lord of the Rings"),
        ("THE MATRIX", "The Matrix"),
        ("godfather", "The Godfather"),
        ("orgoglio e pregiudizio", "Orgoglio e pregiudizio"),
        ("il buono, il brutto, il cattivo", "Il buono, il brutto, il cattivo"),
        ("lotr", "LOTR"),
        ("Schindler\N{RIGHT SINGLE QUOTATION MARK}s  list", "Schindler's List"),
        ("eXistenZ", "eXistenZ"),
        ("ac/dc", "AC/DC"),
        ("Science Fiction", "science fiction"),
    ],
)
def test_careless_typing_is_put_right(typed: str, written: str) -> None:
    assert written in spellings(typed)
    assert spellings(typed)[0] == typed
    assert len(spellings(typed)) <= 8
