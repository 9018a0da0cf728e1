"""Building from a dump, streamed."""

import bz2
import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
import pytest

from data.building.difference import compare
from data.building.dump import DumpBuild, DumpOptions
from data.catalogue import load_catalogue, write_entities
from data.catalogue.genres import load_genres
from data.domains import load_domains
from data.errors import DataError, MissingFileError
from data.model import Entity
from data.sparql.vocabulary import load_vocabulary
from tests.endpoint.wikidata_json import entity_json, everything, item_value, statement, year_value

PIECE = 300_000


def dump_bytes(entities: Sequence[Entity]) -> bytes:
    return b"[\n" + b",\n".join(map(orjson.dumps, everything(entities))) + b"\n]\n"


@pytest.fixture
def dump(tmp_path: Path, sample: Sequence[Entity]) -> Path:
    path = tmp_path / "dump.json"
    path.write_bytes(dump_bytes(sample))
    return path


def build(dump: Path, folder: Path, workers: int = 1, progress: Callable[[str, int], None] | None = None) -> DumpBuild:
    options = DumpOptions(workers=workers, progress=progress or (lambda _what, _lines: None), piece=PIECE)
    return DumpBuild(dump, load_domains(), load_vocabulary(), load_genres(), folder, options)


def run(built: DumpBuild) -> dict[str, list[Entity]]:
    return {name: list(entities) for name, entities in built.run().items()}


def test_every_domain_comes_out_as_it_went_in(dump: Path, sample: Sequence[Entity], tmp_path: Path) -> None:
    built = run(build(dump, tmp_path / "work"))
    assert list(built) == ["movie", "book", "music"]
    for name, entities in built.items():
        items = [entity for entity in entities if entity.domain == name]
        difference = compare([entity for entity in sample if entity.domain == name], items)
        assert (difference.added, difference.removed, difference.changed) == ((), (), ())
        write_entities(tmp_path / f"{name}.jsonl", entities)
        assert len(load_catalogue(tmp_path / f"{name}.jsonl").items(name)) == len(items)


def test_the_order_of_a_cast_is_that_of_the_dump(dump: Path, sample: Sequence[Entity], tmp_path: Path) -> None:
    films = {entity.qid: entity for entity in run(build(dump, tmp_path / "work"))["movie"] if entity.is_item}
    for film in sample:
        if film.domain == "movie" and "P161" in film.relations:
            assert films[film.qid].relations["P161"] == film.relations["P161"]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_dumps_are_read(dump: Path, tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]) -> None:
    packed = dump.with_suffix(f".json{ending}")
    packed.write_bytes(pack(dump.read_bytes()))
    assert run(build(packed, tmp_path / "packed")) == run(build(dump, tmp_path / "plain"))


def test_several_processes_make_the_same(dump: Path, tmp_path: Path) -> None:
    assert run(build(dump, tmp_path / "two", workers=2)) == run(build(dump, tmp_path / "one"))


def test_malformed_lines_are_counted_and_passed_over(dump: Path, sample: Sequence[Entity], tmp_path: Path) -> None:
    whole = run(build(dump, tmp_path / "whole"))
    lines = dump.read_bytes().splitlines(keepends=True)
    broken = [b'{"type":"item","id":"Q1","claims":{"P57":[{"mainsn\n', b"not json\n", b"\xff\xfe\n", b'{"P57":[]}\n']
    odd = [b'{"type":"item","id":"Q2","claims":{"P57":[7]}}\n', b"\n", b'{"type":"property","id":"P57","labels":{}},\n']
    dump.write_bytes(b"".join([*lines[:5], *broken, *odd, *lines[5:]]))
    built = build(dump, tmp_path / "work")
    assert run(built) == whole
    assert built.malformed == 5
    assert built.lines == len(lines) + 7


