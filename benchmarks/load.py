"""How many turns a second the Telegram bot bears: `python -m benchmarks.load --rates 20 40 60 --json`.

Real processes of bot (webhooks), Rasa and PostgreSQL; simulated users behind the strict Bot API server of the tests,
which runs in this process. Each user thinks for a while (exponentially distributed, so that all together act at the
rate that is asked for), then writes or presses a button, and acts again only when the whole reply has arrived. The time
of a turn runs from handing over the update until the bot has sent every message of the reply and said so.

Rates are tried one after another until the 95th percentile passes a second, or the time is up. All processes share the
machine with the users, whose cost is given too. Linux only.
"""

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.figures import circumstances, show
from benchmarks.load_server import PATH, SECRET, LoadServer
from benchmarks.processes import cpu_seconds, memory_mb
from bot.channels.wording import load_channel_wordings
from data.catalogue import load_catalogue
from nlu.intents.server import managed_rasa
from tests.postgres import postgres_binaries, postgres_server
from tests.telegram_server import TOKEN, telegram_server

LINES = (
    "I like {a}",
    "i love {a}",
    "{a} was boring",
    "I really like {a}, but I don't like {b}",
    "suggest something",
    "I like it",
    "can you suggest something like {a}",
    "why?",
    "I don't like it",
    "skip",
    "{a}",
    "tell me more about it",
    "I hated {a}",
    "suggest something from the nineties",
    "show my preferences",
)
PRESSING = 0.4
"""Share of turns that press a button of the last message, when it has any."""
LONGEST_P95 = 1.0
SETTLING = 5.0


@dataclass(slots=True)
class Person:
    """A simulated user."""

    number: int
    rng: random.Random
    busy: bool = False
    said: int = 0


@dataclass(slots=True)
class Stage:
    """What was measured at one rate."""

    times: list[float] = field(default_factory=list)
    unanswered: int = 0
    apologies: int = 0
    nobody_free: int = 0


class Crowd:
    """Users who talk at a rate in all."""

    def __init__(self, server: LoadServer, titles: Sequence[str], users: int) -> None:
        self._server = server
        self._titles = titles
        self._rng = random.Random(1)
        self._people = [Person(number, random.Random(number)) for number in range(1, users + 1)]
        self._apologies = {wording.says["failed"] for wording in load_channel_wordings().values()}
        self._tasks: set[asyncio.Task[None]] = set()

    async def agree(self, at_once: int = 20) -> None:
        """Everybody starts the bot and gives consent."""
        places = asyncio.Semaphore(at_once)

        async def meet(person: Person) -> None:
            async with places:
                await self._server.say(person.number, "/start")
                await self._server.press(person.number, self._server.last[person.number], "I agree")

        await asyncio.gather(*map(meet, self._people))

    async def talk(self, rate: float, seconds: float, stage: Stage) -> None:
        """Lets users act for a while; whoever is free, in random order."""
        end = time.perf_counter() + seconds
        due = time.perf_counter()
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            person = self._rng.choice(self._people)
            for _ in range(len(self._people)):
                if not person.busy:
                    break
                person = self._people[person.number % len(self._people)]
            if person.busy:
                stage.nobody_free += 1
            else:
                person.busy = True
                task = asyncio.create_task(self._act(person, stage))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            due += self._rng.expovariate(rate)

    async def quiet(self) -> None:
        """Until every turn is answered."""
        if self._tasks:
            await asyncio.gather(*self._tasks)

    async def _act(self, person: Person, stage: Stage) -> None:
        server, number = self._server, person.number
        before, last = server.sent[number], server.last[number]
        buttons = [button for row in last.buttons for button in row]
        line = self._line(person)
        started = time.perf_counter()
        if buttons and person.rng.random() < PRESSING:
            await server.press_data(number, last, person.rng.choice(buttons)["callback_data"])
        else:
            await server.say(number, line)
        stage.times.append(time.perf_counter() - started)
        stage.unanswered += server.sent[number] == before
        stage.apologies += server.last[number].text in self._apologies
        person.busy = False

    def _line(self, person: Person) -> str:
        person.said += 1
        names = dict(zip("ab", person.rng.sample(self._titles, 2), strict=True))
        return LINES[(person.number + person.said) % len(LINES)].format(**names)


