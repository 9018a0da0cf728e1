"""A small catalogue whose every edge the tests know, and the one that ships."""

import pytest

from data.catalogue import Catalogue, load_catalogue
from data.domains import load_domains
from data.model import Entity
from recommender.engine import GraphRecommender

DRAMA, COMEDY, HORROR, NOIR = "Q101", "Q102", "Q103", "Q104"
ALMA, BORIS, CARLA = "Q201", "Q202", "Q203"
NOVEL, ISLAND = "Q301", "Q302"
FIRST, SECOND, THIRD, FOURTH, FIFTH, LONE = "Q1", "Q2", "Q3", "Q4", "Q5", "Q6"


def film(qid: str, year: int, popularity: float, **relations: tuple[str, ...]) -> Entity:
    return Entity(qid, f"Film {qid}", "film", "movie", year, popularity, relations=relations)


def entities() -> list[Entity]:
    values = [
        *(Entity(qid, f"Genre {qid}", "genre") for qid in (DRAMA, COMEDY, HORROR)),
        Entity(NOIR, "Noir", "genre", relations={"P279": (DRAMA,)}),
        *(Entity(qid, f"Person {qid}", "person") for qid in (ALMA, BORIS, CARLA)),
        Entity(ISLAND, "Island", "place"),
    ]
    items = [
        film(FIRST, 1991, 0.9, P57=(ALMA,), P161=(BORIS,), P136=(DRAMA,), P156=(SECOND,)),
        film(SECOND, 1994, 0.8, P57=(ALMA,), P161=(CARLA,), P136=(DRAMA,), P155=(FIRST,)),
        film(THIRD, 2003, 0.7, P57=(CARLA,), P161=(BORIS,), P136=(COMEDY,)),
        film(FOURTH, 2010, 0.6, P57=(CARLA,), P161=(CARLA,), P136=(HORROR,), P144=(NOVEL,)),
        film(FIFTH, 2015, 0.5, P57=(BORIS,), P136=(NOIR,)),
        film(LONE, 1999, 0.1),
        Entity(NOVEL, "Novel", "book", "book", 1950, 0.9, relations={"P50": (ALMA,), "P840": (ISLAND,)}),
    ]
    return values + items


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue(entities())


@pytest.fixture
def recommender(catalogue: Catalogue) -> GraphRecommender:
    return GraphRecommender(catalogue, load_domains())


@pytest.fixture(scope="session")
def starter() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="session")
def starter_recommender(starter: Catalogue) -> GraphRecommender:
    return GraphRecommender(starter, load_domains())
