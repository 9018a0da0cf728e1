import re

import pytest
from rdflib.plugins.sparql import prepareQuery

from data.domains import load_domains
from data.sparql.templates import describe_query, find_query, names_query, page_query, subclasses_query
from data.sparql.vocabulary import load_vocabulary

LANGUAGES = ("it", "en", "mul")


def queries() -> list[str]:
    vocabulary = load_vocabulary()
    made = [
        names_query(["Q1", "Q2"], LANGUAGES, vocabulary),
        subclasses_query(["Q11424"]),
        page_query("P31", ["Q11424"], "", 10, None),
        page_query("P106", ["Q639669"], 'x" } #', 10, "2026-01-31"),
    ]
    for config in load_domains().values():
        made.append(find_query(["It", 'a "b"'], LANGUAGES, config, vocabulary, 10))
        made.extend(describe_query(["Q1"], LANGUAGES, config, vocabulary, works=works) for works in (False, True))
    return made


@pytest.mark.parametrize("query", queries())
def test_every_query_is_standard_sparql_without_empty_lists(query: str) -> None:
    prepareQuery(query)
    assert not re.search(r"\{\s*\}|\(\s*\)", query)
    assert "SERVICE" not in query
    assert "$" not in query
