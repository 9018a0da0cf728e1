"""Catalogues from files."""

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
import pytest

from data.building import chunks
from data.building.difference import compare
from data.building.importing import Importer
from data.building.tables import load_mapping
from data.catalogue import load_catalogue, write_entities
from data.catalogue.genres import load_genres
from data.domains import load_domains
from data.errors import ConfigError, DataError, MissingFileError, UsageError
from data.model import Entity, Qid
from data.sparql.vocabulary import load_vocabulary
from tests.endpoint.rdf import quads
from tests.endpoint.wikidata_json import everything


def importer(known: Callable[[Qid], Entity | None] = lambda _qid: None, domain: str = "movie") -> Importer:
    return Importer(load_domains()[domain], load_vocabulary(), load_genres(), ("en", "it", "mul"), known)


def films(entities: Sequence[Entity]) -> list[Entity]:
    return [entity for entity in entities if entity.domain == "movie"]


@pytest.mark.parametrize("name", ["some.jsonl", "some.jsonl.gz"])
def test_wikidata_json_is_imported(tmp_path: Path, sample: Sequence[Entity], name: str) -> None:
    content = b"\n".join(map(orjson.dumps, everything(sample)))
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    imported = importer().read(tmp_path / name)
    difference = compare(films(sample), films(imported.entities))
    assert (difference.removed, difference.changed) == ((), ())
    assert imported.skipped > 0
    write_entities(tmp_path / "out.jsonl", imported.entities)
    assert len(load_catalogue(tmp_path / "out.jsonl")) == len(imported.entities)


@pytest.mark.parametrize("ending", ["nt", "ttl"])
def test_rdf_is_imported(tmp_path: Path, sample: Sequence[Entity], ending: str) -> None:
    chosen = {entity.qid for entity in films(sample)[:20]}
    needed = chosen | {
        qid for entity in sample if entity.qid in chosen for held in entity.relations.values() for qid in held
    }
    some = [entity for entity in sample if entity.qid in needed]
    path = tmp_path / f"some.{ending}"
    path.write_text("".join(f"{quad.triple} .\n" for quad in quads(some)), encoding="utf-8")
    imported = importer().read(path)
    difference = compare([entity for entity in sample if entity.qid in chosen], films(imported.entities))
    assert (difference.removed, difference.changed) == ((), ())
    write_entities(tmp_path / "out.jsonl", imported.entities)
    assert set(load_catalogue(tmp_path / "out.jsonl").holders("Q30")) >= chosen & set(
        load_catalogue().holders("Q30", "P495")
    )


TABLE = """\
wikidata,name,nome,other,made,director,cast,imdb
Q901,First Film,Primo film,One|The First,1999,Q77 Ann Director,Q78 Bob | Nobody Known,tt1
Q902,Second Film,,,,Q77,Q40,
"""
MAPPING = """\
id: wikidata
label: name
labels: {it: nome}
aliases: other
year: made
properties: {P57: director, P161: cast}
ids: {imdb: imdb}
"""


def table(folder: Path, text: str = TABLE, mapping: str = MAPPING, name: str = "films.csv") -> tuple[Path, Path]:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "mapping.yaml").write_text(mapping, encoding="utf-8")
    return folder / name, folder / "mapping.yaml"


def test_a_table_is_imported_with_its_mapping(tmp_path: Path) -> None:
    known = Entity("Q40", "Carl Actor", "person", aliases=("Carl",), relations={"P1": ("Q1",)})
    path, mapping = table(tmp_path)
    imported = importer({"Q40": known}.get).read(path, load_mapping(mapping))
    first, second = films(imported.entities)
    assert (first.label, first.year, first.kind, first.aliases) == ("First Film", 1999, "film", ("One", "The First"))
    assert (first.labels, first.ids) == ({"it": "Primo film"}, {"imdb": "tt1"})
    assert first.relations == {"P57": ("Q77",), "P161": ("Q78",)}
    assert first.facts == {"P161": ("Nobody Known",)}
    assert second.relations == {"P57": ("Q77",), "P161": ("Q40",)}
    values = {entity.qid: entity for entity in imported.entities if not entity.is_item}
    assert (values["Q77"].label, values["Q77"].kind) == ("Ann Director", "person")
    assert (values["Q40"].aliases, values["Q40"].relations) == (("Carl",), {})


