"""A whole export: files in one of the formats, parts by user, the datasheet and the checksums."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from bot.errors import UsageError
from bot.export import Written, write_file
from bot.export.answers import StudyData
from bot.export.checksums import remove_earlier, write_checksums
from bot.export.converse import LEFT_OUT, to_rows, write_rows
from bot.export.datasheet import ConsentText, Sheet, write_datasheet
from bot.export.dialogues import Conversations, Lookup, to_dialogues, write_dialogues
from bot.export.redaction import redacted
from bot.export.splitting import Splits
from bot.records import Record
from data.formats import WRITERS

CONVERSE = "converse"
Said = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wish:
    """What kind of export is wanted.

    Attributes:
        format: name of a format.
        splits: parts by user; None for one part.
        licence: the operator's choice for the datasheet.
        consents: texts that people agreed to.
        made: the day of the export.
    """

    format: str
    made: date
    splits: Splits | None = None
    licence: str | None = None
    consents: Sequence[ConsentText] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """What is exported.

    Attributes:
        written: the database's ids of users, and records, in the order of arrival.
        studies: what participants answered.
        lookup: what the catalogue knows about an id.
    """

    written: Written
    studies: StudyData
    lookup: Lookup


def export(wish: Wish, source: Source, out: Path, said: Said) -> Counter[str]:
    """Writes everything; files of an earlier export in the folder are removed first.

    Args:
        wish: what is wanted.
        source: where it comes from.
        out: folder.
        said: told of every file or folder with conversations.

    Returns:
        How much of each kind was taken out of messages.

    Raises:
        UsageError: the folder cannot be written.
    """
    written, taken = _clean(source.written)
    users = [user for user, record in written if record.exported]
    parts = wish.splits.assign(users) if wish.splits else {"": frozenset(users)}
    try:
        remove_earlier(out)
    except OSError as error:
        raise UsageError(f"cannot replace the files in {out} ({error.strerror}): choose another --out") from error
    before = _files(out)
    source = replace(source, written=written)
    lost = _write_rows(source, parts, out, said) if wish.format == CONVERSE else _write(wish, source, parts, out, said)
    sheet = Sheet(
        wish.format,
        wish.made,
        wish.licence,
        wish.consents,
        parts,
        wish.splits.seed if wish.splits else None,
        taken,
        lost,
    )
    write_datasheet(out, sheet, written)
    write_checksums(out, dict(_files(out).items() - before.items()))
    return taken


def _clean(records: Written) -> tuple[list[tuple[int, Record]], Counter[str]]:
    """The records without what may tell who wrote them, and how much was taken out."""
    taken: Counter[str] = Counter()
    made = []
    for user, record in records:
        clean, found = redacted(record)
        taken += found
        made.append((user, clean))
    return made, taken


def _files(out: Path) -> dict[Path, int]:
    """Every file of a folder with the moment of its last change."""
    return {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} if out.is_dir() else {}


def _write_rows(source: Source, parts: Mapping[str, frozenset[int]], out: Path, said: Said) -> Counter[str]:
    """ConveRSE files; a message of somebody who is in no part (nothing but commands) is counted with the first."""
    first, lost = next(iter(parts)), Counter[str]()
    everybody = {user for users in parts.values() for user in users}
    for part, users in parts.items():
        mine = [
            (user, record)
            for user, record in source.written
            if user in users or (part == first and user not in everybody)
        ]
        made = to_rows(mine)
        write_rows(made, out / part)
        lost["recommendations"] += made.recommendations.total()
        for name in sorted({*made.rows, *made.left_out}):
            rows, left = made.rows.get(name, []), sum(made.left_out.get(name, {}).values())
            people = len({row["userID"] for row in rows})
            said(f"{Path(part, name).as_posix()}: {len(rows)} messages of {people} users, {left} left out")
    return +lost


def _write(wish: Wish, source: Source, parts: Mapping[str, frozenset[int]], out: Path, said: Said) -> Counter[str]:
    found: Conversations = to_dialogues(source.written, source.lookup, source.studies)
    lost: Counter[str] = Counter()
    for part, users in parts.items():
        mine = found.of(users)
        lost += write_dialogues(mine, WRITERS[wish.format], out / part)
        for domain, dialogues in mine.items():
            said(f"{Path(part, domain).as_posix()}: {len(dialogues)} conversations")
    account = {
        "messages": {domain: dict(sorted(counts.items())) for domain, counts in sorted(found.left_out.items())},
        "fields": dict(sorted(lost.items())),
    }
    write_file(out / LEFT_OUT, json.dumps(account, indent=2).encode("ascii") + b"\n")
    return lost
