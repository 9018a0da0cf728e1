"""Memory, load time and answer time of the alias index over many made-up entities.

Example: `python -m benchmarks.linking --entities 1000000 --json`
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from data.catalogue import Catalogue
from data.domains import load_domains
from data.model import Entity, Qid
from nlu.entities.index import AliasIndex
from nlu.entities.linker import CatalogueLinker
from nlu.entities.storage import load_index, save_index
from nlu.entities.words import load_words
from nlu.model import Context

_KINDS = (("film", "movie"), ("book", "book"), ("album", "music"), ("song", "music"), ("person", None))
_CONSONANTS = [*"bcdfghklmnprstvz", "br", "st", "tr", "sh", "ch"]
_SYLLABLES = [consonant + vowel for consonant in _CONSONANTS for vowel in "aeiou"]
_VOCABULARY = 60_000
_REPETITIONS = 3
_FRAMES = (
    "I like {}",
    "I love {} a lot",
    "have you seen {}?",
    "{}",
    "I hate {} but I like {}",
    "mi piace {}",
    "something like {}",
)


class _MadeUp(Catalogue):
    """Entities that are computed when asked for, so that the figures are those of the index."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count
        draw = random.Random(7)
        self.words = ["".join(draw.choices(_SYLLABLES, k=draw.choice((2, 2, 3, 3, 4)))) for _ in range(_VOCABULARY)]

    def get(self, qid: Qid) -> Entity | None:
        number = int(qid[1:])
        return self.made(number) if 0 < number <= self.count else super().get(qid)

    def made(self, number: int) -> Entity:
        draw = random.Random(number)
        kind, domain = _KINDS[number % len(_KINDS)]
        length = 2 if kind == "person" else draw.choice((1, 2, 2, 3, 3, 4, 5))
        # a few words are frequent, most are rare, as in real titles
        names = [self.words[int(_VOCABULARY * draw.random() ** 3)] for _ in range(length)]
        title = " ".join(names).title()
        aliases = (f"The {title}",) if number % 3 == 0 and kind != "person" else ()
        return Entity(
            qid=f"Q{number}",
            label=title,
            kind=kind,
            domain=domain,
            year=1950 + number % 75,
            popularity=draw.random(),
            aliases=aliases,
        )

    def entities(self) -> Iterator[Entity]:
        return (self.made(number) for number in range(1, self.count + 1))


def _messages(catalogue: _MadeUp, count: int) -> list[str]:
    """Sentences with one or two names; every second name has a typing error."""
    draw = random.Random(11)
    made: list[str] = []
    for number in range(count):
        names = [catalogue.made(draw.randint(1, catalogue.count)).label for _ in range(2)]
        if number % 2:
            names = [_misspelt(name, draw) for name in names]
        made.append(draw.choice(_FRAMES).format(*names))
    return made


def _misspelt(name: str, draw: random.Random) -> str:
    place = draw.randrange(1, len(name))
    return name[:place] + draw.choice(string.ascii_lowercase) + name[place + draw.randint(0, 1) :]


def _resident_mb() -> float:
    """Resident memory of this process now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def prepare(count: int, path: Path) -> float:
    """Builds and saves the index; seconds."""
    start = time.perf_counter()
    save_index(AliasIndex.build(_MadeUp(count).entities(), load_words()), path)
    return time.perf_counter() - start


def measure(count: int, path: Path, messages: int) -> dict[str, Any]:
    """Loads the prepared index and links messages with it."""
    catalogue, words, domains = _MadeUp(count), load_words(), load_domains()
    before = _resident_mb()
    start = time.perf_counter()
    index = load_index(path)
    loaded = time.perf_counter() - start
    linker = CatalogueLinker(catalogue, domains, index=index, words=words)
    texts = _messages(catalogue, messages)
    elapsed: list[float] = []
    found = 0
    with asyncio.Runner() as runner:
        for text in texts:
            # of some repetitions the fastest counts, since other programs may run beside
            repeated: list[float] = []
            for _ in range(_REPETITIONS):
                start = time.perf_counter()
                linking = runner.run(linker.link(text, Context()))
                repeated.append(1000 * (time.perf_counter() - start))
            elapsed.append(min(repeated))
            found += bool(linking.mentions)
    new = Entity("Q999999999", "Zyzzyva Quillfeather", "film", "movie", 2026, 0.5)
    start = time.perf_counter()
    linker.learn(new)
    learned = 1000 * (time.perf_counter() - start)
    at_once = asyncio.run(linker.link("I like Zyzzyva Quilfeather", Context())).mentions
    return {
        "entities": count,
        "keys": len(index),
        "file_mb": round(path.stat().st_size / 1e6, 1),
        "load_s": round(loaded, 3),
        "messages": len(texts),
        "recognised_share": round(found / len(texts), 3),
        "ms_median": round(statistics.median(elapsed), 3),
        "ms_p95": round(statistics.quantiles(elapsed, n=20)[-1], 3),
        "index_mb": round(_resident_mb() - before, 1),
        "process_mb": round(_resident_mb(), 1),
        "learn_ms": round(learned, 3),
        "learned_found_at_once": bool(at_once and at_once[0].accepted == new.qid),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Prepares in one process and measures in a fresh one, so that building does not count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--prepared", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.prepared is not None:
        print(json.dumps(measure(given.entities, given.prepared, given.messages)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "aliases.index"
        built = prepare(given.entities, path)
        command = [sys.executable, "-m", "benchmarks.linking", "--prepared", str(path)]
        command += ["--entities", str(given.entities), "--messages", str(given.messages)]
        figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    figures["build_s"] = round(built, 1)
    if given.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
