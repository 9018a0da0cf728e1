"""The Reddit-Movie dataset: CSV with Python-literal cells, one row a turn, and `id2name.json`.

Source of the format: He et al., "Large Language Models as Zero-Shot Conversational Recommenders" (2023), and the card
of `reddit_movie_small_v1`. Known quirks that are no faults: `raw` holds text though the card types it as a number, the
number after the slash of `conv_id` is one more than the paths, booleans and null are words, `upvotes` is empty for the
first post.
"""

import csv
import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from data.formats import literals
from data.formats.base import numbered
from data.formats.csvtext import read_csv
from data.formats.encoding import head_of
from data.formats.jsontext import JsonStyle, read_document
from data.formats.model import Dialogue, EntityLabel, Mention, Participant, Role, Utterance, moment
from data.formats.problems import Checker, Problem, Report, ignore

Record = dict[str, Any]

FIELDS = (
    "conv_id", "turn_id", "turn_order", "user_id", "is_seeker", "utc_time", "upvotes", "processed", "raw",
    "context_processed", "context_raw", "context_turn_ids",
)  # fmt: skip
NAMES_FILE = "id2name.json"

_SHAPES = (
    ("processed", literals.PAIR),
    ("raw", literals.PAIR),
    ("context_processed", literals.PAIRS),
    ("context_raw", literals.PAIRS),
    ("context_turn_ids", literals.STRINGS),
)
_TRUE, _FALSE = frozenset({"True", "true", "1"}), frozenset({"False", "false", "0"})
_NULL = frozenset({"", "null", "None", "nan", "NaN"})
_INTEGER = re.compile(r"-?\d+(\.0)?")
_CONVERSATION = re.compile(r"\w+/\d+")
_ITEM = re.compile(r"tt\d{7,}")
"""IMDb ids have seven digits or more. Without a word boundary before them the search is six times as fast."""


class RedditMovieFormat:
    """Reader, checker, writer and statistics of Reddit-Movie files."""

    name = "reddit-movie"
    suffix = ".csv"
    one_file_each = False
    held = frozenset(
        {
            "domain.movie",
            "seeker.text",
            "seeker.id",
            "recommender.text",
            "recommender.id",
            "utterance.id",
            "utterance.at",
            "utterance.user_id",
            "utterance.upvotes",
            "mention.entity",
            "mention.text",
        }
    )

    def kind(self, path: Path) -> str | None:
        """By the header of the CSV, or the name of the names file."""
        if path.name == NAMES_FILE:
            return "names"
        if path.suffix != ".csv":
            return None
        header = head_of(path, 4096).partition("\n")[0]
        return "dialogues" if "conv_id" in header and "context_turn_ids" in header else None

    def read(self, path: Path, kind: str, report: Report) -> Iterator[Record]:
        """The rows of one file (streaming), or the one table of names."""
        if kind == "names":
            names = read_document(path, report)
            if isinstance(names, dict):
                yield names
            elif names is not None:
                Checker(path, "", report).problem("", "expected an object", lost=True)
            return
        for number, row in enumerate(_rows(path, report), 1):
            if len(row) == len(FIELDS):
                yield dict(zip(FIELDS, row, strict=True))
            elif row:
                Checker(path, str(number), report).problem("", f"{len(row)} columns, expected {len(FIELDS)}", lost=True)

    def check(self, path: Path, kind: str, report: Report) -> Iterator[Record]:
        """Types of the columns, shapes of the literal cells, (conv_id, turn_id) unique."""
        if kind == "names":
            yield from _check_names(path, self.read(path, kind, report), report)
            return
        turns: set[int] = set()
        for number, row in numbered(lambda told: self.read(path, kind, told), report):
            for field, message in _faults(row):
                report(Problem(path.name, f"{number} ({row['conv_id'][:40]})", field, message))
            key = hash((row["conv_id"], row["turn_id"]))
            if key in turns:
                report(Problem(path.name, f"{number} ({row['conv_id'][:40]})", "turn_id", "occurs twice in it"))
            turns.add(key)
            yield row

    def copy(self, source: Path, kind: str, target: Path, report: Report) -> int:
        """Rows are written as they were read; the names file is copied."""
        if kind == "names":
            target.write_bytes(source.read_bytes())
            return 1
        return _write(target, self.read(source, kind, report))

    def dialogues(self, path: Path, report: Report) -> Iterator[Dialogue]:
        """One dialogue a `conv_id`; rows of one conversation stand together."""
        names = _names_beside(path, report)
        rows = (row for row in self.read(path, "dialogues", report) if _is_usable(row, path, report))
        for conversation, part in itertools.groupby(rows, key=lambda row: str(row["conv_id"])):
            turns = sorted(part, key=lambda row: int(float(row["turn_order"])))
            yield _dialogue(conversation, turns, names)

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        """One row a turn with the turns before as its context; the names of the items go to the names file beside."""
        count = 0
        names: dict[str, str] = {}

        def rows() -> Iterator[Record]:
            nonlocal count
            for dialogue in dialogues:
                count += 1
                names.update((one.entity, one.name) for one in dialogue.entities if one.name and _is_item(one.entity))
                yield from _turns(dialogue)

        _write(target, rows())
        if names:
            names = {**_names_beside(target, ignore), **names}
            target.with_name(NAMES_FILE).write_bytes(JsonStyle().dump(names))
        return count

    def statistics(self, files: Mapping[Path, str], report: Report) -> dict[str, Any]:
        """The card's counts for each file and in all: conversations, turns, users, items."""
        whole = Counts()
        parts: dict[str, Any] = {}
        for path, kind in sorted(files.items()):
            if kind == "names":
                parts[path.name] = {"names": sum(len(names) for names in self.read(path, kind, report))}
                continue
            counts = count_records(self.read(path, kind, report))
            parts[path.name] = counts.figures()
            whole.add(counts)
        return whole.figures() | {"files": parts}