def test_a_table_may_be_separated_by_tabs(tmp_path: Path) -> None:
    path, mapping = table(tmp_path, TABLE.replace(",", "\t"), name="films.tsv")
    assert len(films(importer().read(path, load_mapping(mapping)).entities)) == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("Q902", "902"), "line 3: '902' is no Wikidata item id"),
        (("Second Film", " "), "line 3: Q902 has no name"),
        (("1999", "about 1999"), "line 2: .*about 1999"),
        (("wikidata", "id"), "has no column wikidata"),
        (("director", "regie"), "has no column director"),
    ],
)
def test_broken_rows_are_named(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    path, mapping = table(tmp_path, TABLE.replace(*change, 1))
    with pytest.raises(DataError, match=problem):
        importer().read(path, load_mapping(mapping))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("P57", "P9999"), "has no P9999"),
        (("id:", "qid:"), "mapping.yaml"),
        (("year: made", "kind: opera"), "no kind 'opera'"),
    ],
)
def test_a_wrong_mapping_is_named(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    path, mapping = table(tmp_path, mapping=MAPPING.replace(*change, 1))
    with pytest.raises(ConfigError, match=problem):
        importer().read(path, load_mapping(mapping))


def test_an_entity_page_is_imported(tmp_path: Path, sample: Sequence[Entity]) -> None:
    path = tmp_path / "page.json"
    path.write_bytes(orjson.dumps({"entities": {entity["id"]: entity for entity in everything(sample)}}))
    lines = tmp_path / "lines.jsonl"
    lines.write_bytes(b"\n".join(map(orjson.dumps, everything(sample))))
    assert importer().read(path).entities == importer().read(lines).entities != ()


def test_other_mistakes_are_named_with_the_remedy(tmp_path: Path) -> None:
    path, _ = table(tmp_path)
    with pytest.raises(UsageError, match="--mapping"):
        importer().read(path)
    (tmp_path / "films.xlsx").touch()
    with pytest.raises(UsageError, match=r"must end in \.jsonl"):
        importer().read(tmp_path / "films.xlsx")
    for name in ("absent.jsonl", "absent.nt", "absent", ""):
        with pytest.raises(MissingFileError, match="no such file; give Wikidata JSON lines"):
            importer().read(tmp_path / name)
    (tmp_path / "latin.csv").write_bytes("wikidata,name\nQ1,Caf\xe9\n".encode("latin-1"))
    with pytest.raises(DataError, match="save it as UTF-8"):
        importer().read(tmp_path / "latin.csv", load_mapping(tmp_path / "mapping.yaml"))
    (tmp_path / "broken.nt").write_text("<http://www.wikidata.org/entity/Q1> nonsense\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"broken\.nt is no valid RDF"):
        importer().read(tmp_path / "broken.nt")
    (tmp_path / "packed.jsonl.gz").write_bytes(b"no archive")
    with pytest.raises(DataError, match="is damaged"):
        importer().read(tmp_path / "packed.jsonl.gz")
    (tmp_path / "broken.jsonl").write_bytes(b'{"id":"Q1"}\n{"id":\n[1]\n{"id":"Q2","claims":{"P57":[3]}}\n')
    with pytest.raises(DataError, match=r"line 2: .*line 3: .*line 4: "):
        importer().read(tmp_path / "broken.jsonl")


def test_a_bomb_is_defused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "LONGEST_LINE", 1_000_000)
    with gzip.open(tmp_path / "bomb.jsonl.gz", "wb", compresslevel=1) as file:
        file.write(b"x" * 10_000_000)
    with pytest.raises(DataError, match=r"bomb\.jsonl\.gz: a line is longer than"):
        importer().read(tmp_path / "bomb.jsonl.gz")
