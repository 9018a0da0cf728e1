import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from bot.cli import build_app
from bot.errors import UsageError
from data.catalogue import load_catalogue, write_entities
from data.model import Entity

INCEPTION, GODFATHER, COMEDY = "Q25188", "Q47703", "Q157443"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(build_app(), ["recommend", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_json_has_the_documented_form() -> None:
    document = json.loads(run("--domain", "movie", "--like", INCEPTION, "--like", GODFATHER, "-n", "3", "--json"))
    assert {"domain", "items", "fallback", "elapsed_ms"} <= set(document)
    assert (document["domain"], document["fallback"], len(document["items"])) == ("movie", None, 3)
    for item in document["items"]:
        assert {"qid", "label", "year", "score", "because"} <= set(item)
        for reason in item["because"]:
            assert {"property", "value", "liked"} <= set(reason)
            assert {known["qid"] for known in reason["liked"]} <= {INCEPTION, GODFATHER}
    assert any(item["because"] for item in document["items"])


def test_a_filter_holds_for_every_item() -> None:
    """A black comedy is a comedy."""
    document = json.loads(run("--like", INCEPTION, "--filter", COMEDY, "--json"))
    catalogue = load_catalogue()
    genres = {COMEDY, *catalogue.holders(COMEDY, "P279")}
    comedies = {catalogue.canonical(qid) for genre in genres for qid in catalogue.holders(genre, "P136")}
    assert document["unmet"] == []
    assert {item["qid"] for item in document["items"]} <= comedies


def test_without_a_profile_it_says_that_it_falls_back() -> None:
    assert json.loads(run("--domain", "book", "--json"))["fallback"] == "popularity"
    assert "best known" in run("--domain", "book")


def test_the_plain_text_says_why() -> None:
    text = run("--like", GODFATHER, "-n", "1")
    assert text.startswith("1. ")
    assert "The Godfather" in text


def test_the_plot_is_the_same_svg_each_time(tmp_path: Path) -> None:
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    for path in (one, other):
        run("--like", GODFATHER, "-n", "1", "--plot", str(path), "--json")
    assert one.read_bytes() == other.read_bytes()
    assert "The Godfather" in "".join(ElementTree.parse(one).getroot().itertext())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--like", "tt0111161"], "Q47703"),
        (["--domain", "opera"], "movie, book, music"),
        (["--variant", "magic"], "item-knn"),
        (["--filter", "comedy"], "'comedy' is no Wikidata item id"),
        (["--plot", "why.doc"], r"\.svg"),
        (["--plot", "no/such/folder/why.svg"], "no folder"),
    ],
)
def test_a_wrong_argument_is_explained(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CliRunner().invoke(build_app(), ["recommend", *arguments], catch_exceptions=False)


def test_a_plot_that_cannot_be_written_names_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "why.svg").mkdir()
    with pytest.raises(UsageError, match="name another file"):
        run("--like", GODFATHER, "-n", "1", "--plot", str(tmp_path / "why.svg"))


def test_the_plot_may_be_a_png(tmp_path: Path) -> None:
    run("--like", GODFATHER, "-n", "1", "--plot", str(tmp_path / "why.png"))
    assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")


def test_items_imported_into_the_data_folder_are_recommended(tmp_path: Path) -> None:
    (tmp_path / "catalogue").mkdir()
    film = Entity("Q900000001", "Own Film", "film", "movie", 2020, 0.1, relations={"P57": ("Q900000002",)})
    twin = Entity("Q900000003", "Its Twin", "film", "movie", 2021, 0.1, relations={"P57": ("Q900000002",)})
    director = Entity("Q900000002", "Own Director", "person")
    write_entities(tmp_path / "catalogue" / "own.jsonl", [director, film, twin])
    document = json.loads(run("--like", "Q900000001", "-n", "1", "--data-dir", str(tmp_path), "--json"))
    assert document["items"][0]["qid"] == "Q900000003"
