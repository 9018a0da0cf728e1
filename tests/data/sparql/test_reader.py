import pytest

from data.catalogue.genres import load_genres
from data.domains import load_domains
from data.sparql.endpoint import Binding
from data.sparql.reader import EntityReader, popularity
from data.sparql.vocabulary import load_vocabulary

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"


@pytest.fixture
def reader() -> EntityReader:
    return EntityReader(load_domains()["movie"], load_vocabulary(), load_genres(), ("it", "en", "mul"))


def row(item: str, prop: str, value: str, **more: str) -> Binding:
    return {"item": WD + item, "property": prop, "value": value, **more}


def relation(item: str, pid: str, value: str, label: str, language: str = "en") -> Binding:
    return row(item, WDT + pid, WD + value, label=label, language=language)


def test_rows_become_an_item_with_its_values(reader: EntityReader) -> None:
    entities = reader.read(
        [
            row("Q1", RDFS + "label", "Film", language="en"),
            row("Q1", RDFS + "label", "Pellicola", language="it"),
            row("Q1", SKOS + "altLabel", "The Film", language="en"),
            row("Q1", "http://wikiba.se/ontology#sitelinks", "49"),
            row("Q1", WDT + "P577", "1999-03-31T00:00:00Z"),
            row("Q1", WDT + "P577", "1998-01-01T00:00:00Z"),
            row("Q1", WDT + "P345", "tt7"),
            row("Q1", WDT + "P18", "http://commons.wikimedia.org/wiki/Special:FilePath/A%20poster%3F.jpg"),
            row("Q1", WDT + "P31", WD + "Q11424"),
            relation("Q1", "P57", "Q2", "Ann"),
            relation("Q1", "P57", "Q2", "Anna", "it"),
            relation("Q1", "P9999", "Q3", "not asked for"),
        ]
    )
    film, ann = entities["Q1"], entities["Q2"]
    assert (film.label, film.labels, film.aliases) == ("Film", {"it": "Pellicola"}, ("The Film",))
    assert (film.kind, film.domain, film.year, film.popularity) == ("film", "movie", 1998, popularity(49))
    assert film.ids == {
        "imdb": "tt7",
        "image": "https://commons.wikimedia.org/wiki/Special:FilePath/A_poster%3F.jpg?width=480",
    }
    assert film.relations == {"P57": ("Q2",)}
    assert (ann.label, ann.labels, ann.kind, ann.domain) == ("Ann", {"it": "Anna"}, "person", None)


def test_a_name_for_all_languages_counts(reader: EntityReader) -> None:
    entities = reader.read([row("Q2", RDFS + "label", "Ann", language="mul"), row("Q2", WDT + "P31", WD + "Q5")])
    assert (entities["Q2"].label, entities["Q2"].labels, entities["Q2"].kind) == ("Ann", {}, "person")


def test_what_has_no_name_is_left_out_as_a_value_too(reader: EntityReader) -> None:
    entities = reader.read(
        [
            row("Q1", RDFS + "label", "Film", language="en"),
            row("Q1", WDT + "P57", WD + "Q2"),
            row("Q9", WDT + "P577", "1999-"),
        ]
    )
    assert list(entities) == ["Q1"]
    assert entities["Q1"].relations == {}


def test_variants_of_a_genre_are_one_value(reader: EntityReader) -> None:
    entities = reader.read(
        [
            row("Q1", RDFS + "label", "Film", language="en"),
            row("Q1", WDT + "P31", WD + "Q11424"),
            relation("Q1", "P136", "Q471839", "science fiction film"),
            relation("Q1", "P136", "Q24925", "science fiction"),
            relation("Q1", "P136", "Q21010853", "drama"),
        ]
    )
    assert entities["Q1"].relations == {"P136": ("Q24925", "Q130232")}
    assert (entities["Q130232"].label, entities["Q130232"].kind) == ("drama", "genre")
    assert set(entities) == {"Q1", "Q24925", "Q130232"}


def test_works_come_along_with_their_maker(reader: EntityReader) -> None:
    work = {"holder": WD + "Q1", "label": "Film", "language": "en", "class": WD + "Q11424"}
    entities = reader.read([row("Q2", RDFS + "label", "Ann", language="en"), row("Q2", WDT + "P57", "30", **work)])
    assert entities["Q1"].relations == {"P57": ("Q2",)}
    assert (entities["Q1"].domain, entities["Q1"].popularity) == ("movie", popularity(30))
    assert entities["Q2"].kind == "person"


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"item": "http://evil/Q1", "property": RDFS + "label", "value": "x"},
        {"item": WD + "Q1' . DROP", "property": RDFS + "label", "value": "x"},
        {"item": WD + "Q1", "property": WDT + "P57"},
        {"item": WD + "Q1", "property": WDT + "P57", "value": "http://www.wikidata.org/.well-known/genid/3"},
        {"item": WD + "Q1", "property": "http://wikiba.se/ontology#sitelinks", "value": "many"},
        {"item": WD + "Q1", "property": WDT + "P577", "value": "unknown"},
        {"item": WD + "Q1", "property": WDT + "P57", "value": "many", "holder": WD + "L1"},
    ],
)
def test_odd_rows_change_nothing(reader: EntityReader, odd: Binding) -> None:
    plain = [row("Q1", RDFS + "label", "Film", language="en")]
    assert reader.read([*plain, odd]) == reader.read(plain)


def test_popularity_grows_from_0_to_1() -> None:
    values = [popularity(links) for links in (0, 1, 5, 50, 300, 5000)]
    assert values[0] == 0
    assert values[-1] == 1
    assert values == sorted(values)