@dataclass(frozen=True, slots=True)
class Machine:
    """The processes that work: names to their ids, with the ports of the bot's workers."""

    pids: Mapping[str, int]
    ports: Sequence[int]

    def cpu(self) -> dict[str, float]:
        """CPU seconds of each so far."""
        return {name: cpu_seconds(pid, children=name == "postgres") for name, pid in self.pids.items()}

    def memory(self) -> dict[str, float]:
        """Megabytes of each."""
        return {name: memory_mb(pid) for name, pid in self.pids.items()}

    async def stages(self) -> dict[str, tuple[float, float]]:
        """Seconds and number of every stage of turns so far, of all workers."""
        found: dict[str, tuple[float, float]] = {}
        async with httpx.AsyncClient(trust_env=False) as client:
            for port in self.ports:
                text = (await client.get(f"http://127.0.0.1:{port}/metrics")).text
                for name, kind, value in _samples(text):
                    seconds, number = found.get(name, (0.0, 0.0))
                    found[name] = (seconds + value, number) if kind == "sum" else (seconds, number + value)
        return found


def _samples(text: str) -> Iterator[tuple[str, str, float]]:
    for family in text_string_to_metric_families(text):
        if family.name in {"converse_stage_seconds", "converse_turn_seconds"}:
            for sample in family.samples:
                kind = sample.name.rpartition("_")[2]
                if kind in {"sum", "count"}:
                    yield sample.labels.get("stage", "turn"), kind, sample.value


@asynccontextmanager
async def running_bot(workers: int, folder: Path) -> AsyncIterator[tuple[LoadServer, Machine]]:
    """PostgreSQL, Rasa (unless RASA_URL names one), the Bot API server and so many workers."""
    binaries = postgres_binaries()
    if binaries is None:
        raise SystemExit("no PostgreSQL here: install the distribution's package `postgresql`")
    async with AsyncExitStack() as stack:
        postgres = stack.enter_context(postgres_server(binaries))
        rasa = await stack.enter_async_context(managed_rasa(folder / "rasa", url=os.environ.get("RASA_URL")))
        ports = [_free_port() for _ in range(workers)]
        server = LoadServer(ports)
        await stack.enter_async_context(telegram_server(server))
        environment = {
            **os.environ,
            "RASA_URL": rasa,
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_BASE_URL": server.url,
            "CONVERSE_DATA_DIR": str(folder),
            "CONVERSE_DATABASE_URL": postgres.new_database().render_as_string(),
            "CONVERSE_WEBHOOK_SECRET": SECRET,
            "OMP_NUM_THREADS": "1",
        }
        pids = {"postgres": postgres.pid, "users": os.getpid(), **_rasa_pid(folder)}
        for number, port in enumerate(ports, 1):
            pids[f"bot {number}"] = await stack.enter_async_context(_worker(port, environment))
        yield server, Machine(pids, ports)


@asynccontextmanager
async def _worker(port: int, environment: Mapping[str, str]) -> AsyncIterator[int]:
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "bot.cli", "telegram", "--webhook-url", address + PATH, "--port", str(port)]
    process = await asyncio.create_subprocess_exec(*command, env=environment)
    try:
        await _ready(f"{address}/readyz")
        yield process.pid
    finally:
        process.terminate()
        await process.wait()


async def _ready(address: str) -> None:
    transport = httpx.AsyncHTTPTransport(retries=10)  # with pauses that double: four minutes at most
    async with httpx.AsyncClient(transport=transport, trust_env=False, timeout=60) as client:
        (await client.get(address)).raise_for_status()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _rasa_pid(folder: Path) -> dict[str, int]:
    """The process of the Rasa server that was started in the folder; nothing for one that ran before."""
    state = next(folder.glob("rasa/**/state.json"), None)
    return {"rasa": json.loads(state.read_text())["pid"]} if state else {}


