"""`converse catalog build|import`: making catalogues."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import Json, emit, group
from bot.options import DataDir, named_folder, settings_of

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.tally import Tally
    from data.building.publish import Published
    from data.domains import DomainConfig
    from data.model import Domain
    from data.sparql.patient import PatientEndpoint

__all__ = ["register"]

Domains = Annotated[
    Path | None,
    typer.Option("--domains", help="Folder of domain files instead of those that ship.", show_default=False),
]
Out = Annotated[
    Path | None,
    typer.Option(
        parser=named_folder,
        metavar="<path>",
        help="Folder for the catalogue; default: `catalogue` in the data folder.",
        show_default=False,
    ),
]
Built = Annotated[
    str | None,
    typer.Option("--domain", help="What to build; with a dump: all domains by default.", show_default=False),
]
Address = Annotated[
    str | None,
    typer.Option("--endpoint", metavar="URL", help="SPARQL endpoint; default: Wikidata's.", show_default=False),
]
Contact = Annotated[
    str | None,
    typer.Option(
        help="Your e-mail or address, which Wikidata asks for; or CONVERSE_WIKIDATA_CONTACT.", show_default=False
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many items.", show_default=False)]
Since = Annotated[
    str | None, typer.Option(metavar="DATE", help="Only what changed on that day or later.", show_default=False)
]
Rate = Annotated[float, typer.Option(min=0.01, help="Queries a second; more than 1 only for your own endpoint.")]
Dump = Annotated[
    Path | None, typer.Option("--from-dump", help="A Wikidata JSON dump (.json, .gz, .bz2).", show_default=False)
]
Master = Annotated[
    str | None, typer.Option(help="With --from-dump: a Spark master, e.g. local[4].", show_default=False)
]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes for a dump.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Adds `converse catalog build` and `converse catalog import`."""
    catalog = group(app, "catalog", "The item catalogue: look into it, build it from Wikidata, import files.")
    catalog.command("build", epilog="Example: converse catalog build --domain movie --limit 5000")(build)
    catalog.command("import", epilog="Example: converse catalog import films.csv --domain movie --mapping films.yaml")(
        import_file
    )