def _rows(path: Path, report: Report) -> Iterator[list[str]]:
    """The rows below the header, in the order of FIELDS."""
    rows = read_csv(path, report)
    header = next(rows, [])
    missing = [name for name in FIELDS if name not in header]
    if missing:
        report(Problem(path.name, "", ", ".join(missing), "missing column", lost=True))
    elif tuple(header) == FIELDS:
        yield from rows
    else:
        order = [header.index(name) for name in FIELDS]
        for row in rows:
            yield [row[place] for place in order] if len(row) == len(header) else row


def _faults(row: Record) -> Iterator[tuple[str, str]]:
    for field, shape in _SHAPES:
        if not shape.fullmatch(row[field]) and not literals.fits(row[field], shape):
            yield field, f"no Python list of the expected shape: {row[field][:60]!r}"
    if not _CONVERSATION.fullmatch(row["conv_id"]):
        yield "conv_id", f"{row['conv_id'][:40]!r} is not like t3_abc_0/14"
    for field in ("turn_id", "user_id"):
        if row[field] in _NULL:
            yield field, "empty"
    for field in ("turn_order", "utc_time"):
        if not _INTEGER.fullmatch(row[field]):
            yield field, f"expected an integer, found {row[field][:40]!r}"
    if row["upvotes"] not in _NULL and not _INTEGER.fullmatch(row["upvotes"]):
        yield "upvotes", f"expected an integer or nothing, found {row['upvotes'][:40]!r}"
    if row["is_seeker"] not in _TRUE and row["is_seeker"] not in _FALSE:
        yield "is_seeker", f"expected true or false, found {row['is_seeker'][:40]!r}"


def _is_usable(row: Record, path: Path, report: Report) -> bool:
    """Whether a row can become an utterance; says why not."""
    fault = next(_faults(row), None)
    if fault:
        report(Problem(path.name, f"{row['conv_id'][:40]} {row['turn_id'][:20]}", *fault, lost=True))
    return fault is None


def _check_names(path: Path, records: Iterable[Record], report: Report) -> Iterator[Record]:
    for names in records:
        for item, name in names.items():
            checker = Checker(path, item, report)
            if not _ITEM.fullmatch(item):
                checker.problem("", "no IMDb id")
            checker.is_type("", name, str)
        yield names


@dataclasses.dataclass(slots=True)
class Counts:
    """What a file holds: distinct conversations, users and items, and the number of turns."""

    conversations: set[str] = dataclasses.field(default_factory=set)
    users: set[str] = dataclasses.field(default_factory=set)
    items: set[str] = dataclasses.field(default_factory=set)
    turns: int = 0

    def add(self, other: "Counts") -> None:
        """Takes in another file's."""
        self.conversations |= other.conversations
        self.users |= other.users
        self.items |= other.items
        self.turns += other.turns

    def figures(self) -> dict[str, int]:
        """As the card prints them."""
        sizes = {name: len(getattr(self, name)) for name in ("conversations", "users", "items")}
        return sizes | {"turns": self.turns}


