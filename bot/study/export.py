"""Everything of a study in one folder: the published formats, the tables of the report, and the study's own file."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from bot.export import write_file
from bot.export.answers import StudyData, read_study_data
from bot.export.datasheet import ConsentText
from bot.export.dialogues import Lookup
from bot.export.run import Source, Wish
from bot.export.run import export as run
from bot.study.collecting import collect, records_of
from bot.study.config import StudyConfig
from bot.study.designs import as_yaml
from bot.study.report import write_report, write_tables
from bot.study.store import StudyStore
from data.formats import WRITERS

STUDY_FILE = "study.yaml"
Said = Callable[[str], None]


async def export_study(
    store: StudyStore,
    study: StudyConfig,
    lookup: Lookup,
    out: Path,
    now: datetime,
    said: Said,
    licence: str | None = None,
) -> None:
    """Writes a study without a trace of who took part; excluded participants are left out of the dialogues.

    Args:
        store: of the study.
        study: its design.
        lookup: what the catalogue knows about an id.
        out: folder; files of the same name are replaced.
        now: for the datasheet and the report.
        said: told of every part.
        licence: terms for the datasheet.

    Raises:
        UsageError, DataError: the folder cannot be written.
    """
    kept = {person.user_id for person in await store.participants() if person.excluded is None}
    written = [(user, record) for user, record in await records_of(store, study) if user in kept]
    async with store.sql.reading() as connection:
        answered = await read_study_data(connection)
    consent = _consent(study, answered)
    source = Source(written, answered, lookup)
    for name in sorted(WRITERS):
        run(Wish(name, now.date(), licence=licence, consents=(consent,)), source, out / "dialogues" / name, _quiet)
        said(f"dialogues/{name}")
    tables = await collect(store, study)
    if tables.included().participants.empty:
        write_tables(tables, out / "report" / "data")  # nobody has finished: there is nothing to analyse yet
    else:
        write_report(study, tables, out / "report", now)
    said("report")
    write_file(out / STUDY_FILE, as_yaml(study).encode("utf-8"))
    said(STUDY_FILE)


def _consent(study: StudyConfig, answered: StudyData) -> ConsentText:
    agreed = sum(count for (name, _), count in answered.consents.items() if name == study.name)
    return ConsentText(f"the study {study.name}", study.consent.version, study.consent.text, agreed)


def _quiet(_: str) -> None:
    """The single files of a format are not told."""
