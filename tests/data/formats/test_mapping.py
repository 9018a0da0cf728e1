import json
from pathlib import Path

import pytest

from data.errors import DataError, MissingFileError
from data.formats.mapping import EntityMapper, MappingReport
from data.formats.model import Dialogue, Mention, Utterance
from data.formats.problems import ignore
from data.formats.titles import titles_of
from data.model import Entity
from tests.data.formats import small

HEAT = Entity("Q42198", "Heat", "film", "movie", 1995, ids={"imdb": "tt0113277"})
OTHER_HEAT = Entity("Q1", "Heat", "film", "movie", 1986)
THING = Entity("Q2", "The Thing", "film", "movie", 1982, aliases=("Amélie & Co.",), labels={"it": "La cosa"})
BOOK = Entity("Q3", "Only a Book", "book", "book", 1990)
MAPPER = EntityMapper([HEAT, OTHER_HEAT, THING, BOOK])


@pytest.mark.parametrize(
    ("entity", "name", "qid", "reason"),
    [
        ("tt0113277", None, "Q42198", ""),
        ("tt0113277", "Something Else (2001)", "Q42198", ""),
        ("7", "Heat (1995)", "Q42198", ""),
        ("7", "HEAT  (1986)", "Q1", ""),
        ("7", "Heat (1996)", "Q42198", ""),
        ("7", "Heat", None, "several items have this title"),
        ("7", "Heat (2010)", None, "not in the catalogue"),
        ("7", "Thing, The (1982)", "Q2", ""),
        ("7", "thing", "Q2", ""),
        ("7", "Amelie and co", "Q2", ""),
        ("7", "La cosa (1982)", "Q2", ""),
        ("7", "Only a Book (1990)", None, "not in the catalogue"),
        ("tt9999999", None, None, "no name, and the id is not in the catalogue"),
    ],
)
def test_a_title_is_found_by_its_id_else_by_name_and_year(
    entity: str, name: str | None, qid: str | None, reason: str
) -> None:
    assert MAPPER.find(entity, name) == (qid, reason)


def test_many_at_once_with_reasons() -> None:
    found = MAPPER.map({"1": "Heat (1995)", "2": "Heat", "3": "Solaris (1972)", "4": "Solaris (2002)"})
    assert (found.mapped, found.found) == (1, {"1": "Q42198"})
    assert found.reasons == {"not in the catalogue": 2, "several items have this title": 1}


def test_mentions_that_no_table_names_are_mapped_and_reported_too() -> None:
    said = Utterance("1", "seeker", "x", mentions=(Mention(entity="tt0113277"), Mention(entity="tt7777777")))
    report = MappingReport()
    linked = MAPPER.link(Dialogue("1", (said,)), report)
    assert [mention.qid for mention in linked.utterances[0].mentions] == ["Q42198", None]
    assert report.unmapped == {"tt7777777": "no name, and the id is not in the catalogue"}


def test_titles_of_datasets_and_tables(tmp_path: Path) -> None:
    assert titles_of(small.redial(tmp_path), ignore)["7"] == "Alien (1979)"
    reddit = tmp_path / "reddit"
    reddit.mkdir()
    small.reddit_movie(reddit)
    assert titles_of(reddit, ignore) == {"tt3501632": "Thor: Ragnarok (2017)"}
    assert titles_of(reddit / "id2name.json", ignore) == {"tt3501632": "Thor: Ragnarok (2017)"}


def test_tables_of_test_sets_name_their_items_in_their_own_way(tmp_path: Path) -> None:
    table = {
        "<http://dbpedia.org/resource/Hoffa_(film)>": 0,
        "<http://dbpedia.org/resource/Matthew_Perry>": 1,
        "<http://dbpedia.org/resource/It_%28miniseries%29>": 2,
        "<http://dbpedia.org/resource/Water_(1985_film)>": 3,
        "Friends with Benefits (2011)": 4,
    }
    (tmp_path / "entity2id.json").write_text(json.dumps(table), encoding="utf-8")
    assert len(titles_of(tmp_path, ignore)) == 5
    (tmp_path / "item_ids.json").write_text("[0, 2, 3, 4]", encoding="utf-8")
    assert titles_of(tmp_path, ignore) == {
        "0": "Hoffa",
        "2": "It",
        "3": "Water (1985)",
        "4": "Friends with Benefits (2011)",
    }


def test_what_has_no_titles_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        titles_of(tmp_path / "nowhere", ignore)
    with pytest.raises(DataError):
        titles_of(tmp_path, ignore)
    (tmp_path / "entity2id.json").write_text("[]", encoding="utf-8")
    with pytest.raises(DataError, match="expected an object"):
        titles_of(tmp_path, ignore)


def test_published_tables_have_titles(published: Path) -> None:
    inspired = titles_of(published / "llm-zero-shot" / "inspired", ignore)
    assert len(inspired) > 1000
    assert not any("dbpedia" in title or "_" in title for title in inspired.values())
    assert len(titles_of(published / "llm-zero-shot" / "reddit", ignore)) > 5000
