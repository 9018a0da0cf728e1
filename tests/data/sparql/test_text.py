import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Store

from data.errors import UsageError
from data.sparql.text import entities, literal, properties

STORE = Store()

nasty = st.lists(
    st.one_of(
        st.text(max_size=5),
        st.sampled_from(
            ['"', "'", "\\", "\n", "\r", "\t", '"""', "\\u0022", "\\U00000022", "\\\\u005C", "}", "#", "?x"]
        ),
        st.sampled_from(["\N{RIGHT-TO-LEFT OVERRIDE}", "\N{ARABIC LETTER ALEF}", "\N{LINE SEPARATOR}", "\x00", "\x85"]),
        st.sampled_from(['" } UNION { ?s ?p ?o', "@en", "^^<x>", "$names", "${names}", "<http://x>"]),
    ),
    max_size=8,
).map("".join)


def read_back(text: str, language: str | None = None) -> tuple[str, str | None]:
    """What an engine makes of the literal inside a query with more after it."""
    query = f"SELECT ?text ?rest WHERE {{ VALUES (?text ?rest) {{ ({literal(text, language)} 'end') }} }}"
    rows = list(STORE.query(query))  # type: ignore[arg-type]
    assert len(rows) == 1
    assert rows[0]["rest"].value == "end"
    return rows[0]["text"].value, rows[0]["text"].language


@given(nasty)
@settings(deadline=None)
def test_any_text_stays_itself_inside_its_quotes(text: str) -> None:
    expected = (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
    assert read_back(text) == (expected, None)
    assert read_back(text, "en") == (expected, "en")


@given(nasty)
@settings(deadline=None, max_examples=60)
def test_an_engine_that_replaces_escapes_first_reads_one_string_too(text: str) -> None:
    graph = rdflib.Graph()
    rows = list(graph.query(f"SELECT ?rest WHERE {{ VALUES (?text ?rest) {{ ({literal(text)} 'end') }} }}"))
    assert [str(row.rest) for row in rows] == ["end"]  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["\\u0022", "\\\\u0022", '\\" } #', "\\U00000022 . ?s ?p ?o", "\ud800", "a\0b"])
def test_the_known_ways_out_are_closed(text: str) -> None:
    literal(text).encode()
    assert "\\u0022" not in literal(text)
    assert read_back(text)[0].replace("\N{REPLACEMENT CHARACTER}", "?") == text.replace("\ud800", "?").replace(
        "\0", "?"
    )


@pytest.mark.parametrize("language", ["", "EN", "en }", 'en" ', "e", "en-", "english-language-x_y"])
def test_what_is_no_language_tag_is_refused(language: str) -> None:
    with pytest.raises(UsageError, match="no language tag"):
        literal("x", language)


@pytest.mark.parametrize("identifier", ["", "Q", "Q0", "47703", "Q1 . ?s", "Q1\n", "q1", "Q" + "1" * 20])
def test_what_is_no_id_is_refused(identifier: str) -> None:
    with pytest.raises(UsageError, match="no Wikidata id"):
        entities(["Q1", identifier])
    with pytest.raises(UsageError, match="no Wikidata id"):
        properties(["P57", identifier])


def test_ids_are_listed() -> None:
    assert entities(["Q1", "Q2"], ", ") == "wd:Q1, wd:Q2"
    assert properties(["P57", "P161"]) == "wdt:P57 wdt:P161"
