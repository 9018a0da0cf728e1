from pathlib import Path

import pytest

from data.catalogue.genres import load_genres
from data.errors import ConfigError
from data.model import Entity


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "genres.yaml"
    path.write_text(
        "genres:\n"
        "  Q1: {label: comedy, it: commedia, same: [Q2, Q3], words: [funny, Comedy]}\n"
        "  Q4: {label: drama, words: [dramatic]}\n"
        "not_genres: [Q9]\n",
        encoding="utf-8",
    )
    return path


def test_variants_become_one_genre(file: Path) -> None:
    item = Entity("Q50", "A", "film", relations={"P136": ("Q2", "Q9", "Q1", "Q7"), "P57": ("Q8",)})
    assert load_genres(file).applied(item).relations == {"P57": ("Q8",), "P136": ("Q1", "Q7")}


def test_a_variant_as_subject_or_by_name_is_a_genre(file: Path) -> None:
    item = Entity(
        "Q50", "A", "film", relations={"P921": ("Q3", "Q60")}, facts={"P136": ("Dramatic", "unheard of"), "P86": ("X",)}
    )
    applied = load_genres(file).applied(item)
    assert applied.relations == {"P921": ("Q60",), "P136": ("Q1", "Q4")}
    assert applied.facts == {"P136": ("unheard of",), "P86": ("X",)}


def test_a_genre_gets_the_names_people_use(file: Path) -> None:
    named = load_genres(file).named(Entity("Q1", "Comedy Film", "subject", aliases=("FUNNY", "laughs")))
    assert (named.label, named.kind, named.labels) == ("comedy", "genre", {"it": "commedia"})
    assert named.aliases == ("funny", "Comedy Film", "laughs")
    assert named.merged == ("Q2", "Q3")


def test_other_entities_stay_as_they_are(file: Path) -> None:
    item = Entity("Q50", "A", "film", relations={"P57": ("Q8",)})
    assert load_genres(file).applied(item) == item
    assert load_genres(file).named(item) == item


@pytest.mark.parametrize(
    "text", ["genres: {Q1: {label: a, same: [Q2]}, Q2: {label: b}}", "genres: {Q1: {name: a}}", "["]
)
def test_a_broken_genre_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "genres.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"genres\.yaml"):
        load_genres(path)


def test_a_genre_knows_its_broader_ones(tmp_path: Path) -> None:
    path = tmp_path / "genres.yaml"
    path.write_text("genres:\n  Q1: {label: comedy}\n  Q4: {label: parody}\nnarrower: {Q1: [Q4]}\n", encoding="utf-8")
    assert load_genres(path).named(Entity("Q4", "spoof", "genre")).relations == {"P279": ("Q1",)}


def test_narrower_genres_that_the_file_lacks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "genres.yaml"
    path.write_text("genres:\n  Q1: {label: comedy}\nnarrower: {Q1: [Q4]}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="Q4"):
        load_genres(path)
