"""A catalogue in Wikidata's own RDF vocabulary."""

from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad

from data.domains import load_domains
from data.model import Entity
from data.sparql.vocabulary import load_vocabulary

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
LABEL = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
ALIAS = NamedNode("http://www.w3.org/2004/02/skos/core#altLabel")
SITELINKS = NamedNode("http://wikiba.se/ontology#sitelinks")
MODIFIED = NamedNode("http://schema.org/dateModified")
INTEGER = NamedNode("http://www.w3.org/2001/XMLSchema#integer")
DATE = NamedNode("http://www.w3.org/2001/XMLSchema#dateTime")


def item(qid: str) -> NamedNode:
    return NamedNode(WD + qid)


def direct(pid: str) -> NamedNode:
    return NamedNode(WDT + pid)


def classes() -> dict[str, tuple[str, str]]:
    """Kind to the statement that makes it: property and value."""
    known = {kind: ("P31", qid) for qid, kind in reversed(load_vocabulary().kinds.items())}
    for config in load_domains().values():
        known |= {kind: ("P31", qid) for qid, kind in reversed(config.classes.items())}
        known |= {kind: ("P106", qid) for qid, kind in config.occupations.items()}
    return known


def quads(entities: Iterable[Entity], modified: str = "2026-01-01T00:00:00Z") -> Iterator[Quad]:
    kinds = classes()
    pid_of = {name: pid for pid, name in load_vocabulary().ids.items()}
    for entity in entities:
        subject = item(entity.qid)
        yield Quad(subject, LABEL, Literal(entity.label, language="en"))
        for language, name in entity.labels.items():
            yield Quad(subject, LABEL, Literal(name, language=language))
        for alias in entity.aliases:
            yield Quad(subject, ALIAS, Literal(alias, language="en"))
        yield Quad(subject, SITELINKS, Literal(str(round(301**entity.popularity - 1)), datatype=INTEGER))
        yield Quad(subject, MODIFIED, Literal(modified, datatype=DATE))
        if entity.kind in kinds:
            pid, qid = kinds[entity.kind]
            yield Quad(subject, direct(pid), item(qid))
        if entity.year is not None and entity.year > 0:
            yield Quad(subject, direct("P577"), Literal(f"{entity.year:04}-01-01T00:00:00Z", datatype=DATE))
        for pid, values in entity.relations.items():
            for value in values:
                yield Quad(subject, direct(pid), item(value))
        for name, value in entity.ids.items():
            yield Quad(subject, direct(pid_of[name]), Literal(value))
    yield Quad(item("Q202866"), direct("P279"), item("Q11424"))
    yield Quad(item("Q177220"), direct("P279"), item("Q639669"))
