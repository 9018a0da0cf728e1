"""The same build on a cluster: Spark reads the dump, chooses the items and joins the names of their values.

Needs the optional extra `spark`. The functions that look at lines are those of the build on one machine
(`data.building.passes`, `data.building.selecting`), so both make the same catalogue.
"""

import functools
import itertools
import os
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import orjson

from data.building.ancestry import Ancestry
from data.building.passes import Numbers, first_pass, number_of, second_pass
from data.building.selecting import DomainSelector, stronger
from data.building.wikidata_json import Interest
from data.catalogue.format import dump_entity, parse_entity
from data.catalogue.genres import Genres, with_one_genre_a_name
from data.domains import DomainConfig
from data.errors import BackendError, MissingFileError
from data.model import Domain, Entity, Qid
from data.sparql.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pyspark import RDD, Broadcast
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SparkBuild", "spark_session"]

_GENRE = "genre"


def spark_session(master: str, **settings: str) -> "SparkSession":
    """A Spark session on a master such as `local[4]` or `spark://host:7077`.

    Args:
        master: where to run.
        settings: more Spark settings, with `__` for dots.

    Raises:
        MissingFileError: PySpark is not installed.
        BackendError: the master does not answer.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingFileError(
            "--master needs PySpark: install it with `pip install 'converse-bot[spark]'`."
        ) from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(master).appName("converse catalog build")
    builder = builder.config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
    for name, value in settings.items():
        builder = builder.config(name.replace("__", "."), value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # Py4J raises its own kinds of exception, Java's absence among them.
        raise BackendError(
            f"Spark does not start on {master} ({error}); check the master and that Java 17 is here."
        ) from error


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the selector of a domain where it is needed: on a worker."""

    config: DomainConfig
    vocabulary: Vocabulary
    genres: Genres
    languages: tuple[str, ...]
    ancestry: "Broadcast[Ancestry]"

    def selector(self) -> DomainSelector:
        return DomainSelector(self.config, self.vocabulary, self.genres, self.languages, self.ancestry.value.tops)