def count_records(rows: Iterable[Record]) -> Counts:
    """Counts rows while they stream by."""
    counts = Counts()
    for row in rows:
        counts.turns += 1
        counts.conversations.add(row["conv_id"])
        counts.users.add(row["user_id"])
        counts.items.update(_ITEM.findall(row["processed"]))
    return counts


def _names_beside(path: Path, report: Report) -> Mapping[str, str]:
    beside = path.with_name(NAMES_FILE)
    names = read_document(beside, report) if beside.is_file() else None
    return names if isinstance(names, dict) else {}


def _dialogue(conversation: str, rows: list[Record], names: Mapping[str, str]) -> Dialogue:
    utterances = tuple(_utterance(row) for row in rows)
    items = dict.fromkeys(mention.entity for u in utterances for mention in u.mentions if mention.entity)
    users: dict[Role, str] = {}
    for row, utterance in zip(rows, utterances, strict=True):
        users.setdefault(utterance.role, row["user_id"])
    return Dialogue(
        id=conversation,
        domain="movie",
        participants=tuple(Participant(user, role) for role, user in users.items()),
        utterances=utterances,
        entities=tuple(EntityLabel(item, names[item]) for item in items if item in names),
    )


def _utterance(row: Record) -> Utterance:
    raw, processed = _text(row["raw"]), _text(row["processed"])
    upvotes = row["upvotes"]
    return Utterance(
        id=row["turn_id"],
        role="seeker" if row["is_seeker"] in _TRUE else "recommender",
        text=raw,
        at=moment(int(float(row["utc_time"])) * 1000),
        mentions=_mentions(raw, processed),
        details={"user_id": row["user_id"], "upvotes": None if upvotes in _NULL else int(float(upvotes))},
    )


def _text(cell: str) -> str:
    pair = literals.parse(cell) or ["", ""]
    return str(pair[1])


def _mentions(raw: str, processed: str) -> tuple[Mention, ...]:
    """The linked movies; their words are what stands in the raw text where the processed one has an id."""
    items = _ITEM.findall(processed)
    pattern = "(.+?)".join(re.escape(part) for part in _ITEM.split(processed))
    found = re.fullmatch(pattern, raw, re.DOTALL) if 0 < len(items) <= 20 else None
    words = found.groups() if found else ("",) * len(items)
    return tuple(Mention(text=text, entity=item) for text, item in zip(words, items, strict=True))


def _turns(dialogue: Dialogue) -> Iterator[Record]:
    conversation = dialogue.id if _CONVERSATION.fullmatch(dialogue.id) else re.sub(r"\W", "_", dialogue.id) + "_0/1"
    before: list[tuple[str, list[str], list[str]]] = []
    for order, utterance in enumerate(dialogue.utterances):
        role = "USER" if utterance.role == "seeker" else "SYSTEM"
        party = dialogue.participant(utterance.role)
        raw, processed = [role, utterance.text], [role, _processed(utterance)]
        upvotes = utterance.details.get("upvotes")
        yield {
            "conv_id": conversation,
            "turn_id": utterance.id or str(order),
            "turn_order": order,
            "user_id": utterance.details.get("user_id") or (party.id if party else utterance.role),
            "is_seeker": utterance.role == "seeker",
            "utc_time": (utterance.at or 0) // 1000,
            "upvotes": "" if upvotes is None else upvotes,
            "processed": repr(processed),
            "raw": repr(raw),
            "context_processed": repr([part for _, part, _ in before]),
            "context_raw": repr([part for _, _, part in before]),
            "context_turn_ids": repr([turn for turn, _, _ in before]),
        }
        before.append((utterance.id or str(order), processed, raw))


def _is_item(entity: str) -> bool:
    return _ITEM.fullmatch(entity) is not None


def _processed(utterance: Utterance) -> str:
    text = utterance.text
    for mention in utterance.mentions:
        if mention.text and mention.entity and _is_item(mention.entity):
            text = text.replace(mention.text, mention.entity, 1)
    return text


def _write(target: Path, rows: Iterable[Record]) -> int:
    count = 0
    with target.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            count += 1
    return count