def build(
    ctx: typer.Context,
    domain: Built = None,
    endpoint: Address = None,
    contact: Contact = None,
    limit: Limit = None,
    since: Since = None,
    rate: Rate = 1.0,
    from_dump: Dump = None,
    master: Master = None,
    workers: Workers = None,
    out: Out = None,
    domains: Domains = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Builds the catalogue of a domain from a SPARQL endpoint, or of all domains from a dump."""
    from bot.errors import UsageError

    settings = settings_of(ctx, data_dir=data_dir, wikidata_contact=contact, wikidata_endpoint=endpoint)
    folder = out or settings.data_dir / "catalogue"
    if master is not None and from_dump is None:
        raise UsageError("--master is for dumps: add --from-dump PATH.")
    if from_dump is not None:
        chosen = _chosen(domain, domains) if domain else _all(domains)
        published, counts = _from_dump(from_dump, chosen, folder, master, workers)
        _compile_graph(settings, out, _all(domains))
    else:
        if domain is None:
            raise UsageError("Say what to build with --domain, for instance --domain movie.")
        config = _chosen(domain, domains)[domain]
        asked = _endpoint(settings, rate)
        published, counts = [_from_endpoint(config, asked, folder, limit, _day(since))], {}
    _report(published, counts, as_json)


def import_file(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="Wikidata JSON lines, N-Triples, Turtle, CSV or TSV.")],
    domain: Annotated[str, typer.Option(help="The domain that the items belong to.")],
    mapping: Annotated[
        Path | None, typer.Option(help="For tables: a YAML file that says what the columns are.", show_default=False)
    ] = None,
    out: Out = None,
    domains: Domains = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Adds a file to the catalogue."""
    from bot.errors import DataError
    from data.building.importing import Importer
    from data.building.publish import publish
    from data.building.tables import load_mapping
    from data.catalogue import load_catalogue
    from data.catalogue.genres import load_genres
    from data.sparql.reader import LANGUAGES
    from data.sparql.vocabulary import load_vocabulary

    settings = settings_of(ctx, data_dir=data_dir)
    config = _chosen(domain, domains)[domain]
    folder = out or settings.data_dir / "catalogue"
    catalogue = load_catalogue(settings.catalogue, own=folder)
    importer = Importer(config, load_vocabulary(), load_genres(), LANGUAGES, catalogue.get)
    imported = importer.read(file, load_mapping(mapping) if mapping else None)
    if not imported.entities:
        raise DataError(f"{file} holds no item of the domain {domain} with a name; nothing was imported.")
    path = folder / f"{domain}-{file.name.split('.')[0]}.jsonl.gz"
    published = publish(path, imported.entities, {"domain": domain, "source": file.name})
    _report([published], {"skipped": imported.skipped}, as_json)


def _all(domains: Path | None) -> "Mapping[Domain, DomainConfig]":
    from data.domains import load_domains

    return load_domains(domains)


def _chosen(domain: str, domains: Path | None) -> "Mapping[Domain, DomainConfig]":
    from data.domains import find_domain

    return {domain: find_domain(domain, _all(domains))}


def _day(since: str | None) -> str | None:
    from datetime import date

    from bot.errors import UsageError

    try:
        return None if since is None else date.fromisoformat(since).isoformat()
    except ValueError as error:
        raise UsageError(f"{since!r} is no date; write it as 2026-01-31.") from error


def _endpoint(settings: "Settings", rate: float) -> "PatientEndpoint":
    from bot.errors import UsageError
    from data.sparql.endpoint import Endpoint, user_agent
    from data.sparql.patient import PatientEndpoint

    if not settings.wikidata_contact:
        raise UsageError("Wikidata asks who is asking: give your e-mail with --contact or CONVERSE_WIKIDATA_CONTACT.")
    agent = user_agent(settings.wikidata_contact)
    return PatientEndpoint(Endpoint(settings.wikidata_endpoint, agent), per_second=rate)


def _from_endpoint(
    config: "DomainConfig", endpoint: "PatientEndpoint", folder: Path, limit: int | None, since: str | None
) -> "Published":
    from bot.tally import shown_tally
    from data.building.harvest import Harvest, HarvestOptions
    from data.building.publish import publish
    from data.catalogue.genres import load_genres
    from data.sparql.vocabulary import load_vocabulary

    options = HarvestOptions(limit=limit, since=since)
    about = {"domain": config.name, "source": endpoint.url, "since": since, "limit": limit}
    with shown_tally() as tally:
        work = folder / f".{config.name}"
        harvest = Harvest(endpoint, config, load_vocabulary(), load_genres(), work, options, tally.count)
        published = publish(folder / f"{config.name}.jsonl.gz", harvest.run(), about, update=since is not None)
    harvest.clear()
    return published


def _from_dump(
    dump: Path, domains: "Mapping[Domain, DomainConfig]", folder: Path, master: str | None, workers: int | None
) -> "tuple[list[Published], Mapping[str, int]]":
    from bot.tally import shown_tally

    with shown_tally() as tally:
        if master is None:
            published, counts = _streamed(dump, domains, folder, workers, tally)
        else:
            published, counts = _on_spark(dump, domains, folder, master)
    return published, counts


def _streamed(
    dump: Path, domains: "Mapping[Domain, DomainConfig]", folder: Path, workers: int | None, tally: "Tally"
) -> "tuple[list[Published], Mapping[str, int]]":
    from data.building.dump import DumpBuild, DumpOptions
    from data.catalogue.genres import load_genres
    from data.sparql.vocabulary import load_vocabulary

    options = DumpOptions(workers=workers, progress=lambda what, lines: tally.count(what, lines, 0))
    built = DumpBuild(dump, domains, load_vocabulary(), load_genres(), folder / ".dump", options)
    published = _published(built.run(), folder, dump)
    built.clear()
    return published, {"lines": built.lines, "malformed": built.malformed}


def _on_spark(
    dump: Path, domains: "Mapping[Domain, DomainConfig]", folder: Path, master: str
) -> "tuple[list[Published], Mapping[str, int]]":
    from data.building.spark import SparkBuild, spark_session
    from data.catalogue.genres import load_genres
    from data.sparql.reader import LANGUAGES
    from data.sparql.vocabulary import load_vocabulary

    session = spark_session(master)
    try:
        built = SparkBuild(session, str(dump), domains, load_vocabulary(), load_genres(), LANGUAGES)
        published = _published(built.run(folder / "spark"), folder, dump)
    finally:
        session.stop()
    return published, {"lines": built.lines, "malformed": built.malformed}


def _published(catalogues: "Mapping[Domain, Iterable[Any]]", folder: Path, dump: Path) -> "list[Published]":
    from data.building.publish import publish

    return [
        publish(folder / f"{name}.jsonl.gz", entities, {"domain": name, "source": dump.name})
        for name, entities in catalogues.items()
    ]


def _compile_graph(settings: "Settings", out: Path | None, domains: "Mapping[Domain, DomainConfig]") -> None:
    """Leaves the item graph, in the compact form that ranking uses, where the bot looks for it at its next start."""
    from bot.parts import catalogue_of
    from data.catalogue import load_catalogue
    from recommender.engine import GraphRecommender

    catalogue = load_catalogue(out) if out else catalogue_of(settings)
    GraphRecommender(catalogue, domains, folder=(out or settings.data_dir) / "graph")


def _report(published: "list[Published]", counts: Mapping[str, int], as_json: bool) -> None:
    if as_json:
        emit({"catalogues": [_published_json(one) for one in published], **counts})
        return
    for one in published:
        summary = one.summary
        kinds = ", ".join(f"{count} {kind}" for kind, count in summary.kinds.items())
        typer.echo(f"{one.path}: {summary.entities} entities ({kinds})")
        for domain, properties in summary.properties.items():
            held = ", ".join(f"{pid} {items}" for pid, (items, _values) in properties.items())
            typer.echo(f"  {domain} items with {held}")
        if one.difference is not None:
            change = one.difference
            typer.echo(
                f"  before: {len(change.added)} added, {len(change.removed)} removed, {len(change.changed)} changed"
            )
    if counts:
        typer.echo(", ".join(f"{count} {what}" for what, count in counts.items()))


def _published_json(one: "Published") -> Mapping[str, Any]:
    change = one.difference
    return {
        "path": str(one.path),
        "entities": one.summary.entities,
        "items": one.summary.items,
        "kinds": one.summary.kinds,
        "properties": {
            domain: {pid: {"items": items, "values": values} for pid, (items, values) in counts.items()}
            for domain, counts in one.summary.properties.items()
        },
        "changes": None
        if change is None
        else {"added": list(change.added), "removed": list(change.removed), "changed": list(change.changed)},
    }
