"""The alias index: built, saved, loaded, added to."""

from pathlib import Path

import pytest

from data.errors import DataError, MissingFileError
from data.model import Entity
from nlu.entities.folding import fold
from nlu.entities.index import AliasIndex
from nlu.entities.names import NameKind
from nlu.entities.storage import load_index, prepared_index, save_index

FILMS = (
    Entity("Q1", "The Silent Harbour", "film", "movie", 1990, 0.4, aliases=("Harbour of Silence",)),
    Entity("Q2", "The Silent Harbour", "film", "movie", 2010, 0.9, labels={"it": "Il porto silenzioso"}),
    Entity("Q3", "Midnight Orchard: Part II", "film", "movie", 2001, 0.5),
    Entity("Q4", "Ludmilla van der Berg", "person"),
    Entity("Q5", "Twelve Lanterns", "film", "movie", 1999, 0.3),
    Entity("Q6", "A.I.", "film", "movie", 1999, 0.3),
)


@pytest.fixture(scope="module")
def index(words) -> AliasIndex:
    return AliasIndex.build(FILMS, words)


@pytest.fixture(scope="module", params=["built", "loaded"])
def any_index(request, index, tmp_path_factory) -> AliasIndex:
    if request.param == "built":
        return index
    path = tmp_path_factory.mktemp("index") / "names.index"
    save_index(index, path)
    return load_index(path)


def qids(index: AliasIndex, text: str) -> list[str]:
    return [posting.qid for posting in index.exact(fold(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the silent harbour", ["Q2", "Q1"]),
        ("Silent Harbour", ["Q2", "Q1"]),
        ("harbour of silence", ["Q1"]),
        ("il porto silenzioso", ["Q2"]),
        ("porto silenzioso", ["Q2"]),
        ("midnight orchard", ["Q3"]),
        ("midnight orchard 2", ["Q3"]),
        ("part ii", []),
        ("van der Berg", ["Q4"]),
        ("berg", []),
        ("12 lanterns", ["Q5"]),
        ("i", []),
        ("unheard of", []),
    ],
)
def test_names_lead_to_entities_best_known_first(any_index, text, expected):
    assert qids(any_index, text) == expected


@pytest.mark.parametrize("text", ["silent harbor", "teh silent harbour", "silnet harbour", "the silent harbuor"])
def test_typing_errors_are_forgiven(any_index, text):
    assert any("silentharbour" in similar.key for similar in any_index.similar(fold(text)))


def test_short_keys_allow_no_typing_error(any_index):
    assert any_index.similar("ai") == []


def test_parts_of_names_are_found(any_index):
    assert fold("Midnight Orchard: Part II") in any_index.holding(fold("orchard part"))


def test_added_entity_is_found_at_once_exactly_and_misspelt(words):
    index = AliasIndex.build(FILMS, words)

    index.add(Entity("Q9", "Velvet Cartographer", "film", "movie", 2026, 0.1), words)

    assert qids(index, "velvet cartographer") == ["Q9"]
    assert [similar.key for similar in index.similar(fold("velvet cartografer"))] == ["velvetcartographer"]


def test_more_binding_name_of_the_same_key_stands(words):
    index = AliasIndex.build(FILMS, words)
    posting = index.exact(fold("Twelve Lanterns"))[0]

    index.add_name(fold("Twelve Lanterns"), posting)
    index.add(Entity("Q5", "Other", "film", "movie", aliases=("Twelve Lanterns",)), words)

    assert [(one.qid, one.kind) for one in index.exact(fold("Twelve Lanterns"))] == [("Q5", NameKind.LABEL)]


def test_index_of_nothing_finds_nothing(words):
    index = AliasIndex.build((), words)

    assert index.exact("anything") == ()
    assert index.similar("anything") == []


def test_an_id_that_is_none_of_wikidata_is_refused(words):
    with pytest.raises(DataError, match="Wikidata item id"):
        AliasIndex.build([Entity("x1", "Nameless", "film")], words)


def test_index_is_prepared_once_and_anew_when_the_entities_change(words, tmp_path: Path):
    path = tmp_path / "new folder" / "names.index"
    prepared_index(FILMS, words, path)
    first = path.stat().st_mtime_ns

    assert qids(prepared_index(FILMS, words, path), "twelve lanterns") == ["Q5"]
    assert path.stat().st_mtime_ns == first
    assert qids(prepared_index(FILMS[:2], words, path), "twelve lanterns") == []
    assert path.stat().st_mtime_ns != first


def test_broken_prepared_file_is_replaced(words, tmp_path: Path):
    path = tmp_path / "names.index"
    path.write_bytes(b"\x00\x01garbage")

    assert qids(prepared_index(FILMS, words, path), "twelve lanterns") == ["Q5"]
    assert qids(load_index(path), "twelve lanterns") == ["Q5"]


def test_index_works_where_it_cannot_be_kept(words, tmp_path: Path):
    (tmp_path / "file").write_text("no folder")

    assert qids(prepared_index(FILMS, words, tmp_path / "file" / "names.index"), "twelve lanterns") == ["Q5"]


def test_missing_file_is_named(tmp_path: Path):
    with pytest.raises(MissingFileError, match=r"names\.index"):
        load_index(tmp_path / "names.index")


@pytest.mark.parametrize("content", [b"", b"not json\n", b'{"converse_alias_index": 99}\n', b"[]\n", b"\xff\xfe\n"])
def test_broken_file_is_refused(tmp_path: Path, content: bytes):
    path = tmp_path / "names.index"
    path.write_bytes(content)

    with pytest.raises(DataError, match="build it again"):
        load_index(path)
