"""The build on Spark makes what the build on one machine makes."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from data.building.dump import DumpBuild, DumpOptions
from data.catalogue.genres import load_genres
from data.domains import load_domains
from data.model import Entity
from data.sparql.reader import LANGUAGES
from data.sparql.vocabulary import load_vocabulary
from tests.endpoint.wikidata_json import everything

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def session() -> Iterator["SparkSession"]:
    pytest.importorskip("pyspark", reason="the extra `spark` is not installed")
    from data.building.spark import spark_session

    os.environ["PYTHONPATH"] = str(Path(__file__).parents[3])
    made = spark_session(
        "local[2]",
        spark__sql__shuffle__partitions="2",
        spark__default__parallelism="2",
        spark__driver__extraJavaOptions="-XX:TieredStopAtLevel=1",
        spark__ui__showConsoleProgress="false",
    )
    yield made
    made.stop()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_both_builds_make_the_same_catalogue(session: "SparkSession", sample: Sequence[Entity], tmp_path: Path) -> None:
    from data.building.spark import SparkBuild

    dump = tmp_path / "dump.json"
    lines = [orjson.dumps(entity) for entity in everything(sample)]
    dump.write_bytes(b"[\n" + b",\n".join([*lines, lines[-1]]) + b"\n{broken\n]\n")
    parts = (load_domains(), load_vocabulary(), load_genres())
    alone = DumpBuild(dump, *parts, tmp_path / "work", DumpOptions(workers=1))
    expected = {name: {entity.qid: entity for entity in entities} for name, entities in alone.run().items()}
    built = SparkBuild(session, str(dump), *parts, LANGUAGES)
    found = {name: list(entities) for name, entities in built.run(tmp_path / "spark").items()}
    for name, entities in found.items():
        assert len(entities) == len(expected[name]) > 0
        assert {entity.qid: entity for entity in entities} == expected[name]
        fame = [entity.popularity for entity in entities if entity.is_item]
        assert fame == sorted(fame, reverse=True)
    assert (built.lines, built.malformed) == (alone.lines, alone.malformed)
    partitions = {path.name for path in (tmp_path / "spark" / "catalogue").iterdir() if path.is_dir()}
    assert partitions == {"domain=movie", "domain=book", "domain=music"}
