"""Building from a real SPARQL server."""

import dataclasses
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from pyoxigraph import Literal, Quad

from data.building.difference import compare
from data.building.harvest import Harvest, HarvestOptions
from data.catalogue import load_catalogue, write_entities
from data.catalogue.genres import load_genres
from data.domains import DomainConfig, load_domain, load_domains
from data.errors import BackendError
from data.model import Entity
from data.sparql.endpoint import Endpoint
from data.sparql.patient import PatientEndpoint
from data.sparql.vocabulary import load_vocabulary
from tests.endpoint.rdf import DATE, LABEL, MODIFIED, SITELINKS, direct, item
from tests.endpoint.server import MIXED, TRUNCATED, Server, running, status

OPTIONS = HarvestOptions(page=20, batch=40)


def patient(server: Server, waits: list[float] | None = None) -> PatientEndpoint:
    sleep: Callable[[float], None] = waits.append if waits is not None else lambda _seconds: None
    return PatientEndpoint(
        Endpoint(server.url, "test"), per_second=1000, sleep=sleep, attempts=3, longest_wait=100, rng=random.Random(1)
    )


def harvest(
    server: Server,
    folder: Path,
    config: DomainConfig,
    options: HarvestOptions = OPTIONS,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Harvest:
    return Harvest(patient(server), config, load_vocabulary(), load_genres(), folder, options, progress)


def movies(entities: Sequence[Entity]) -> Mapping[str, Entity]:
    return {entity.qid: entity for entity in entities if entity.domain == "movie"}


def test_a_domain_is_built_as_it_is_in_the_endpoint(server: Server, sample: Sequence[Entity], tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    built = harvest(server, tmp_path / "work", load_domains()["movie"], progress=lambda *step: told.append(step)).run()
    expected = movies(sample)
    assert set(movies(built)) == {entity.qid for entity in sample if entity.kind == "film"}
    assert compare(expected.values(), movies(built).values()).changed == ()
    write_entities(tmp_path / "movie.jsonl", built)
    catalogue = load_catalogue(tmp_path / "movie.jsonl")
    fame = [found.popularity for found in built if found.is_item]
    assert fame == sorted(fame, reverse=True)
    for film in expected.values():
        for qid in film.relations.get("P57", ()):
            director = catalogue.get(qid)
            assert director is not None
            assert director.kind == "person"
            assert director.popularity > 0
    assert told[-1][1] == told[-1][2] > 0


@pytest.mark.parametrize("name", ["book", "music"])
def test_the_other_domains_are_built_too(server: Server, sample: Sequence[Entity], tmp_path: Path, name: str) -> None:
    built = harvest(server, tmp_path, load_domains()[name]).run()
    expected = [entity for entity in sample if entity.domain == name]
    assert compare(expected, [entity for entity in built if entity.domain == name]).removed == ()
    assert compare(expected, [entity for entity in built if entity.domain == name]).changed == ()


@pytest.mark.parametrize(("stop", "at"), [("ids", 30), ("items", 30), ("values", 200)])
def test_an_interrupted_build_goes_on_where_it_stopped(server: Server, tmp_path: Path, stop: str, at: int) -> None:
    config = load_domains()["movie"]
    whole = harvest(server, tmp_path / "whole", config).run()
    in_all = len(server.queries)
    server.reset()

    def interrupt(what: str, done: int, _total: int) -> None:
        if what == stop and done >= at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harvest(server, tmp_path / "work", config, progress=interrupt).run()
    assert harvest(server, tmp_path / "work", config).run() == whole
    assert len(server.queries) == in_all


def test_faults_are_waited_out(server: Server, tmp_path: Path) -> None:
    config = load_domains()["movie"]
    whole = harvest(server, tmp_path / "whole", config).run()
    server.faults.extend([status(500), None, status(429, "7"), TRUNCATED, None, MIXED])
    waits: list[float] = []
    options = (config, load_vocabulary(), load_genres(), tmp_path / "work", OPTIONS)
    assert Harvest(patient(server, waits), *options, lambda *_step: None).run() == whole
    assert 7.0 in waits
    assert sum(wait > 1 for wait in waits) == 4


def test_a_batch_that_is_too_much_is_halved(server: Server) -> None:
    server.faults.extend([status(500)] * 3)
    asked: list[int] = []

    def query(ids: Sequence[str]) -> str:
        asked.append(len(ids))
        return f'SELECT ("{len(ids)}" AS ?n) WHERE {{}}'

    rows = patient(server).select_batch([f"Q{n}" for n in range(1, 9)], query)
    assert [row["n"] for row in rows] == ["4", "4"]
    assert asked == [8, 4, 4]


@pytest.mark.parametrize("fault", [status(403), status(429, "5000"), status(400)])
def test_what_waiting_cannot_help_ends_the_build_with_the_remedy(server: Server, tmp_path: Path, fault: object) -> None:
    server.faults.extend([None, None, fault])  # type: ignore[list-item]
    with pytest.raises(BackendError, match="run the same command again"):
        harvest(server, tmp_path, load_domains()["movie"]).run()


def test_a_limit_ends_the_paging(server: Server, tmp_path: Path) -> None:
    built = harvest(server, tmp_path, load_domains()["movie"], dataclasses.replace(OPTIONS, limit=7)).run()
    assert len(movies(built)) == 7


def test_only_what_changed_is_fetched(server: Server, sample: Sequence[Entity], tmp_path: Path) -> None:
    changed = next(entity for entity in sample if entity.domain == "movie")
    late = Quad(item(changed.qid), MODIFIED, Literal("2026-06-01T10:00:00Z", datatype=DATE))
    server.store.add(late)
    try:
        options = dataclasses.replace(OPTIONS, since="2026-05-31")
        built = harvest(server, tmp_path, load_domains()["movie"], options).run()
    finally:
        server.store.remove(late)
    assert list(movies(built)) == [changed.qid]


GAMES = """
name: game
labels: {en: games, it: giochi}
nouns: {en: [game, video game]}
kinds: [game]
classes: {Q7889: game}
properties:
  P178: {labels: {en: developer}, values: company, weight: 0.9}
  P136: {labels: {en: genre}, values: genre, weight: 0.8}
"""


def test_a_fourth_domain_needs_a_file_and_no_code(tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_text(GAMES, encoding="utf-8")
    games = [("Q100", "Portal", "Q10"), ("Q101", "Half-Life", "Q10"), ("Q102", "Tetris", "Q11")]
    data = [
        quad
        for qid, title, studio in games
        for quad in (
            Quad(item(qid), LABEL, Literal(title, language="en")),
            Quad(item(qid), direct("P31"), item("Q7889")),
            Quad(item(qid), direct("P178"), item(studio)),
            Quad(item(qid), SITELINKS, Literal(40)),
        )
    ]
    data += [
        Quad(item("Q10"), LABEL, Literal("Valve", language="mul")),
        Quad(item("Q11"), LABEL, Literal("Elorg", language="en")),
    ]
    with running(data) as server:
        built = harvest(server, tmp_path / "work", load_domain(tmp_path / "game.yaml")).run()
    write_entities(tmp_path / "game.jsonl", built)
    catalogue = load_catalogue(tmp_path / "game.jsonl")
    assert {found.label for found in catalogue.items("game")} == {"Portal", "Half-Life", "Tetris"}
    assert catalogue.roles("Q10", "game") == (("P178", 2),)
    assert catalogue.label("Q10") == "Valve"
