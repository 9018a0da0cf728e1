"""Time and memory of building from a Wikidata dump: `python -m benchmarks.dump --gb 1 2 4 --json`.

A dump of each size is generated (in a temporary folder, removed afterwards) with the mixture and the line lengths of
the real one: mostly papers, people, places and other things that are no concern of ours, some films, books and pieces
of music, and a class hierarchy. The build runs in a process of its own.
"""

import argparse
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

GIGABYTE = 1024**3
SHARES = {
    "paper": 36.0,
    "person": 11.0,
    "thing": 47.0,
    "class": 3.0,
    "film": 0.3,
    "book": 0.5,
    "song": 0.8,
    "album": 0.3,
}
"""Percent of the entities; the rest are things too."""
STATEMENTS = {"paper": 34, "person": 16, "thing": 9, "class": 4, "film": 24, "book": 10, "song": 9, "album": 9}
"""Further statements, each with a reference, that only take space."""
LANGUAGES = {"paper": 3, "person": 24, "thing": 9, "class": 12, "film": 22, "book": 10, "song": 6, "album": 8}
CLASSES = {
    "paper": "Q13442814",
    "person": "Q5",
    "film": "Q11424",
    "book": "Q7725634",
    "song": "Q7366",
    "album": "Q482994",
}
PEOPLE, GENRES = 1_000_000, 40_000_000
"""Where the numbers of people and of genres begin."""


def item(pid: str, number: int) -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"}
    snak = {"snaktype": "value", "property": pid, "datavalue": {"value": value, "type": "wikibase-entityid"}}
    return {"mainsnak": snak, "type": "statement", "id": f"Q1$0a1b2c3d-{number:012}", "rank": "normal"}


def padding(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Statements with a reference each, of the length that they have."""
    reference = {
        "hash": f"{rng.getrandbits(160):040x}",
        "snaks": {"P248": [item("P248", rng.randrange(10**7))["mainsnak"]]},
    }
    return [{**item("P2860", rng.randrange(10**8)), "references": [reference]} for _ in range(count)]


def claims(kind: str, rng: random.Random, people: int) -> dict[str, list[dict[str, Any]]]:
    def some(pid: str, most: int, first: int, count: int) -> list[dict[str, Any]]:
        # A few values are in very many items, most are in few, as it really is.
        return [item(pid, first + int(count * rng.random() ** 3)) for _ in range(rng.randint(1, most))]

    person, genre = (PEOPLE, max(people, 1)), (GENRES, 400)
    found: dict[str, list[dict[str, Any]]] = {}
    if kind in CLASSES:
        found["P31"] = [item("P31", int(CLASSES[kind][1:]))]
    if kind == "class":
        found["P279"] = [item("P279", rng.choice((11424, 7366, 35120, 5, 2424752)))]
    if kind == "paper":
        found |= {"P50": some("P50", 4, *person), "P921": some("P921", 2, 35_000_000, 100_000)}
    if kind == "film":
        found |= {"P57": some("P57", 2, *person), "P161": some("P161", 14, *person), "P58": some("P58", 3, *person)}
        found |= {"P136": some("P136", 4, *genre), "P495": [item("P495", 30)], "P364": [item("P364", 1860)]}
    if kind == "book":
        found |= {"P50": some("P50", 1, *person), "P136": some("P136", 2, *genre)}
    if kind in ("song", "album"):
        found |= {"P175": some("P175", 2, *person), "P136": some("P136", 2, *genre)}
    return found


def entities(size: int, seed: int) -> Iterator[bytes]:
    """Lines of a dump of about that many bytes."""
    rng = random.Random(seed)
    kinds, weights = list(SHARES), list(SHARES.values())
    blocks = {kind: [padding(rng, count) for _ in range(50)] for kind, count in STATEMENTS.items()}
    number, people, written = 0, 0, 0
    for first, last in ((GENRES, GENRES + 400), (30, 31), (1860, 1861)):
        for known in range(first, last):
            yield entity(known, "genre" if known >= GENRES else "thing", rng, [], 0)
    while written < size:
        kind = rng.choices(kinds, weights)[0]
        number += 1
        if kind == "person":
            people += 1
        qid = PEOPLE + people if kind == "person" else 50_000_000 + number
        line = entity(qid, kind, rng, rng.choice(blocks[kind]), people)
        written += len(line) + 2
        yield line


def entity(number: int, kind: str, rng: random.Random, filler: Sequence[Mapping[str, Any]], people: int) -> bytes:
    codes = ["en", *(f"x{place}" for place in range(LANGUAGES.get(kind, 10)))]
    name = f"{kind} {rng.getrandbits(60):x} {number}"
    sites = int(LANGUAGES.get(kind, 30) * rng.random() ** 3 * 4)
    return orjson.dumps(
        {
            "type": "item",
            "id": f"Q{number}",
            "labels": {code: {"language": code, "value": name} for code in codes},
            "descriptions": {code: {"language": code, "value": f"a {kind} as it is described"} for code in codes},
            "aliases": {"en": [{"language": "en", "value": f"the {name}"}]},
            "claims": {**claims(kind, rng, people), "P2860": list(filler)},
            "sitelinks": {f"w{n}wiki": {"site": f"w{n}wiki", "title": name, "badges": []} for n in range(sites)},
        }
    )


def build(dump: Path, folder: Path, workers: int, results: "multiprocessing.Queue[dict[str, Any]]") -> None:
    from data.building.dump import DumpBuild, DumpOptions
    from data.catalogue import write_entities
    from data.catalogue.genres import load_genres
    from data.domains import load_domains
    from data.sparql.vocabulary import load_vocabulary

    started = time.perf_counter()
    options = DumpOptions(workers=workers)
    built = DumpBuild(dump, load_domains(), load_vocabulary(), load_genres(), folder / "work", options)
    counts = {}
    for name, found in built.run().items():
        write_entities(folder / f"{name}.jsonl.gz", found)
        counts[name] = (folder / f"{name}.jsonl.gz").stat().st_size
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    results.put(
        {
            "lines": built.lines,
            "malformed": built.malformed,
            "seconds": round(time.perf_counter() - started, 1),
            "cpu_seconds": round(own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime, 1),
            "peak_mb": round(own.ru_maxrss / 1024),
            "peak_mb_of_a_worker": round(children.ru_maxrss / 1024) if workers > 1 else 0,
            "catalogue_bytes": counts,
        }
    )


def measure(size: float, workers: int, seed: int) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump.json"
        with dump.open("wb") as stream:
            stream.write(b"[\n")
            for line in entities(int(size * GIGABYTE), seed):
                stream.write(line + b",\n")
            stream.write(b"]\n")
        results: multiprocessing.Queue[dict[str, Any]] = context.Queue()
        process = context.Process(target=build, args=(dump, Path(folder), workers, results))
        process.start()
        found = results.get()
        process.join()
        return {"gb": size, "bytes": dump.stat().st_size, "workers": workers, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gb", type=float, nargs="+", default=[1.0, 2.0, 4.0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(size, options.workers, options.seed) for size in options.gb]
    if options.json:
        sys.stdout.write(json.dumps(rows) + "\n")
        return
    for row in rows:
        sys.stdout.write(", ".join(f"{name} {value}" for name, value in row.items()) + "\n")


if __name__ == "__main__":
    main()