async def measure(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Tries all rates, then holds one until so many turns are over."""
    ends = time.monotonic() + 60 * given.minutes
    _tell(plan(given))
    titles = [item.label for domain in ("movie", "book", "music") for item in load_catalogue().items(domain)[:500]]
    async with running_bot(given.workers, folder) as (server, machine):
        crowd = Crowd(server, titles, given.users)
        await crowd.agree()
        await crowd.talk(min(given.rates), SETTLING, Stage())
        curve = []
        for rate in given.rates:
            if time.monotonic() + SETTLING + given.seconds > ends:
                break
            curve.append(await _at_rate(crowd, machine, rate, given.seconds))
            _tell(curve[-1])
            if curve[-1]["p95_ms"] > 1000 * LONGEST_P95:
                break
        soak = await _soak(crowd, machine, given, ends) if given.soak else []
        steady = [point["turns_per_second"] for point in curve if point["p95_ms"] <= 1000 * LONGEST_P95]
        return {
            "users": given.users,
            "workers": given.workers,
            "highest_steady_rate": max(steady, default=None),
            "curve": curve,
            "memory": soak,
            "refused_by_telegram": len(server.refused),
            **circumstances(),
        }


async def _at_rate(crowd: Crowd, machine: Machine, rate: float, seconds: float) -> dict[str, Any]:
    """Settles, then measures for a while."""
    await crowd.talk(rate, SETTLING, Stage())
    stage, started = Stage(), time.perf_counter()
    cpu, stages = machine.cpu(), await machine.stages()
    await crowd.talk(rate, seconds, stage)
    elapsed, done = time.perf_counter() - started, len(stage.times)
    used = {name: seconds - cpu[name] for name, seconds in machine.cpu().items()}
    after = await machine.stages()
    await crowd.quiet()
    times = sorted(1000 * taken for taken in stage.times)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {
        "rate": rate,
        "turns_per_second": round(done / elapsed, 1),
        "turns": done,
        "median_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "p99_ms": round(cuts[98], 1),
        "unanswered": stage.unanswered,
        "apologies": stage.apologies,
        "nobody_free": stage.nobody_free,
        "cpu_ms_per_turn": {name: round(1000 * seconds / done, 1) for name, seconds in used.items()},
        "cores_busy": {name: round(seconds / elapsed, 2) for name, seconds in used.items()},
        "stages_mean_ms": {name: _mean(stages.get(name, (0.0, 0.0)), found) for name, found in after.items()},
        "memory_mb": machine.memory(),
    }


def _mean(before: tuple[float, float], after: tuple[float, float]) -> float | None:
    number = after[1] - before[1]
    return round(1000 * (after[0] - before[0]) / number, 1) if number else None


async def _soak(crowd: Crowd, machine: Machine, given: argparse.Namespace, ends: float) -> list[dict[str, Any]]:
    """Memory after every tenth of so many turns, or of as many as there is time for."""
    points, stage = [], Stage()
    seconds = min(given.soak / given.soak_rate, max(0.0, ends - time.monotonic())) / 10
    for _ in range(10 if seconds else 0):
        before = len(stage.times)
        await crowd.talk(given.soak_rate, seconds, stage)
        times = sorted(stage.times[before:])
        p95 = round(1000 * times[int(0.95 * len(times))], 1)
        points.append({"turns": len(stage.times), "p95_ms": p95, "memory_mb": machine.memory()})
        _tell(points[-1])
    await crowd.quiet()
    return points


def plan(given: argparse.Namespace) -> dict[str, Any]:
    """What will be done, and how long it takes at most."""
    curve = len(given.rates) * (SETTLING + given.seconds)
    soak = given.soak / given.soak_rate
    return {
        "workers": given.workers,
        "users": given.users,
        "rates": given.rates,
        "curve_minutes": round(curve / 60, 1),
        "soak_minutes": round(soak / 60, 1),
        "ends_after_minutes": given.minutes,
        "soak_turns_at_most": round(min(soak, max(0.0, 60 * given.minutes - curve)) * given.soak_rate),
    }


def _tell(point: Mapping[str, Any]) -> None:
    sys.stderr.write(json.dumps(point) + "\n")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", type=float, nargs="+", default=[20, 40, 60, 80, 100], help="turns a second")
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1, help="processes of the bot")
    parser.add_argument("--seconds", type=float, default=30, help="how long each rate is held")
    parser.add_argument("--soak", type=int, default=0, help="afterwards, watch memory over so many turns")
    parser.add_argument("--soak-rate", type=float, default=40, help="turns a second meanwhile")
    parser.add_argument("--minutes", type=float, default=14, help="when no more is begun, starting up included")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(given, Path(folder)))
    show(found, as_json=given.json)


if __name__ == "__main__":
    main()
