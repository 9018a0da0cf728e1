"""The word lists of the languages."""

from pathlib import Path

import pytest
import yaml

from data.errors import DataError
from nlu.entities.words import load_words

SHIPPED = Path(__file__).parents[3] / "nlu" / "entities" / "words"


def test_words_that_yaml_takes_for_truth_values_stay_words(words):
    assert ("no",) in words.small_talk
    assert "no" in words.negations


def test_kinds_are_named_in_the_users_language_and_else_in_english(words):
    assert (words.kind_name("band", "it"), words.kind_name("band", "xx")) == ("gruppo", "band")
    assert words.kind_name("kind of its own", "it") == "kind of its own"


@pytest.mark.parametrize("change", [{"unheard_of": ["x"]}, {"articles": None}, {"numbers": {"two": "many"}}])
def test_wrong_file_is_named(tmp_path: Path, change):
    lists = yaml.load((SHIPPED / "en.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)
    (tmp_path / "en.yaml").write_text(yaml.safe_dump(lists | change), "utf-8")

    with pytest.raises(DataError, match=r"en\.yaml"):
        load_words(tmp_path)


def test_new_language_is_one_more_file(tmp_path: Path):
    for path in SHIPPED.glob("*.yaml"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), "utf-8")
    lists = yaml.load((SHIPPED / "it.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)
    (tmp_path / "de.yaml").write_text(yaml.safe_dump(lists | {"opinion": ["mag"]}), "utf-8")

    assert "mag" in load_words(tmp_path).opinion
