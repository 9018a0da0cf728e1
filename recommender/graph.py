"""The item graph: items and property values of all domains, joined by typed edges."""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import networkx as nx

from data.domains import DomainConfig
from data.model import Domain, Entity, PropertyId, Qid

__all__ = ["add_renown", "build_item_graph", "edge_weights", "fingerprint", "renown"]

_ZIPF_SHIFT = 50
"""How many of the best known items are about equally well known."""


def edge_weights(domains: Mapping[Domain, DomainConfig]) -> dict[tuple[Domain | None, PropertyId], float]:
    """Weight of a property's edges by domain of the item; under None, for values, the largest of all domains."""
    weights: dict[tuple[Domain | None, PropertyId], float] = {}
    for name, config in domains.items():
        for pid, known in config.properties.items():
            weights[name, pid] = known.weight
            weights[None, pid] = max(known.weight, weights.get((None, pid), 0.0))
    return weights


def build_item_graph(
    entities: Iterable[Entity],
    domains: Mapping[Domain, DomainConfig],
    canonical: Callable[[Qid], Qid] = lambda qid: qid,
) -> "nx.Graph[Qid]":
    """The networkx form of the item graph.

    It is undirected: directed edges from items to values would leave the values dangling. An edge weighs what its
    property weighs, divided by the root of the value's place in the list: the leading actor says more of a film than
    the twelfth. Several properties between the same two nodes (a director who also wrote the film) are one edge whose
    weight is their sum.

    Args:
        entities: items and property values.
        domains: say which properties are edges, and how strong.
        canonical: gives the id that stands for an id, for ids merged into another.

    Returns:
        A graph of ids. Nodes carry `label`, `kind`, `domain`, `year`, `popularity` and, items, `renown`; edges carry
        `weight` and `properties`. A value that is no entity itself has a node without attributes.
    """
    graph: nx.Graph[Qid] = nx.Graph()
    weights = edge_weights(domains)
    for entity in entities:
        graph.add_node(
            entity.qid,
            label=entity.label,
            kind=entity.kind,
            domain=entity.domain,
            year=entity.year,
            popularity=entity.popularity,
        )
        for pid, values in entity.relations.items():
            weight = weights.get((entity.domain, pid), 0.0)
            for place, value in enumerate(values if weight > 0 else (), start=1):
                _connect(graph, entity.qid, canonical(value), pid, weight / math.sqrt(place))
    return graph


def fingerprint(entities: Iterable[Entity], domains: Mapping[Domain, DomainConfig]) -> str:
    """Changes whenever the item graph of these entities and domains would."""
    digest = hashlib.sha256(repr(sorted(edge_weights(domains).items(), key=repr)).encode())
    for entity in entities:
        known = (entity.qid, entity.domain, entity.year, entity.popularity, entity.merged, dict(entity.relations))
        digest.update(repr(known).encode())
    return digest.hexdigest()


def add_renown(graph: "nx.Graph[Qid]", items: Sequence[Entity]) -> None:
    """Gives the items of one domain their `renown`.

    Args:
        graph: has the items as nodes.
        items: best known first.
    """
    for rank, item in enumerate(items):
        graph.nodes[item.qid]["renown"] = renown(rank, len(items))


def renown(rank: int, count: int) -> float:
    """How often an item would be named in proportion to others, by a Zipf law over the order of popularity.

    Catalogues measure popularity on scales of their own, often flat ones; the order is what they share.

    Args:
        rank: place among the domain's items, from 0.
        count: number of items.
    """
    return count / (rank + _ZIPF_SHIFT)


def _connect(graph: "nx.Graph[Qid]", node: Qid, value: Qid, pid: PropertyId, weight: float) -> None:
    if node == value:
        return
    if not graph.has_edge(node, value):
        graph.add_edge(node, value, weight=weight, properties=(pid,))
        return
    edge = graph.edges[node, value]
    if pid not in edge["properties"]:
        edge["properties"] = (*edge["properties"], pid)
        edge["weight"] += weight
