"""Reading Wikidata's RDF: N-Triples and Turtle."""

from array import array
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import rdflib

from data.building.ancestry import Ancestry
from data.building.passes import number_of
from data.errors import DataError, MissingFileError
from data.model import Qid
from data.sparql.endpoint import Binding
from data.sparql.reader import CLASS, DIRECT, ENTITY, OCCUPATION, qid_of

__all__ = ["read_triples"]

_SUBCLASS = rdflib.URIRef(f"{DIRECT}P279")
_BROKEN = (
    rdflib.exceptions.ParserError,
    SyntaxError,
    ValueError,
    AssertionError,
    LookupError,
    RecursionError,
    TypeError,
    AttributeError,
)
"""What rdflib raises for files that are no RDF, cut off in the middle, or nested too deeply."""
_FORMATS = {".nt": "nt", ".ttl": "turtle"}


def read_triples(path: Path, tops: Iterable[Qid], languages: Collection[str]) -> list[Binding]:
    """What a file says, as the rows that `EntityReader` reads.

    Args:
        path: `.nt` or `.ttl`, with Wikidata's IRIs.
        tops: the classes and occupations of interest.
        languages: of names.

    Raises:
        MissingFileError: there is no such file.
        DataError: it cannot be parsed; the message says where.
    """
    graph = rdflib.Graph()
    try:
        graph.parse(path, format=_FORMATS[path.suffix])
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no {path}; give the path of an RDF file.") from error
    except _BROKEN as error:
        raise DataError(f"{path} is no valid RDF ({' '.join(str(error).split())}); correct it.") from error
    edges = array("q")
    for below, above in graph.subject_objects(_SUBCLASS):
        pair = qid_of(str(below)), qid_of(str(above))
        if pair[0] and pair[1]:
            edges.extend((number_of(pair[0]), number_of(pair[1])))
    return list(_rows(graph, Ancestry(tops, edges), languages))


def _rows(graph: rdflib.Graph, ancestry: Ancestry, languages: Collection[str]) -> Iterator[Binding]:
    """The file as the rows that a query for it would give."""
    of_class = {f"{DIRECT}{CLASS}", f"{DIRECT}{OCCUPATION}"}
    for subject, predicate, value in graph:
        row = {"item": str(subject), "property": str(predicate), "value": str(value)}
        if isinstance(value, rdflib.Literal) and value.language:
            if value.language in languages:
                yield {**row, "language": value.language}
        elif row["property"] in of_class:
            for top in ancestry.tops(qid_of(row["value"]) or ""):
                yield {**row, "value": f"{ENTITY}{top}"}
        else:
            yield row