class SparkBuild:
    """Builds from a dump on Spark."""

    def __init__(
        self,
        session: "SparkSession",
        dump: str,
        domains: Mapping[Domain, DomainConfig],
        vocabulary: Vocabulary,
        genres: Genres,
        languages: tuple[str, ...],
    ) -> None:
        """Makes it.

        Args:
            session: see `spark_session`.
            dump: path or address of the dump that every worker can read; `.bz2` is read in parallel, `.gz` is not.
            domains: what to build.
            vocabulary: what properties and classes mean.
            genres: which genres are one.
            languages: of names.
        """
        self._session = session
        self._dump = dump
        self._domains = domains
        self._vocabulary = vocabulary
        self._genres = genres
        self._languages = languages
        self._interest = Interest.of(domains, vocabulary, languages)
        self.lines = 0
        self.malformed = 0

    def run(self, out: Path) -> Mapping[Domain, Iterator[Entity]]:
        """Builds, and writes the catalogue (Parquet, one partition a domain) into `catalogue` in a folder.

        Args:
            out: the folder; what it holds is replaced.

        Returns:
            For each domain its items and the values that they have, read back from Parquet.
        """
        candidates = self._gather(out / "work")
        ancestry = self._session.sparkContext.broadcast(self._ancestry(out / "work"))
        makers = {
            name: _Maker(config, self._vocabulary, self._genres, self._languages, ancestry)
            for name, config in self._domains.items()
        }
        kinds = candidates.mapPartitions(lambda part: _uses(part, makers.values())).reduceByKey(stronger).cache()
        names = self._names(kinds, out / "work")
        parts = [self._catalogue(maker, candidates, names) for maker in makers.values()]
        frame = functools.reduce(lambda one, other: one.unionByName(other), parts)
        frame.write.mode("overwrite").partitionBy("domain").parquet(str(out / "catalogue"))
        return {name: self._read(out / "catalogue", name) for name in self._domains}

    def _gather(self, work: Path) -> "RDD[bytes]":
        """The first pass: possible items, and on the way the class hierarchy and the counts."""
        interest = self._interest

        def gather(part: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
            found = first_pass(part, interest)
            yield "counts", orjson.dumps((found.lines, found.malformed))
            yield "edges", found.edges.tobytes()
            yield from (("candidate", line) for line in found.candidates)

        frame = self._session.createDataFrame(self._dump_lines().mapPartitions(gather), "what string, content binary")
        frame.write.mode("overwrite").partitionBy("what").parquet(str(work / "first"))
        counts = [orjson.loads(content) for content in self._gathered(work, "counts").toLocalIterator()]
        self.lines, self.malformed = (sum(column) for column in zip(*counts, strict=True))
        return self._gathered(work, "candidate")

    def _dump_lines(self) -> "RDD[bytes]":
        return self._session.read.text(self._dump).rdd.map(lambda row: row[0].encode())

    def _gathered(self, work: Path, what: str) -> "RDD[bytes]":
        frame = self._session.read.parquet(str(work / "first")).filter(f"what = '{what}'").select("content")
        return frame.rdd.map(lambda row: bytes(row[0]))

    def _ancestry(self, work: Path) -> Ancestry:
        edges = array("q")
        for content in self._gathered(work, "edges").toLocalIterator():
            edges.frombytes(content)
        tops = {qid for config in self._domains.values() for qid in (*config.classes, *config.occupations)}
        return Ancestry(sorted({*tops, *self._vocabulary.kinds}, key=number_of), edges)

    def _names(self, kinds: "RDD[tuple[Qid, str]]", work: Path) -> "DataFrame":
        """The second pass: the wanted values as (qid, kind by use, reduced entity).

        The ids are distinct before they are joined and go to the workers as one sorted array: the dump is not shuffled,
        and a value that many items have (a country) weighs no more than any other.
        """
        interest = self._interest
        numbers = np.array(sorted(kinds.keys().map(number_of).toLocalIterator()), dtype=np.int64)
        wanted = self._session.sparkContext.broadcast(numbers)

        def named(part: Iterable[bytes]) -> Iterator[tuple[Qid, bytes]]:
            lines = iter(part)
            while chunk := list(itertools.islice(lines, 2000)):
                for value in second_pass(chunk, interest, wanted.value).values:
                    yield orjson.loads(value)["id"], value

        found = self._session.createDataFrame(self._dump_lines().mapPartitions(named), "qid string, reduced binary")
        used = self._session.createDataFrame(kinds, "qid string, kind string")
        joined = found.dropDuplicates(["qid"]).join(used, "qid")
        joined.write.mode("overwrite").parquet(str(work / "names"))
        return self._session.read.parquet(str(work / "names"))

    def _catalogue(self, maker: _Maker, candidates: "RDD[bytes]", names: "DataFrame") -> "DataFrame":
        """One domain's items and values as rows."""
        rows = names.rdd.map(lambda row: (row["qid"], (row["kind"], bytes(row["reduced"]))))
        labelled = rows.filter(lambda row: maker.selector().value(orjson.loads(row[1][1]), row[1][0]) is not None)
        numbers = np.array(sorted(labelled.keys().map(number_of).toLocalIterator()), dtype=np.int64)
        named = self._session.sparkContext.broadcast(Numbers(numbers))
        items = candidates.mapPartitions(lambda part: _items(part, maker, named.value)).reduceByKey(lambda one, _: one)
        items = items.cache()
        held = items.flatMap(lambda item: _values(item[1])).distinct().map(lambda qid: (qid, None))
        wanted = labelled.join(held).subtractByKey(items)
        values = wanted.map(lambda row: dump_entity(_value(maker, row[1][0])))
        genres = [parse_entity(line) for line in values.filter(_is_genre).toLocalIterator()]
        lines = items.values().union(values.filter(lambda line: not _is_genre(line)))
        lines = lines.union(self._session.sparkContext.parallelize(_dumped(with_one_genre_a_name(genres)), 1))
        name = maker.config.name
        return self._session.createDataFrame(lines.map(lambda line: _row(name, line)), _SCHEMA)

    def _read(self, folder: Path, domain: Domain) -> Iterator[Entity]:
        frame = self._session.read.parquet(str(folder)).filter(f"domain = '{domain}'")
        for row in (
            frame.orderBy(frame.is_item.desc(), frame.popularity.desc(), "qid").select("entity").toLocalIterator()
        ):
            yield parse_entity(bytes(row[0]))


_SCHEMA = "domain string, qid string, label string, kind string, is_item boolean, popularity double, entity binary"


def _row(domain: Domain, line: bytes) -> tuple[str, str, str, str, bool, float, bytes]:
    entity = parse_entity(line)
    return domain, entity.qid, entity.label, entity.kind, entity.is_item, float(entity.popularity), line


def _uses(part: Iterable[bytes], makers: Iterable[_Maker]) -> Iterator[tuple[Qid, str]]:
    selectors = [maker.selector() for maker in makers]
    for line in part:
        reduced = orjson.loads(line)
        for selector in selectors:
            draft = selector.draft(reduced)
            if draft is not None:
                yield from selector.values_of(draft)


def _items(part: Iterable[bytes], maker: _Maker, named: Numbers) -> Iterator[tuple[Qid, bytes]]:
    selector = maker.selector()
    for line in part:
        reduced = orjson.loads(line)
        draft = selector.draft(reduced)
        if draft is not None:
            yield reduced["id"], dump_entity(selector.item(reduced["id"], draft, named))


def _value(maker: _Maker, found: tuple[str, bytes]) -> Entity:
    kind, reduced = found
    value = maker.selector().value(orjson.loads(reduced), kind)
    assert value is not None
    return value


def _values(line: bytes) -> set[Qid]:
    return {qid for values in parse_entity(line).relations.values() for qid in values}


def _is_genre(line: bytes) -> bool:
    return parse_entity(line).kind == _GENRE


def _dumped(entities: Iterable[Entity]) -> list[bytes]:
    return [dump_entity(entity) for entity in entities]
