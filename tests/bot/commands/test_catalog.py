import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli import build_app
from bot.errors import DataError, UsageError
from data.catalogue import write_entities
from data.model import Entity


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    film = Entity("Q5", "A [b]Film[/b]", "film", domain="movie", year=1999, relations={"P57": ("Q7",)})
    write_entities(path, [film, Entity("Q7", "Ann Director", "person", aliases=("Annie",))])
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(build_app(), ["catalog", *map(str, arguments)])


def test_info_counts_the_catalogue(own: Path) -> None:
    result = run("info", "--catalogue", own, "--json")
    assert json.loads(result.stdout) == {
        "entities": 2,
        "items": {"movie": 1},
        "kinds": {"film": 1, "person": 1},
        "properties": {"movie": {"P57": {"items": 1, "values": 1}}},
    }
    shown = run("info", "--catalogue", own).stdout
    assert "1 in movie" in shown
    assert "P57 director" in shown


def test_search_tells_what_is_known(own: Path) -> None:
    found = json.loads(run("search", "film", "--catalogue", own, "--json").stdout)
    assert [(row["qid"], row["year"]) for row in found] == [("Q5", 1999)]
    assert found[0]["relations"] == {"P57": [{"qid": "Q7", "label": "Ann Director"}]}
    shown = run("search", "film", "--catalogue", own).stdout
    assert "A [b]Film[/b] (film, 1999)" in shown
    assert "director: Ann Director" in shown
    assert "stands in 1 other" in run("search", "annie", "--catalogue", own).stdout


def test_search_finds_nothing_in_another_domain(own: Path) -> None:
    assert json.loads(run("search", "film", "--domain", "book", "--catalogue", own, "--json").stdout) == []
    result = run("search", "zzz", "--catalogue", own)
    assert result.exit_code == 0
    assert "Nothing in the catalogue is called 'zzz'" in result.stderr


def test_what_a_user_built_is_used_with_the_shipped_catalogue(own: Path, tmp_path: Path) -> None:
    (tmp_path / "catalogue").mkdir()
    own.rename(tmp_path / "catalogue" / "movie.jsonl")
    result = CliRunner().invoke(
        build_app(), ["catalog", "search", "Ann Director", "--json", "--data-dir", str(tmp_path)]
    )
    assert [row["qid"] for row in json.loads(result.stdout)] == ["Q7"]


def test_errors_are_one_clear_line(own: Path) -> None:
    unknown = run("search", "x", "--domain", "tv", "--catalogue", own)
    assert isinstance(unknown.exception, UsageError)
    assert "choose one of movie, book, music" in str(unknown.exception)
    own.write_bytes(own.read_bytes() + b"{\n")
    broken = run("info", "--catalogue", own)
    assert isinstance(broken.exception, DataError)
    assert "line 4" in str(broken.exception)
