from pathlib import Path

import pytest

from data.catalogue import Catalogue, load_catalogue, write_entities
from data.model import Entity


def film(qid: str, popularity: float = 0.5, **more: object) -> Entity:
    return Entity(qid, f"Film {qid}", "film", domain="movie", popularity=popularity, **more)  # type: ignore[arg-type]


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue(
        [
            film("Q1", 0.2, relations={"P57": ("Q10",), "P161": ("Q10", "Q11")}),
            film("Q2", 0.9, relations={"P57": ("Q10",), "P136": ("Q21",)}),
            Entity("Q3", "Book", "book", domain="book", relations={"P50": ("Q10",)}),
            Entity("Q10", "Ann", "person", labels={"it": "Anna"}),
            Entity("Q11", "Bob", "person"),
            Entity("Q20", "drama", "genre", merged=("Q21",)),
        ]
    )


def test_items_are_those_of_the_domain_best_known_first(catalogue: Catalogue) -> None:
    assert [item.qid for item in catalogue.items("movie")] == ["Q2", "Q1"]
    assert [item.qid for item in catalogue.items("book")] == ["Q3"]
    assert list(catalogue.items("games")) == []


def test_names_in_a_language_fall_back_to_the_label_and_the_id(catalogue: Catalogue) -> None:
    assert catalogue.label("Q10", "it") == "Anna"
    assert catalogue.label("Q11", "it") == "Bob"
    assert catalogue.label("Q404") == "Q404"


def test_holders_are_indexed_by_property(catalogue: Catalogue) -> None:
    assert sorted(catalogue.holders("Q10")) == ["Q1", "Q2", "Q3"]
    assert list(catalogue.holders("Q10", "P161")) == ["Q1"]
    assert list(catalogue.holders("Q404", "P57")) == []


def test_roles_count_items_of_the_domain_most_frequent_first(catalogue: Catalogue) -> None:
    assert catalogue.roles("Q10", "movie") == (("P57", 2), ("P161", 1))
    assert catalogue.roles("Q10", "book") == (("P50", 1),)
    assert catalogue.roles("Q404", "movie") == ()


def test_a_merged_id_stands_for_its_node(catalogue: Catalogue) -> None:
    assert "Q21" in catalogue
    assert catalogue.label("Q21") == "drama"
    assert catalogue.canonical("Q21") == "Q20"
    assert list(catalogue.holders("Q20", "P136")) == ["Q2"]
    assert list(catalogue.holders("Q21", "P136")) == ["Q2"]
    assert len(catalogue) == 6


def test_a_new_item_takes_its_place_at_once(catalogue: Catalogue) -> None:
    stored = catalogue.add(film("Q4", 0.5, relations={"P57": ("Q10",), "P136": ("Q21", "Q20")}))
    assert stored.relations["P136"] == ("Q20",)
    assert [item.qid for item in catalogue.items("movie")] == ["Q2", "Q4", "Q1"]
    assert catalogue.roles("Q10", "movie") == (("P57", 3), ("P161", 1))
    assert list(catalogue.holders("Q20")) == ["Q2", "Q4"]


def test_what_is_learned_of_a_known_item_is_added_to_it(catalogue: Catalogue) -> None:
    new = Entity(
        "Q1",
        "Another name",
        "film",
        domain="movie",
        year=1990,
        popularity=0.95,
        relations={"P57": ("Q11",), "P136": ("Q20",)},
    )
    stored = catalogue.add(new)
    assert (stored.label, stored.aliases, stored.year) == ("Film Q1", ("Another name",), 1990)
    assert stored.relations == {"P57": ("Q10", "Q11"), "P161": ("Q10", "Q11"), "P136": ("Q20",)}
    assert catalogue.get("Q1") == stored
    assert [item.qid for item in catalogue.items("movie")] == ["Q1", "Q2"]
    assert list(catalogue.holders("Q10", "P57")) == ["Q2", "Q1"]
    assert list(catalogue.holders("Q20")) == ["Q2", "Q1"]


def test_a_value_becomes_an_item_when_it_is_learned_as_one(catalogue: Catalogue) -> None:
    catalogue.add(Entity("Q11", "Bob", "artist", domain="music"))
    assert [item.qid for item in catalogue.items("music")] == ["Q11"]
    assert list(catalogue.holders("Q11")) == ["Q1"]


def test_countries_languages_and_genres_have_italian_names() -> None:
    catalogue = load_catalogue()
    for kind in ("country", "language"):
        known = [entity for entity in catalogue.entities() if entity.kind == kind]
        named = [entity for entity in known if "it" in entity.labels]
        assert len(named) > 0.7 * len(known), kind
    assert catalogue.label("Q183", "it") == "Germania"
    assert catalogue.label("Q183", "en") == "Germany"


def test_a_catalogue_s_own_names_stand(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    write_entities(path, [Entity("Q183", "Germany", "country", labels={"it": "la Germania"})])
    assert load_catalogue(path).label("Q183", "it") == "la Germania"
