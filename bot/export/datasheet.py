"""The datasheet of an export: how the conversations came about, what is in the files and on what terms they are given.

Its sections follow Gebru et al., "Datasheets for Datasets" (2021).
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.export import Written, write_file
from bot.records import Record

DATASHEET = "DATASHEET.md"
_TEMPLATE = "datasheet.md"


@dataclass(frozen=True, slots=True)
class ConsentText:
    """What people agreed to.

    Attributes:
        name: where it was shown: the name of a study, or "chat".
        version: the study's, or the beginning of the text's SHA-256.
        people: how many agreed to it; None when that is not recorded for it.
    """

    name: str
    version: str
    text: str
    people: int | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the datasheet tells beyond the records.

    Attributes:
        licence: as the operator chose it; None when none was chosen.
        parts: part of the export ("" for the whole) to its users.
        redactions: kind of what was taken out of messages to how often.
        lost: field that the format lacks to the number of values left out.
    """

    format: str
    made: date
    licence: str | None
    consents: Sequence[ConsentText]
    parts: Mapping[str, frozenset[int]]
    seed: int | None = None
    redactions: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)


def chat_consent(text: str) -> ConsentText:
    """The consent that people give before the bot stores anything."""
    return ConsentText("chat", hashlib.sha256(text.encode()).hexdigest()[:12], text)


def write_datasheet(out: Path, sheet: Sheet, written: Written) -> None:
    """Writes `DATASHEET.md`. Raises UsageError when it cannot be written."""
    environment = Environment(
        loader=PackageLoader("bot.export", "."),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown, of our own words and the operator's
        trim_blocks=True,
        lstrip_blocks=True,
    )
    told = [(user, record) for user, record in written if record.exported]
    text = environment.get_template(_TEMPLATE).render(
        sheet=sheet,
        version=version("converse-bot"),
        users=len({user for user, _ in told}),
        messages=len(told),
        left_out=Counter(record.intent for _, record in written if not record.exported),
        domains=_by_domain(told),
        parts=_by_part(sheet.parts, told),
        modes=Counter(record.interaction_type for _, record in told),
        conditions=Counter(record.condition for _, record in told if record.condition),
        days=_days(record.received_at for _, record in told),
        backends=sorted({f"{part}: {name}" for _, record in told for part, name in record.backends}),
    )
    write_file(out / DATASHEET, text.encode())


def _by_domain(told: Sequence[tuple[int, Record]]) -> Mapping[str, tuple[int, int]]:
    """Domain to users and messages."""
    users: dict[str, set[int]] = defaultdict(set)
    messages: Counter[str] = Counter()
    for user, record in told:
        users[record.domain].add(user)
        messages[record.domain] += 1
    return {domain: (len(users[domain]), messages[domain]) for domain in sorted(users)}


def _by_part(parts: Mapping[str, frozenset[int]], told: Sequence[tuple[int, Record]]) -> Mapping[str, tuple[int, int]]:
    return {name: (len(users), sum(user in users for user, _ in told)) for name, users in parts.items() if name}


def _days(moments: Iterable[datetime]) -> tuple[date, date] | None:
    days = sorted(moment.date() for moment in moments)
    return (days[0], days[-1]) if days else None
