import gzip
from pathlib import Path

import pytest

from data.catalogue import load_catalogue, read_entities, read_header, write_entities
from data.errors import DataError, MissingFileError
from data.model import Entity

HEADER = b'{"converse_catalogue":1}'
DIRECTOR = b'{"qid":"Q7","label":"Ann Director","kind":"person"}'
FILM = b'{"qid":"Q5","label":"A Film","kind":"film","domain":"movie","year":1999,"relations":{"P57":["Q7"]}}'

ENTITIES = [
    Entity(
        qid="Q5",
        label='Il "buono" \\ \N{SNOWMAN}',
        kind="film",
        domain="movie",
        year=0,
        popularity=0.5,
        aliases=("The Good",),
        labels={"it": "Il buono"},
        relations={"P57": ("Q7",), "P161": ("Q7", "Q8")},
        facts={"P86": ("Somebody",)},
        ids={"imdb": "tt1"},
    ),
    Entity(qid="Q7", label="Ann", kind="person"),
    Entity(qid="Q8", label="drama", kind="genre", merged=("Q9", "Q10")),
]


def written(folder: Path, *lines: bytes) -> Path:
    path = folder / "own.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    write_entities(tmp_path / "new" / name, ENTITIES, {"built": "2026-01-01"})
    assert read_entities(tmp_path / "new" / name) == ENTITIES
    assert read_header(tmp_path / "new" / name)["built"] == "2026-01-01"
    assert [path.name for path in (tmp_path / "new").iterdir()] == [name]


def test_equal_catalogues_are_equal_files(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_entities(tmp_path / name, ENTITIES)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_empty_lines_do_not_matter(tmp_path: Path) -> None:
    assert len(read_entities(written(tmp_path, HEADER, FILM, b"", DIRECTOR, b""))) == 2


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"qid":"Q1","label":', "no JSON"),
        (b'{"qid":"Q1","label":"\xff\xfe","kind":"film"}', "no JSON in UTF-8"),
        (b'["Q1"]', "no JSON object"),
        (b'{"qid":"Q1","kind":"film"}', "label"),
        (b'{"qid":"Q1","label":"A","kind":"film","rating":3}', "unknown key 'rating'"),
        (b'{"qid":"Q1","label":"A","kind":"film","year":"1999"}', "year"),
        (b'{"qid":"Q1","label":"A","kind":"film","relations":{"P57":"Q7"}}', "relations.P57"),
        (b'{"qid":"Q1","label":"A","kind":"film","popularity":3.5}', "popularity"),
        (b'{"qid":"47703","label":"A","kind":"film"}', "'47703' is no Wikidata item id"),
        (
            b'{"qid":"Q1","label":"A","kind":"film","relations":{"director":["Q7"]}}',
            "'director' is no Wikidata property",
        ),
        (b'{"qid":"Q1","label":"A","kind":"film","relations":{"P57":["Ann"]}}', "'Ann' is no Wikidata item id"),
        (b'{"qid":"Q1","label":" ","kind":"film"}', "must not be empty"),
        (FILM, "Q5 is also on line 2"),
        (b'{"qid":"Q1","label":"A","kind":"genre","merged":["Q7"]}', "Q7 is also on line 3"),
        (b'{"qid":"Q1","label":"A","kind":"film","relations":{"P57":["Q404"]}}', "P57 names Q404"),
    ],
)
def test_a_broken_line_is_named_with_the_remedy(tmp_path: Path, line: bytes, problem: str) -> None:
    path = written(tmp_path, HEADER, FILM, DIRECTOR, line)
    with pytest.raises(DataError) as caught:
        read_entities(path)
    message = str(caught.value)
    assert problem in message
    assert "line 4: " in message
    assert str(path) in message
    assert "Correct or remove" in message


def test_every_broken_line_is_named_up_to_twenty(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, *([b"{"] * 30))
    with pytest.raises(DataError) as caught:
        read_entities(path)
    assert str(caught.value).count("no JSON") == 20
    assert "line 21: " in str(caught.value)
    assert "and 10 more" in str(caught.value)


@pytest.mark.parametrize("first", [b"", b"\x00\x01", b'{"entities": 3}', FILM, b"[1]"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, first: bytes) -> None:
    with pytest.raises(DataError, match="is no catalogue: line 1 must be"):
        read_entities(written(tmp_path, first, FILM, DIRECTOR))


def test_another_version_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="version 2, this program reads version 1; build it again"):
        read_entities(written(tmp_path, b'{"converse_catalogue":2}', FILM, DIRECTOR))


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl.gz"
    write_entities(path, ENTITIES)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"own.jsonl.gz"):
        read_entities(path)
    path.write_bytes(gzip.compress(HEADER + b"\n" + FILM)[:30] + b"broken")
    with pytest.raises(DataError, match=r"own.jsonl.gz"):
        read_entities(path)


def test_a_missing_file_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no catalogue .*converse catalog build"):
        load_catalogue(tmp_path / "absent.jsonl")
    with pytest.raises(MissingFileError, match=r"holds no catalogue .*converse catalog build"):
        load_catalogue(tmp_path)


def test_a_folder_is_one_catalogue(tmp_path: Path) -> None:
    write_entities(tmp_path / "movie.jsonl", ENTITIES)
    novel = Entity("Q11", "Book", "book", domain="book", relations={"P50": ("Q7",), "P136": ("Q8",)})
    genre = Entity("Q8", "Drama", "genre", aliases=("dramatic",))
    write_entities(tmp_path / "book.jsonl.gz", [novel, genre, Entity("Q7", "Ann", "person", popularity=0.7)])
    (tmp_path / "notes.txt").write_text("no catalogue", encoding="utf-8")
    catalogue = load_catalogue(tmp_path)
    assert len(catalogue) == 4
    assert set(catalogue.holders("Q7")) == {"Q5", "Q11"}
    ann = catalogue.get("Q7")
    assert ann is not None
    assert ann.popularity == 0.7


def test_ones_own_catalogue_counts_over_the_shipped_one(tmp_path: Path) -> None:
    shipped = load_catalogue()
    known = shipped.items("movie")[0]
    write_entities(tmp_path / "movie.jsonl", [Entity(known.qid, "My name for it", "film", domain="movie")])
    catalogue = load_catalogue(own=tmp_path)
    assert catalogue.label(known.qid) == "My name for it"
    assert len(catalogue) == len(shipped)
    assert len(load_catalogue(own=tmp_path / "absent")) == len(shipped)


def test_a_bomb_is_defused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(HEADER + b"\n" + b"x" * 30_000_000)
    assert path.stat().st_size < 300_000
    with pytest.raises(DataError, match="line 2 is longer than"):
        read_entities(path)


def test_a_damaged_packed_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl.gz"
    packed = bytearray(gzip.compress(HEADER + b"\n" + DIRECTOR * 9))
    packed[20:24] = b"\xff\xff\xff\xff"
    path.write_bytes(packed)
    with pytest.raises(DataError, match=r"damaged\.jsonl\.gz"):
        read_entities(path)
