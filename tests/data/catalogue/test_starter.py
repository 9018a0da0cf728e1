"""The catalogue that ships: what a first run relies on."""

from collections import Counter

import pytest

from data.catalogue import STARTER, Catalogue, load_catalogue
from data.catalogue.genres import GENRE, load_genres
from data.catalogue.summary import search, summarise
from data.domains import load_domains


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_it_is_small_and_of_the_promised_size(catalogue: Catalogue) -> None:
    assert STARTER.stat().st_size <= 4 * 1024 * 1024
    assert len(catalogue.items("movie")) >= 2500
    assert len(catalogue.items("book")) >= 1000
    assert len(catalogue.items("music")) >= 1500


def test_items_have_the_kinds_and_properties_of_their_domain(catalogue: Catalogue) -> None:
    for name, config in load_domains().items():
        for item in catalogue.items(name):
            assert item.kind in config.kinds
            assert set(item.relations) | set(item.facts) <= set(config.properties)


def test_every_domain_can_be_recommended_from(catalogue: Catalogue) -> None:
    for name in load_domains():
        items = catalogue.items(name)
        shared = [item for item in items if any(len(catalogue.holders(qid)) > 1 for qid in _values(item.relations))]
        assert len(shared) / len(items) > 0.9


def _values(relations: object) -> list[str]:
    assert isinstance(relations, dict)
    return [qid for values in relations.values() for qid in values]


def test_a_genre_is_one_node(catalogue: Catalogue) -> None:
    genres = load_genres()
    for item in catalogue.entities():
        for qid in item.relations.get(GENRE, ()):
            assert genres.canonical(qid) == qid
            assert qid not in genres.not_genres
    words = Counter(
        name.casefold()
        for entity in catalogue.entities()
        if entity.kind == "genre"
        for name in {entity.label.casefold(), *(alias.casefold() for alias in entity.aliases)}
    )
    assert [word for word, count in words.items() if count > 1] == []


@pytest.mark.parametrize(
    ("word", "genre"),
    [("sci-fi", "science fiction"), ("romcom", "romantic comedy"), ("scary", "horror"), ("rap", "hip hop")],
)
def test_genres_answer_to_what_people_say(catalogue: Catalogue, word: str, genre: str) -> None:
    assert genre in [found.label for found in search(catalogue, word) if found.kind == "genre"]


def test_who_only_also_sings_is_no_music_artist(catalogue: Catalogue) -> None:
    for qid in ("Q43416", "Q37175", "Q8704", "Q34436"):  # Keanu Reeves, Johnny Depp, Walt Disney, Scarlett Johansson
        person = catalogue.get(qid)
        assert person is not None
        assert (person.kind, person.domain) == ("person", None)
    first = [item.label for item in catalogue.items("music")[:40]]
    assert {"Michael Jackson", "The Beatles", "Queen"} <= set(first)


def test_people_have_their_roles(catalogue: Catalogue) -> None:
    roles = dict(catalogue.roles("Q43203", "movie"))  # Clint Eastwood
    assert {"P57", "P161", "P162"} <= set(roles)


def test_counts_agree_with_the_entities(catalogue: Catalogue) -> None:
    summary = summarise(catalogue)
    assert summary.entities == len(catalogue) == sum(summary.kinds.values())
    directed = [item for item in catalogue.items("movie") if "P57" in item.relations]
    assert summary.properties["movie"]["P57"] == (len(directed), sum(len(item.relations["P57"]) for item in directed))


def test_search_puts_exact_names_first(catalogue: Catalogue) -> None:
    assert search(catalogue, "the MATRIX")[0].qid == "Q83495"
    assert search(catalogue, "Q83495")[0].label == "The Matrix"
    assert [found.domain for found in search(catalogue, "beyonce", domain="music", limit=1)] == ["music"]
    assert search(catalogue, "   ") == ()


def test_no_alias_is_a_word_or_a_code_that_means_something_else(catalogue: Catalogue) -> None:
    names = {
        alias.casefold()
        for entity in catalogue.entities()
        if entity.kind in {"country", "language", "place"}
        for alias in entity.aliases
    }
    assert names.isdisjoint({"it", "no", "me", "my", "is", "be", "hi", "or", "in", "id", "de", "la la land"})
    assert {"us", "uk"} <= names
