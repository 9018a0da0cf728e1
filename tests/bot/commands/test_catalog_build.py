import json
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from bot.cli import build_app
from bot.errors import BackendError, DataError, UsageError
from data.catalogue import load_catalogue
from data.domains import load_domains
from data.model import Entity
from recommender.compiled import CompiledGraph
from recommender.graph import fingerprint
from tests.endpoint.rdf import quads
from tests.endpoint.server import Server, running, status
from tests.endpoint.wikidata_json import everything

SAMPLE = [
    Entity("Q901", "First Film", "film", domain="movie", year=1999, popularity=0.5, relations={"P57": ("Q77",)}),
    Entity(
        "Q902", "Second Film", "film", domain="movie", popularity=0.4, relations={"P57": ("Q77",), "P161": ("Q78",)}
    ),
    Entity("Q903", "A Book", "book", domain="book", popularity=0.4, relations={"P50": ("Q77",)}),
    Entity("Q77", "Ann Director", "person", popularity=0.5),
    Entity("Q78", "Bob", "person"),
]


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Server]:
    with running(quads(SAMPLE)) as server:
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    shared_server.reset()
    return shared_server


def run(folder: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(build_app(), ["--data-dir", str(folder), "catalog", *map(str, arguments)])


def from_endpoint(folder: Path, server: Server, *arguments: str) -> Result:
    address = ("--endpoint", server.url, "--contact", "ann@example.org", "--rate", "1000")
    return run(folder, "build", "--domain", "movie", *address, *arguments)


def test_a_build_counts_and_compares_with_the_one_before(server: Server, tmp_path: Path) -> None:
    first = json.loads(from_endpoint(tmp_path, server, "--limit", "1", "--json").stdout)["catalogues"][0]
    assert (first["items"], first["changes"]) == ({"movie": 1}, None)
    second = json.loads(from_endpoint(tmp_path, server, "--json").stdout)["catalogues"][0]
    assert second["items"] == {"movie": 2}
    assert second["kinds"] == {"film": 2, "person": 2}
    assert second["properties"]["movie"]["P57"] == {"items": 2, "values": 2}
    assert second["changes"] == {"added": ["Q902", "Q78"], "removed": [], "changed": []}
    third = from_endpoint(tmp_path, server)
    assert "2 film, 2 person" in third.stdout
    assert "before: 0 added, 0 removed, 0 changed" in third.stdout
    assert "ann@example.org" in server.agents[0]
    found = json.loads(run(tmp_path, "search", "first film", "--json").stdout)
    assert [row["qid"] for row in found][:1] == ["Q901"]
    assert [path.name for path in (tmp_path / "catalogue").iterdir()] == ["movie.jsonl.gz"]


def test_what_did_not_change_stays_in_an_update(server: Server, tmp_path: Path) -> None:
    from_endpoint(tmp_path, server)
    update = json.loads(from_endpoint(tmp_path, server, "--since", "2026-05-31", "--json").stdout)["catalogues"][0]
    assert update["items"] == {"movie": 2}
    assert update["changes"] == {"added": [], "removed": [], "changed": []}


def test_a_dump_makes_all_domains_and_the_graph_that_the_bot_loads(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_bytes(b"\n".join([*map(orjson.dumps, everything(SAMPLE)), b"{broken"]))
    document = json.loads(run(tmp_path, "build", "--from-dump", dump, "--workers", "1", "--json").stdout)
    assert [catalogue["items"] for catalogue in document["catalogues"]] == [{"movie": 2}, {"book": 1}, {}]
    assert document["malformed"] == 1
    catalogue = load_catalogue(tmp_path / "catalogue")
    assert {"Q901", "Q902", "Q903"} == set(catalogue.holders("Q77"))
    used = load_catalogue(own=tmp_path / "catalogue")
    graph = CompiledGraph.load(tmp_path / "graph", fingerprint(used.entities(), load_domains()))
    assert graph.find("Q901") is not None


def test_a_file_is_imported(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("id,name,director\nQ901,First Film,Q77 Ann\n", encoding="utf-8")
    (tmp_path / "films.yaml").write_text("{id: id, label: name, properties: {P57: director}}", encoding="utf-8")
    arguments = ("import", tmp_path / "films.csv", "--domain", "movie", "--mapping", tmp_path / "films.yaml")
    document = json.loads(run(tmp_path, *arguments, "--json").stdout)
    assert document["catalogues"][0]["items"] == {"movie": 1}
    assert document["skipped"] == 0
    assert (tmp_path / "catalogue" / "movie-films.jsonl.gz").exists()
    assert json.loads(run(tmp_path, "search", "Q901", "--json").stdout)[0]["label"] == "First Film"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("build",), "--domain"),
        (("build", "--domain", "tv"), "choose one of movie"),
        (("build", "--domain", "movie"), "--contact"),
        (("build", "--domain", "movie", "--contact", "x", "--since", "yesterday"), "2026-01-31"),
        (("build", "--master", "local[1]"), "--from-dump"),
        (("import", "films.csv", "--domain", "tv"), "choose one of movie"),
    ],
)
def test_wrong_arguments_are_explained(tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    result = run(tmp_path, *arguments)
    assert isinstance(result.exception, UsageError)
    assert problem in str(result.exception)


def test_an_endpoint_that_refuses_is_one_clear_line(server: Server, tmp_path: Path) -> None:
    server.faults.append(status(403))
    result = from_endpoint(tmp_path, server)
    assert isinstance(result.exception, BackendError)
    assert "run the same command again" in str(result.exception)


def test_a_file_without_items_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, everything(SAMPLE[3:]))))
    result = run(tmp_path, "import", path, "--domain", "movie")
    assert isinstance(result.exception, DataError)
    assert not (tmp_path / "catalogue").exists()


@pytest.mark.parametrize(
    "arguments", [["build", "--domain", "movie"], ["import", "films.csv", "--domain", "movie"]], ids=lambda one: one[0]
)
def test_an_empty_name_of_the_output_is_refused(arguments: list[str]) -> None:
    result = CliRunner().invoke(build_app(), ["catalog", *arguments, "--out", ""])
    assert result.exit_code == 2
    assert "the name of the folder is empty" in result.output
