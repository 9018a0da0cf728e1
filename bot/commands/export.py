"""`converse export`: conversations out, in any of the published formats."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.options import DatabaseUrl, DataDir, OutFolder, settings_of

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.export.answers import StudyData
    from bot.export.datasheet import ConsentText
    from bot.export.run import Source
    from bot.study.config import StudyConfig

HELP = r"""Write all conversations to a folder, in the format of a published dataset.

Formats: converse, redial, recommind, crsarena, reddit-movie and dialoguekit. Users become consecutive numbers that
cannot be traced back; e-mail addresses, links, @handles and phone numbers in messages are replaced by \[email],
\[link], \[handle] and \[phone]. What the format has no place for is counted in left_out.json; DATASHEET.md tells how
the data came about, SHA256SUMS has the checksums.

Example:

    converse export --format converse --splits 80/10/10 --licence "CC BY 4.0" --out my-dataset
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(export)


def export(
    ctx: typer.Context,
    out: OutFolder,
    format_name: Annotated[str, typer.Option("--format", help="Name of a dataset's format.")] = "converse",
    splits: Annotated[
        str | None, typer.Option(metavar="A/B/C", help="Percent of the users for training, validation and test.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw of the splits.")] = 1,
    licence: Annotated[str | None, typer.Option(help="Terms for the datasheet, such as 'CC BY 4.0'.")] = None,
    study: Annotated[
        list[Path] | None,
        typer.Option(help="File of a study not made in the browser, for its consent text; may be repeated."),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Reads the records and writes them."""
    from bot.clock import utc_now
    from bot.errors import UsageError
    from bot.export.checksums import remove_earlier
    from bot.export.run import Wish
    from bot.export.run import export as run
    from bot.export.splitting import Splits
    from bot.study.config import load_study
    from data.formats import WRITERS

    if format_name not in WRITERS:
        raise UsageError(f"unknown format {format_name!r}; known are {', '.join(sorted(WRITERS))}")
    parts = Splits.parsed(splits, seed) if splits else None
    settings = settings_of(ctx, data_dir=data_dir, database_url=database_url)
    files = [load_study(path) for path in study or ()]
    source, made = asyncio.run(_read(settings))
    consents = _consents([*made, *files], source.studies)
    if not source.written:
        remove_earlier(out)  # everybody in it was erased since
        typer.echo("there are no conversations yet", err=True)
        return
    taken = run(Wish(format_name, utc_now().date(), parts, licence, consents), source, out, typer.echo)
    if taken:
        counts = ", ".join(f"{kind} {count}" for kind, count in sorted(taken.items()))
        typer.echo(f"taken out of messages: {counts}", err=True)


async def _read(settings: "Settings") -> "tuple[Source, list[StudyConfig]]":
    """Messages, answers, the catalogue with what was learned; and the studies that were made in the browser."""
    from bot.clock import utc_now
    from bot.export.answers import read_study_data
    from bot.export.run import Source
    from bot.parts import grown_catalogue
    from bot.storage.reading import all_records
    from bot.storage.store import open_store
    from bot.study.designs import DesignStore

    async with open_store(settings.database, utc_now) as store:
        async with store.reading() as connection:
            written = [found async for found in all_records(connection)]
            studies = await read_study_data(connection)
        catalogue = await grown_catalogue(settings, store)
        return Source(written, studies, catalogue.get), await DesignStore(store).all()


def _consents(made: "Sequence[StudyConfig]", studies: "StudyData") -> "list[ConsentText]":
    """The chat's own consent text, and each version that participants of studies agreed to; later files win."""
    from bot.channels.wording import FALLBACK, load_channel_wordings
    from bot.export.datasheet import ConsentText, chat_consent

    known = {(study.name, study.consent.version): study.consent.text for study in made}
    asked = {**dict.fromkeys(known, 0), **studies.consents}
    return [
        chat_consent(load_channel_wordings()[FALLBACK].says["consent"]),
        *(
            ConsentText(f"the study {name}", version, known.get((name, version), ""), people)
            for (name, version), people in sorted(asked.items())
        ),
    ]
