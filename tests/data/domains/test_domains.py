import re
from pathlib import Path

import pytest

from data.domains import DomainConfig, PropertyConfig, find_domain, load_domain, load_domains
from data.errors import ConfigError, MissingFileError, UsageError

PAGE = Path(__file__).parents[3] / "docs" / "catalogue.md"

GAME = """
name: game
labels: {en: games}
nouns: {en: [game, video game]}
kinds: [game]
classes: {Q7889: game}
properties:
  P178: {labels: {en: developer}, weight: 0.9}
"""


def test_the_three_domains_ship_in_order() -> None:
    domains = load_domains()
    assert list(domains) == ["movie", "book", "music"]
    assert domains["movie"].properties["P57"].label() == "director"
    assert domains["movie"].properties["P57"].role
    assert not domains["movie"].properties["P136"].role
    assert "novel" in domains["book"].nouns["en"]


def test_every_shipped_property_is_named_and_told_in_english_and_italian() -> None:
    for config in load_domains().values():
        for known in config.properties.values():
            assert {"en", "it"} <= set(known.labels)
            assert {"en", "it"} <= set(known.clauses)


def test_a_new_domain_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_text(GAME, encoding="utf-8")
    config = load_domains(tmp_path)["game"]
    assert config.label("it") == "games"
    assert config.properties["P178"].filterable


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("labels:", "label:"), "label"),
        (("weight: 0.9", "weight: 9"), "properties.P178.weight"),
        (("weight: 0.9", "weight: 0.9, boost: 2"), "boost"),
        (("P178", "developer"), "developer"),
        (("{Q7889", "{game"), "classes"),
        (("game}", "toy}"), "toy"),
        (("{en: developer}", "{it: sviluppatore}"), "no English name"),
        (("weight: 0.9", "clauses: {en: made by them}, weight: 0.9"), "clauses.en"),
        (("[game, video game]", "[game"), "no valid YAML"),
    ],
)
def test_a_mistake_in_a_domain_file_is_named(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    path = tmp_path / "game.yaml"
    path.write_text(GAME.replace(*change, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_domain(path)
    assert problem in str(caught.value)
    assert str(path) in str(caught.value)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no domain file .*game\.yaml"):
        load_domain(tmp_path / "game.yaml")
    with pytest.raises(MissingFileError, match="holds no domain file"):
        load_domains(tmp_path)


def test_two_files_cannot_define_one_domain(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GAME, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(GAME, encoding="utf-8")
    with pytest.raises(ConfigError, match="defined twice"):
        load_domains(tmp_path)


def test_a_domain_that_does_not_exist_is_refused_with_those_that_do() -> None:
    domains = load_domains()
    assert find_domain("book", domains) is domains["book"]
    with pytest.raises(UsageError, match="no domain 'games'; choose one of movie, book, music"):
        find_domain("games", domains)


def test_every_key_is_documented_and_no_other() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("| key of a domain |")[2].partition("Unknown keys are refused")[0]
    named = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    told = {key for cell in named for key in re.findall(r"`(\w+)`", cell)}
    assert told == DomainConfig.model_fields.keys() | PropertyConfig.model_fields.keys()
