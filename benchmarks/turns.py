"""Whole turns, everything real: Rasa, linker, Stanza, recommender, database. `python -m benchmarks.turns --json`.

Simulated users talk one after another about what the starter catalogue holds; each has titles of its own, so that no
cache answers for the parts that are measured. Starting up and a first conversation in each domain are not counted.
"""

import argparse
import asyncio
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.figures import circumstances, show
from bot.app import Bot, running_bot
from bot.channels.base import Turn, UserKey
from bot.clock import utc_now
from bot.config import load_settings
from bot.progress import shown_progress
from bot.records import Record

SCRIPT = (
    "/{command}",
    "I like {a}",
    "i really love {b}, but I don't like {c}",
    "{d} was boring",
    "can you suggest something like {a}",
    "why this one?",
    "tell me more about it",
    "I like it",
    "no, I don't like this at all",
    "skip",
    "I like it, but not the genre",
    "suggest something from the nineties",
    "what do you know about me",
    "thanks a lot, {e} was great too",
)
COMMANDS = {"movie": "movies", "book": "books", "music": "music"}


def lines(bot: Bot, domain: str, number: int) -> Iterator[str]:
    """What one user writes; the titles differ from user to user."""
    items = bot.catalogue.items(domain)
    names = [items[(7 * number + 31 * place) % len(items)].label for place in range(5)]
    fields = dict(zip("abcde", names, strict=True))
    for line in SCRIPT:
        yield line.format(command=COMMANDS.get(domain, domain), **fields)


async def converse(bot: Bot, domain: str, number: int) -> list[tuple[float, Record]]:
    """One user's conversation: milliseconds and record of each turn."""
    user = UserKey("benchmark", f"{domain}-{number}")
    measured = []
    for place, line in enumerate(lines(bot, domain, number)):
        turn = Turn(user, str(place), "text", line, utc_now())
        started = perf_counter()
        result = await bot.manager.handle(turn)
        taken = 1000 * (perf_counter() - started)
        await bot.store.mark_sent(turn)
        if result.record is not None:
            measured.append((taken, result.record))
    return measured


async def measure(users: int, folder: Path, database_url: str | None) -> dict[str, Any]:
    """Runs all conversations and sums up."""
    started = perf_counter()
    settings = load_settings(data_dir=folder, database_url=database_url, seed=1)
    async with AsyncExitStack() as stack:
        with shown_progress() as progress:
            bot = await stack.enter_async_context(running_bot(settings, progress))
        start_seconds = perf_counter() - started
        for domain in bot.domains:
            await converse(bot, domain, 10_000)
        turns = []
        cpu = process_time()
        for number in range(users):
            for domain in bot.domains:
                turns += await converse(bot, domain, number)
        cpu = process_time() - cpu
    return {**summary(turns, start_seconds, users), "cpu_ms_per_turn": round(1000 * cpu / len(turns), 1)}


def summary(turns: Sequence[tuple[float, Record]], start_seconds: float, users: int) -> dict[str, Any]:
    """The figures; times in milliseconds."""
    times = [taken for taken, _ in turns]
    stages: dict[str, list[float]] = defaultdict(list)
    for _, record in turns:
        for stage, taken in record.stages_ms:
            stages[stage].append(taken)
    recommending = [taken for taken, record in turns if "recommendation" in record.events and record.recommended]
    return {
        "turns": len(turns),
        "users": users,
        "median_ms": percentile(times, 50),
        "p95_ms": percentile(times, 95),
        "max_ms": round(max(times), 1),
        "recommendation_median_ms": percentile(recommending, 50),
        "recommendation_p95_ms": percentile(recommending, 95),
        "stages_median_ms": {stage: percentile(taken, 50) for stage, taken in stages.items()},
        "start_seconds": round(start_seconds, 1),
        **circumstances(),
    }


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The value below which so many percent lie; None for none."""
    if len(values) < 2:
        return round(values[0], 1) if values else None
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 1)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10, help="users in each domain")
    parser.add_argument("--database-url", help="another database than SQLite in a temporary folder")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(given.users, Path(folder), given.database_url))
    show(found, as_json=given.json)


if __name__ == "__main__":
    main()