@pytest.mark.parametrize("stop", [("first pass", 3), ("second pass", 3)])
def test_an_interrupted_build_goes_on_where_it_stopped(
    dump: Path, tmp_path: Path, stop: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.building.spool.SAVE_EVERY", 2)
    whole = build(dump, tmp_path / "whole")
    expected = run(whole)
    steps: list[str] = []

    def interrupt(what: str, _lines: int) -> None:
        steps.append(what)
        if steps.count(stop[0]) == stop[1]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(build(dump, tmp_path / "work", progress=interrupt))
    done = len(steps)
    again: list[str] = []
    resumed = build(dump, tmp_path / "work", progress=lambda what, _lines: again.append(what))
    assert run(resumed) == expected
    assert (resumed.lines, resumed.malformed) == (whole.lines, whole.malformed)
    assert len(again) < done + len(again) <= done + 2 * (len(dump.read_bytes()) // PIECE + 2)
    resumed.clear()
    assert not (tmp_path / "work").exists()


def test_another_dump_starts_from_the_beginning(dump: Path, sample: Sequence[Entity], tmp_path: Path) -> None:
    run(build(dump, tmp_path / "work"))
    dump.write_bytes(dump_bytes([entity for entity in sample if entity.domain != "book"]))
    assert run(build(dump, tmp_path / "work"))["book"] == []


def test_ranks_decide_which_statements_count(tmp_path: Path, sample: Sequence[Entity]) -> None:
    film = entity_json(next(entity for entity in sample if entity.domain == "movie"))
    people = [entity.qid for entity in sample if entity.kind == "person"][:3]
    film["claims"]["P57"] = [
        statement("P57", item_value(people[0])),
        statement("P57", item_value(people[1]), "preferred"),
        statement("P57", item_value(people[2]), "deprecated"),
    ]
    film["claims"]["P58"] = [statement("P58", None), statement("P58", item_value(people[2]), "deprecated")]
    film["claims"]["P577"] = [statement("P577", year_value(1999)), statement("P577", year_value(1997))]
    lines = [orjson.dumps(found) for found in everything(sample) if found["id"] != film["id"]]
    path = tmp_path / "dump.json"
    path.write_bytes(b"\n".join([*lines, orjson.dumps(film)]))
    built = {entity.qid: entity for entity in run(build(path, tmp_path / "work"))["movie"]}[film["id"]]
    assert built.relations["P57"] == (people[1],)
    assert "P58" not in built.relations
    assert built.year == 1997


def test_a_damaged_or_missing_dump_is_named(dump: Path, tmp_path: Path) -> None:
    packed = tmp_path / "dump.json.gz"
    packed.write_bytes(gzip.compress(dump.read_bytes())[:-1000])
    with pytest.raises(DataError, match=r"dump\.json\.gz is damaged .* download it again"):
        run(build(packed, tmp_path / "work"))
    middle = bytearray(gzip.compress(dump.read_bytes()))
    middle[len(middle) // 2 :] = b"\xff" * (len(middle) - len(middle) // 2)
    packed.write_bytes(middle)
    with pytest.raises(DataError, match="is damaged"):
        run(build(packed, tmp_path / "work2"))
    with pytest.raises(MissingFileError, match="There is no dump"):
        build(tmp_path / "absent.json", tmp_path / "work")


def test_papers_and_other_masses_are_passed_over_at_once(dump: Path, tmp_path: Path) -> None:
    whole = run(build(dump, tmp_path / "whole"))
    paper = {
        "type": "item",
        "id": "Q999999",
        "labels": {"en": {"language": "en", "value": "On Films"}},
        "claims": {
            "P31": [statement("P31", item_value("Q13442814"))],
            "P50": [statement("P50", item_value("Q999998"))],
        },
    }
    book = {
        **paper,
        "id": "Q999997",
        "claims": {**paper["claims"], "P31": [*paper["claims"]["P31"], statement("P31", item_value("Q571"))]},
    }
    dump.write_bytes(orjson.dumps(paper) + b"\n" + orjson.dumps(book) + b"\n" + dump.read_bytes())
    built = build(dump, tmp_path / "work")
    found = run(built)
    assert (tmp_path / "work" / "candidates").read_bytes().count(b"Q999999") == 0
    assert {entity.qid for entity in found["book"]} - {entity.qid for entity in whole["book"]} == {"Q999997"}
    assert found["movie"] == whole["movie"]
