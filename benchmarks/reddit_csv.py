"""Reading, checking and counting a Reddit-Movie CSV, against `csv` alone and against `csv` with `ast.literal_eval`.

    python -m benchmarks.reddit_csv --rows 419233 --megabytes 500 --json

Each way runs in a process of its own on the same generated file (fixed seed); times are CPU seconds, ratios are within
the run, memory is the process's peak.
"""

import argparse
import ast
import csv
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data.formats.problems import Problem
from data.formats.reddit_movie import FIELDS, RedditMovieFormat, count_records

LITERALS = ("processed", "raw", "context_processed", "context_raw", "context_turn_ids")
WORDS = (
    "the a film movie that's i like “really” good it was about with and but not's",
    'one ever "best" horror seen',
)


def generate(path: Path, rows: int, megabytes: int) -> None:
    """Conversations of two to four turns whose cells have the shapes, quotes and lengths of the published ones."""
    chance = random.Random(7)
    vocabulary = " ".join(WORDS).split()
    words = max(4, int(megabytes * 1e6 / rows / 24))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        written = conversation = 0
        while written < rows:
            before: list[tuple[str, list[str], list[str]]] = []
            for order in range(min(chance.randint(2, 4), rows - written)):
                text = " ".join(chance.choices(vocabulary, k=words)) + "\n"
                item = f"tt{chance.randint(1, 31_396):07d}"
                role = "USER" if order == 0 else "SYSTEM"
                processed, raw = [role, f"{text} {item}"], [role, f"{text} Some Title"]
                turn = f"t1_{written:x}"
                writer.writerow(
                    [
                        f"t3_{conversation:x}_0/{chance.randint(1, 20)}",
                        turn,
                        order,
                        f"t2_{chance.randint(1, 12_508):x}",
                        order == 0,
                        1641234238 + written,
                        "" if order == 0 else chance.randint(1, 300),
                        processed,
                        raw,
                        [part for _, part, _ in before],
                        [part for _, _, part in before],
                        [name for name, _, _ in before],
                    ]
                )
                before.append((turn, processed, raw))
                written += 1
            conversation += 1


def read_only(path: Path) -> int:
    """`csv.reader` alone."""
    with path.open(newline="", encoding="utf-8") as file:
        return sum(1 for _ in csv.reader(file)) - 1


def read_literally(path: Path) -> int:
    """`csv.reader` with `ast.literal_eval` on the five literal columns."""
    count = 0
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        header = next(reader)
        places = [header.index(name) for name in LITERALS]
        for row in reader:
            for place in places:
                ast.literal_eval(row[place])
            count += 1
    return count


def ours(path: Path) -> int:
    """Read, check and count in one pass."""
    problems: list[Problem] = []
    made = RedditMovieFormat()
    rows = made.check(path, "dialogues", problems.append)
    counts = count_records(rows)
    if problems:
        raise SystemExit(f"{len(problems)} problems in a clean file: {problems[0]}")
    return counts.turns


WAYS = {"csv": read_only, "csv_literal_eval": read_literally, "ours": ours}


def measure(way: str, path: Path) -> dict[str, float]:
    """One way in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.reddit_csv", "--way", way, "--file", str(path)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Parses the arguments and prints one table or one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=419_233)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.way:
        started = time.process_time()
        rows = WAYS[arguments.way](arguments.file)
        seconds = time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"rows": rows, "cpu_s": round(seconds, 2), "peak_mb": round(peak, 1)}))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.csv"
        generate(path, arguments.rows, arguments.megabytes)
        found: dict[str, object] = {"rows": arguments.rows, "megabytes": round(path.stat().st_size / 1e6, 1)}
        parts = {way: measure(way, path) for way in WAYS}
    found |= {"ways": parts}
    found["ratio_to_csv"] = round(parts["ours"]["cpu_s"] / parts["csv"]["cpu_s"], 2)
    found["ratio_to_literal_eval"] = round(parts["ours"]["cpu_s"] / parts["csv_literal_eval"]["cpu_s"], 2)
    print(json.dumps(found, indent=None if arguments.json else 2))


if __name__ == "__main__":
    main()
