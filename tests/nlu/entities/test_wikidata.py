"""The look-up against a real SPARQL server, and against one that misbehaves."""

import asyncio
import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from data.catalogue import Catalogue, load_catalogue
from data.domains import load_domains
from data.errors import StorageError
from data.sparql.endpoint import Endpoint, user_agent
from nlu.entities.lookups import LookupCache, MemoryCache
from nlu.entities.wikidata import LookupLimits, WikidataClient
from tests.endpoint.rdf import quads
from tests.endpoint.server import LYING, MIXED, TRUNCATED, Fault, Server, running, silent, status, trickling

FAST = LookupLimits(deadline=30, per_second=1000, burst=100)


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Server]:
    with running(quads(load_catalogue().entities())) as server:
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    shared_server.reset()
    return shared_server


def client(server: Server, limits: LookupLimits = FAST, cache: LookupCache | None = None) -> WikidataClient:
    return WikidataClient(
        Endpoint(server.url, user_agent("ann@example.org")), load_domains(), cache, limits=limits, rng=random.Random(1)
    )


@pytest.mark.parametrize(
    ("typed", "domain", "qid"),
    [
        ("the matrix", "movie", "Q83495"),
        ("PULP FICTION", "movie", "Q104123"),
        ("Shawshank", "movie", "Q172241"),
        ("quentin tarantino", "movie", "Q3772"),
        ("orgoglio e pregiudizio", "book", "Q170583"),
        ("abbey road", "music", "Q173643"),
        ("queen", "music", "Q15862"),
        ("sci-fi", "movie", "Q24925"),
    ],
)
async def test_a_name_is_found_as_people_type_it(server: Server, typed: str, domain: str, qid: str) -> None:
    result = await client(server).lookup([typed], domain, "it")
    assert not result.failed
    assert result.found[typed][0] == qid
    assert result.entities[0].qid == qid
    assert len(server.queries) <= 2


async def test_a_film_comes_with_what_it_needs_to_join_the_graph(server: Server) -> None:
    known = load_catalogue().get("Q83495")
    assert known is not None
    result = await client(server).lookup(["The Matrix"], "movie")
    film = result.entities[0]
    assert (film.kind, film.domain, film.year) == ("film", "movie", 1999)
    assert film.ids["imdb"] == known.ids["imdb"]
    assert {pid: set(values) for pid, values in film.relations.items()} == {
        pid: set(values) for pid, values in known.relations.items()
    }
    catalogue = Catalogue(result.entities)
    assert all(qid in catalogue for values in film.relations.values() for qid in values)
    assert catalogue.label(film.relations["P57"][0]) != film.relations["P57"][0]


async def test_a_person_comes_with_the_best_known_works(server: Server) -> None:
    result = await client(server).lookup(["quentin tarantino"], "movie")
    catalogue = Catalogue(result.entities)
    assert {"P57", "P58"} <= {pid for pid, _ in catalogue.roles("Q3772", "movie")}
    person = catalogue.get("Q3772")
    assert person is not None
    assert (person.kind, person.domain) == ("person", None)


async def test_a_name_outside_the_domain_is_not_found(server: Server) -> None:
    result = await client(server).lookup(["Abbey Road", "no such title anywhere"], "movie")
    assert (result.found, result.entities, result.failed) == ({}, (), False)


async def test_several_names_are_one_look_up(server: Server) -> None:
    result = await client(server).lookup(["the matrix", "pulp fiction", "xyzzy"], "movie")
    assert {name: ids[0] for name, ids in result.found.items()} == {"the matrix": "Q83495", "pulp fiction": "Q104123"}
    assert len(server.queries) == 2


async def test_a_title_cannot_change_the_query(server: Server) -> None:
    for text in ('x" } UNION { ?item ?p ?o } #', "\\u0022@en ?x", "a\nb\\", "\N{RIGHT-TO-LEFT OVERRIDE}", "\ud800"):
        result = await client(server).lookup([text], "movie")
        assert (result.entities, result.failed) == ((), False)


async def test_finds_and_misses_are_remembered_until_they_expire(server: Server) -> None:
    now = [0.0]
    cache = MemoryCache(lambda: now[0])
    asked = client(server, cache=cache)
    first = await asked.lookup(["The Matrix", "xyzzy"], "movie")
    queries = len(server.queries)
    again = await client(server, cache=cache).lookup(["the  matrix", "Xyzzy"], "movie")
    assert len(server.queries) == queries
    assert again.entities == first.entities
    assert again.found == {"the  matrix": first.found["The Matrix"]}
    now[0] = timedelta(days=2).total_seconds()
    await asked.lookup(["The Matrix"], "movie")
    assert len(server.queries) == queries
    await asked.lookup(["xyzzy"], "movie")
    assert len(server.queries) == queries + 1
    now[0] = timedelta(days=40).total_seconds()
    await asked.lookup(["The Matrix"], "movie")
    assert len(server.queries) == queries + 3


