"""`converse catalog`: what is in the item catalogue, and making one."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import CataloguePath, Json, chosen_catalogue, emit, group
from bot.options import DataDir

if TYPE_CHECKING:
    from data.catalogue.catalogue import Catalogue
    from data.catalogue.summary import Summary
    from data.model import Entity

__all__ = ["register"]

DomainName = Annotated[str | None, typer.Option("--domain", help="Only items of this domain.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Adds `converse catalog`."""
    catalog = group(app, "catalog", "The item catalogue: look into it, build it from Wikidata, import files.")
    catalog.command("info", epilog="Example: converse catalog info")(info)
    catalog.command("search", epilog="Example: converse catalog search 'blade runner' --domain movie")(search)


def info(ctx: typer.Context, catalogue: CataloguePath = None, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Counts what is in the catalogue: items, kinds, properties."""
    from data.catalogue.summary import summarise

    loaded = chosen_catalogue(ctx, catalogue, data_dir)
    summary = summarise(loaded)
    if as_json:
        emit(_summary_json(summary))
        return
    _show_summary(summary)


def search(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="A name, a part of one, or a Wikidata id.")],
    domain: DomainName = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="At most so many.")] = 10,
    catalogue: CataloguePath = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Finds entities by name and shows what is known of them."""
    from data.catalogue.summary import search as find
    from data.domains import find_domain, load_domains

    if domain is not None:
        find_domain(domain, load_domains())
    loaded = chosen_catalogue(ctx, catalogue, data_dir)
    found = find(loaded, text, domain, limit)
    if as_json:
        emit([_entity_json(entity, loaded) for entity in found])
    elif found:
        _show_entities(found, loaded)
    else:
        typer.echo(f"Nothing in the catalogue is called {text!r}.", err=True)


def _summary_json(summary: "Summary") -> Mapping[str, Any]:
    return {
        "entities": summary.entities,
        "items": summary.items,
        "kinds": summary.kinds,
        "properties": {
            domain: {pid: {"items": items, "values": values} for pid, (items, values) in counts.items()}
            for domain, counts in summary.properties.items()
        },
    }


def _entity_json(entity: "Entity", catalogue: "Catalogue") -> Mapping[str, Any]:
    return {
        "qid": entity.qid,
        "label": entity.label,
        "kind": entity.kind,
        "domain": entity.domain,
        "year": entity.year,
        "popularity": entity.popularity,
        "aliases": entity.aliases,
        "labels": entity.labels,
        "relations": {
            pid: [{"qid": qid, "label": catalogue.label(qid)} for qid in values]
            for pid, values in entity.relations.items()
        },
        "facts": entity.facts,
        "ids": entity.ids,
        "held_by": len(catalogue.holders(entity.qid)),
    }


def _show_summary(summary: "Summary") -> None:
    from rich.console import Console
    from rich.table import Table

    from data.domains import load_domains

    domains = load_domains()
    console = Console()
    items = ", ".join(f"{count} in {domain}" for domain, count in summary.items.items())
    console.print(f"{summary.entities} entities; to recommend: {items or 'nothing'}")
    kinds = Table("kind", "entities")
    for kind, count in summary.kinds.items():
        kinds.add_row(kind, str(count))
    console.print(kinds)
    for domain, counts in summary.properties.items():
        table = Table(f"property of {domain}", "items that have it", "values")
        known = domains[domain].properties if domain in domains else {}
        for pid, (having, values) in counts.items():
            label = known[pid].label() if pid in known else ""
            table.add_row(f"{pid} {label}".strip(), str(having), str(values))
        console.print(table)


def _show_entities(found: "Sequence[Entity]", catalogue: "Catalogue") -> None:
    from rich.console import Console
    from rich.markup import escape

    from data.domains import load_domains

    labels = {pid: known.label() for config in load_domains().values() for pid, known in config.properties.items()}
    console = Console(highlight=False)
    for entity in found:
        year = f", {entity.year}" if entity.year is not None else ""
        console.print(f"[bold]{escape(entity.label)}[/] ({escape(entity.kind)}{year})  {entity.qid}")
        if entity.aliases:
            console.print(f"  also: {escape('; '.join(entity.aliases))}")
        for pid, values in entity.relations.items():
            names = [catalogue.label(qid) for qid in values]
            console.print(f"  {labels.get(pid, pid)}: {escape(', '.join(names))}")
        for pid, unnamed in entity.facts.items():
            console.print(f"  {labels.get(pid, pid)}: {escape(', '.join(unnamed))}")
        if held := len(catalogue.holders(entity.qid)):
            console.print(f"  stands in {held} other entities")
