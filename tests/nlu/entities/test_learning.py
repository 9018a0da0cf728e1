"""What a look-up finds joins the catalogue, the index and the graph at once."""

import dataclasses
from collections.abc import Iterator

import pytest

from data.catalogue import Catalogue, load_catalogue
from data.catalogue.format import dump_entity, parse_entity
from data.domains import load_domains
from data.sparql.endpoint import Endpoint
from nlu.entities.linker import CatalogueLinker
from nlu.entities.lookups import LookupResult
from nlu.entities.wikidata import LookupLimits, WikidataClient
from nlu.model import Context
from recommender import build_recommender
from recommender.model import Request
from tests.endpoint.rdf import quads
from tests.endpoint.server import Server, running, status

FILM, DIRECTOR = "Q190050", "Q25132"  # Fight Club; Paul Thomas Anderson
SMALL = 400


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(quads(load_catalogue().entities())) as running_server:
        yield running_server


@pytest.fixture
def catalogue() -> Catalogue:
    """The best-known films with their values, but for one film and one director."""
    whole = load_catalogue()
    films = [film for film in whole.items("movie")[:SMALL] if film.qid != FILM]
    films = [
        dataclasses.replace(
            film, relations={pid: tuple(q for q in qids if q != DIRECTOR) for pid, qids in film.relations.items()}
        )
        for film in films
    ]
    values = dict.fromkeys(qid for film in films for held in film.relations.values() for qid in held)
    others = [whole.get(qid) for qid in values if qid not in {film.qid for film in films} and qid != FILM]
    return Catalogue([*films, *(dataclasses.replace(other, relations={}) for other in others if other)])


def linker(catalogue: Catalogue, server: Server) -> CatalogueLinker:
    limits = LookupLimits(deadline=30, per_second=1000, burst=100)
    client = WikidataClient(Endpoint(server.url, "test"), load_domains(), limits=limits)
    return CatalogueLinker(catalogue, load_domains(), wikidata=client)


async def test_an_unknown_film_is_understood_and_recommended_from_at_once(catalogue: Catalogue, server: Server) -> None:
    recommender = build_recommender(catalogue, load_domains())
    linking = await linker(catalogue, server).link("I love fight club", Context())
    assert [mention.accepted for mention in linking.mentions] == [FILM]
    assert FILM in {entity.qid for entity in linking.learned}
    for entity in linking.learned:
        recommender.learn(entity)
    found = recommender.recommend(Request("movie", liked=(FILM,), n=3)).items
    film = catalogue.get(FILM)
    assert film is not None
    assert found
    for recommendation in found:
        reasons = {reason.value for reason in recommendation.because}
        assert reasons & {FILM, *(qid for held in film.relations.values() for qid in held)}


async def test_an_unknown_person_is_connected_with_films_that_are_known(catalogue: Catalogue, server: Server) -> None:
    assert DIRECTOR not in catalogue
    linking = await linker(catalogue, server).link("I like paul thomas anderson", Context())
    assert {candidate.qid for mention in linking.mentions for candidate in mention.candidates} == {DIRECTOR}
    assert dict(catalogue.roles(DIRECTOR, "movie"))["P57"] > 0


async def test_what_was_learned_is_there_after_a_restart(catalogue: Catalogue, server: Server) -> None:
    linking = await linker(catalogue, server).link("I love fight club", Context())
    kept = [dump_entity(entity) for entity in linking.learned]
    fresh = Catalogue([entity for entity in catalogue.entities() if entity.qid != FILM])
    for line in kept:
        fresh.add(parse_entity(line))
    again = await CatalogueLinker(fresh, load_domains()).link("I love fight club", Context())
    assert [mention.accepted for mention in again.mentions] == [FILM]
    assert again.learned == ()


async def test_a_failed_look_up_is_noted_and_the_rest_understood(catalogue: Catalogue, server: Server) -> None:
    server.faults.extend([status(403)])
    linking = await linker(catalogue, server).link("I love fight club and Pulp Fiction", Context())
    assert "lookup_failed" in linking.notes
    assert "Q104123" in {mention.accepted for mention in linking.mentions}
    assert LookupResult(failed=True).entities == linking.learned