async def test_without_a_contact_nothing_is_asked(server: Server) -> None:
    off = WikidataClient.configured(" ", server.url, load_domains())
    result = await off.lookup(["The Matrix"], "movie")
    assert (result.entities, result.failed, server.queries) == ((), False, [])


@pytest.mark.parametrize("fault", [status(500), status(503, "0"), TRUNCATED, MIXED])
async def test_a_passing_failure_is_tried_again_in_time(server: Server, fault: Fault) -> None:
    server.faults.append(fault)
    result = await client(server).lookup(["The Matrix"], "movie")
    assert (result.failed, result.entities[0].qid) == (False, "Q83495")


@pytest.mark.parametrize("fault", [status(403), status(429, "3600"), status(400)])
async def test_a_refusal_is_accepted_at_once(server: Server, fault: Fault) -> None:
    server.faults.extend([fault, None, None, None])
    asked = client(server)
    assert (await asked.lookup(["The Matrix"], "movie")).failed
    assert len(server.agents) == 1


async def test_a_wish_to_wait_is_kept_by_later_look_ups(server: Server) -> None:
    server.faults.append(status(429, "3600"))
    asked = client(server)
    await asked.lookup(["The Matrix"], "movie")
    assert (await asked.lookup(["Pulp Fiction"], "movie")).failed
    assert len(server.agents) == 1


async def test_an_endpoint_that_is_down_is_left_alone(server: Server) -> None:
    server.faults.extend([status(500)] * 10)
    asked = client(server)
    for name in ("The Matrix", "Pulp Fiction", "Alien"):
        assert (await asked.lookup([name], "movie")).failed
    assert len(server.agents) == 3


@pytest.mark.parametrize("fault", [silent(5), trickling(0.02)])
async def test_a_slow_endpoint_never_holds_up_the_chat(server: Server, fault: Fault) -> None:
    server.faults.append(fault)
    limits = LookupLimits(deadline=0.4, per_second=1000, burst=100)
    loop = asyncio.get_running_loop()
    started = loop.time()
    result = await client(server, limits).lookup(["The Matrix"], "movie")
    assert result.failed
    assert loop.time() - started < 2.5


async def test_while_an_answer_is_awaited_no_other_query_is_sent(server: Server) -> None:
    server.faults.append(silent(2))
    asked = client(server, LookupLimits(deadline=0.3, per_second=1000, burst=100))
    assert (await asked.lookup(["The Matrix"], "movie")).failed
    assert (await asked.lookup(["Pulp Fiction"], "movie")).failed
    assert len(server.agents) == 1


async def test_one_query_at_a_time(server: Server) -> None:
    asked = client(server)
    names = ("The Matrix", "Pulp Fiction", "Alien", "Titanic", "Inception")
    results = await asyncio.gather(*(asked.lookup([name], "movie") for name in names))
    assert [result.failed for result in results] == [False] * 5
    assert server.most_at_once == 1


async def test_beyond_the_rate_a_look_up_fails_instead_of_waiting(server: Server) -> None:
    asked = client(server, LookupLimits(deadline=5, per_second=0.1, burst=2))
    assert not (await asked.lookup(["The Matrix"], "movie")).failed
    assert (await asked.lookup(["Pulp Fiction"], "movie")).failed
    assert len(server.agents) == 2


async def test_what_an_endpoint_invents_is_not_believed(server: Server) -> None:
    server.faults.append(LYING)
    result = await client(server).lookup(["x"], "movie")
    assert (result.entities, result.found) == ((), {})


class BrokenCache:
    def __init__(self, answer: Any = None) -> None:
        self._answer = answer

    async def lookup(self, key: str) -> Any | None:
        if self._answer is None:
            raise StorageError("the database is gone")
        return self._answer

    async def remember_lookup(self, key: str, answer: Any, lifetime: timedelta) -> None:
        raise StorageError("the database is gone")


@pytest.mark.parametrize("answer", [None, {"entities": [{"qid": "x"}], "found": []}, 3, {"found": []}])
async def test_a_broken_cache_costs_only_a_query(server: Server, answer: Any) -> None:
    result = await client(server, cache=BrokenCache(answer)).lookup(["The Matrix"], "movie")
    assert result.entities[0].qid == "Q83495"
