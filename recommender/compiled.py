"""The item graph as two flat arrays: fast to walk, shared between processes, and open to new items.

Files are memory-mapped copy-on-write: all processes share the pages that they only read, and what one learns stays in
its own copies of the few pages that it touched. Every list of edges and both arrays end in slack, so that an insert
moves almost nothing.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from data.errors import DataError, MissingFileError, UsageError
from data.model import Domain, Qid
from recommender.kernels import edges as kernels

__all__ = ["EDGE", "NODE", "PERSON", "CompiledGraph", "node_number"]

NODE = np.dtype(
    [
        ("id", "<u4"),  # the number of the Wikidata id
        ("start", "<u4"),  # of its list in the edge array
        ("size", "<u4"),  # edges in use
        ("capacity", "<u4"),  # edges there is room for
        ("degree", "<f8"),  # sum of the edges' weights
        ("prior", "<f4"),  # log1p(popularity)
        ("year", "<i2"),  # 0 when unknown
        ("domain", "<u1"),  # 1 + position in `domains`; 0 for a pure property value, PERSON for a person
        ("spare", "<u1"),
    ]
)
"""One node: 32 bytes."""

EDGE = np.dtype([("target", "<i4"), ("weight", "<f4")])
"""One directed edge: 8 bytes; every edge is kept in both directions."""

PERSON = 255
"""Domain of the nodes that stand for people; they have no id."""

FORMAT = 2
"""Version of the files."""

_LIST_SLACK = 16
"""A list of k edges gets room for k / 16 more."""

_ARRAY_SLACK = 0.1
"""Share of each array that is left free at its end."""


def node_number(qid: Qid) -> int:
    """The number of a Wikidata id.

    Raises:
        UsageError: it is no Wikidata id.
    """
    if qid[:1] == "Q" and qid[1:].isdecimal() and qid.isascii() and int(qid[1:]) < 2**32:
        return int(qid[1:])
    raise UsageError(f"{qid!r} is no Wikidata item id; give one such as Q47703.")


class CompiledGraph:
    """The compiled item graph.

    Attributes:
        nodes: node records (`NODE`); the first `count` are in use.
        edges: edge records (`EDGE`); the first `tail` are in use.
        domains: names of the domains, in the order of their codes.
        count: number of nodes.
        tail: end of the last list of edges.
        least_degree: no node with edges has a smaller weighted degree.
    """

    def __init__(
        self, nodes: NDArray[np.void], edges: NDArray[np.void], domains: Sequence[Domain], count: int, tail: int
    ) -> None:
        self.nodes = nodes
        self.edges = edges
        self.domains = tuple(domains)
        self.count = count
        self.tail = tail
        self.least_degree = _least(nodes["degree"][:count])
        self._sorted = count
        self._learned: dict[int, int] = {}

    # -------------------------------------------------------------------------------------------------------- making

    @classmethod
    def from_networkx(cls, graph: "nx.Graph[Qid]", domains: Sequence[Domain]) -> Self:
        """Compiles the graph of `recommender.graph.build_item_graph`; renown counts as popularity where it is given.

        Raises:
            UsageError: a node is no Wikidata id.
        """
        order = sorted(graph.nodes, key=node_number)
        index = {qid: position for position, qid in enumerate(order)}
        codes = {name: code for code, name in enumerate(domains, start=1)}
        attributes = [graph.nodes[qid] for qid in order]
        ends = np.array([(index[one], index[other]) for one, other in graph.edges], dtype=np.int64).reshape(-1, 2)
        return cls.from_arrays(
            domains,
            ids=np.array([node_number(qid) for qid in order], dtype=np.uint32),
            domain=np.array([codes.get(known.get("domain") or "", 0) for known in attributes], dtype=np.uint8),
            popularity=np.array([known.get("renown", known.get("popularity")) or 0.0 for known in attributes]),
            year=np.array([known.get("year") or 0 for known in attributes], dtype=np.int16),
            ends=ends,
            weights=np.array([weight for _, _, weight in graph.edges(data="weight", default=1.0)], dtype=np.float32),
        )

    @classmethod
    def from_arrays(
        cls,
        domains: Sequence[Domain],
        *,
        ids: NDArray[np.uint32],
        domain: NDArray[np.uint8],
        popularity: NDArray[np.float64],
        year: NDArray[np.int16],
        ends: NDArray[np.int64],
        weights: NDArray[np.float32],
    ) -> Self:
        """Compiles arrays.

        Args:
            domains: names of the domains.
            ids: number of every node, ascending.
            domain: code of every node's domain, 0 for a value.
            popularity: of every node, 0 or more.
            year: of every node, 0 when unknown.
            ends: the two node indices of every undirected edge, shape (edges, 2); doubles are summed.
            weights: of every edge, more than 0.
        """
        count = len(ids)
        both = np.concatenate([ends, ends[:, ::-1]])
        matrix = sparse.coo_array((np.tile(weights, 2), (both[:, 0], both[:, 1])), shape=(count, count)).tocsr()
        sizes = np.diff(matrix.indptr).astype(np.int64)
        capacities = sizes + sizes // _LIST_SLACK
        starts = np.concatenate([[0], np.cumsum(capacities)])
        tail = int(starts[-1])
        nodes = np.zeros(count + int(count * _ARRAY_SLACK) + 16, dtype=NODE)
        edges = np.zeros(tail + int(tail * _ARRAY_SLACK) + 256, dtype=EDGE)
        places = np.repeat(starts[:-1] - matrix.indptr[:-1], sizes) + np.arange(matrix.nnz)
        edges["target"][places] = matrix.indices
        edges["weight"][places] = matrix.data
        used = nodes[:count]
        used["id"], used["start"], used["size"], used["capacity"] = ids, starts[:-1], sizes, capacities
        used["degree"] = np.bincount(np.repeat(np.arange(count), sizes), matrix.data.astype(np.float64), count)
        used["prior"], used["year"], used["domain"] = np.log1p(popularity), year, domain
        return cls(nodes, edges, domains, count, tail)

    # ------------------------------------------------------------------------------------------------------- reading

    def __len__(self) -> int:
        return self.count

    def find(self, qid: Qid) -> int | None:
        """Index of a node, None when the graph lacks it."""
        try:
            number = node_number(qid)
        except UsageError:
            return None
        learned = self._learned.get(number)
        if learned is not None:
            return learned
        found = int(kernels.find_node(self.nodes, self._sorted, number))
        return None if found < 0 else found

    def qid(self, index: int) -> Qid:
        """Id of a node."""
        return f"Q{self.nodes['id'][index]}"

    def code(self, domain: Domain) -> int:
        """Code of a domain.

        Raises:
            UsageError: there is no such domain.
        """
        if domain not in self.domains:
            raise UsageError(f"There is no domain {domain!r}; choose one of {', '.join(self.domains)}.")
        return self.domains.index(domain) + 1

    def neighbours(self, index: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Indices of a node's neighbours and the weights of the edges to them."""
        start, size = int(self.nodes["start"][index]), int(self.nodes["size"][index])
        return self.edges["target"][start : start + size], self.edges["weight"][start : start + size]

    def weight(self, one: int, other: int) -> float:
        """Weight of the edge between two nodes, 0 when there is none."""
        return float(kernels.edge_weight(self.nodes, self.edges, one, other))

    @property
    def memory(self) -> int:
        """Bytes in both arrays, slack included."""
        return self.nodes.nbytes + self.edges.nbytes

    # ----------------------------------------------------------------------------------------------------- inserting

    def insert(self, qid: Qid, *, code: int = 0, popularity: float = 0.0, year: int | None = None) -> int:
        """Adds a node, or updates one that is there.

        Args:
            qid: its id.
            code: of its domain, 0 for a value.
            popularity: 0 or more.
            year: None when unknown.

        Returns:
            Its index.

        Raises:
            UsageError: the id is no Wikidata id.
        """
        number = node_number(qid)
        index = self.find(qid)
        if index is None:
            index = self._append(number, 0)
            self._learned[number] = index
        if code:
            record = self.nodes[index]
            record["domain"], record["prior"], record["year"] = code, np.log1p(popularity), year or 0
        return index

    def insert_person(self) -> int:
        """Adds a node that stands for a person and that no id finds; gives its index."""
        return self._append(0, PERSON)

    def _append(self, number: int, domain: int) -> int:
        index = self.count
        if index == len(self.nodes):
            self.nodes = _grown(self.nodes)
        self.nodes[index] = (number, self.tail, 0, 0, 0.0, 0.0, 0, domain, 0)
        self.count += 1
        return index

    def disconnect(self, node: int) -> None:
        """Takes all edges of a node away."""
        kernels.part(self.nodes, self.edges, node)

    def connect(self, node: int, others: Sequence[int], weights: Sequence[float]) -> None:
        """Joins a node to others, except to itself, to those it is joined to already, and where the weight is 0.

        Args:
            node: index of the node.
            others: indices of the others.
            weights: of the edges.
        """
        targets, strengths = np.array(others, dtype=np.int64), np.array(weights, dtype=np.float32)
        self.least_degree = min([self.least_degree, *strengths[strengths > 0].tolist()])
        reached = 0
        while True:
            tail, reached = kernels.join(self.nodes, self.edges, self.tail, node, targets, strengths, reached)
            self.tail = int(tail)
            if reached == len(targets):
                return
            self.edges = _grown(self.edges)

    # --------------------------------------------------------------------------------------------------------- files

    def save(self, folder: Path, source: str = "") -> None:
        """Writes `nodes.npy`, `edges.npy` and `graph.json` with version, sizes and checksums.

        Each file takes its place whole, so that processes that have the old ones open are not disturbed.

        Args:
            folder: made when missing.
            source: fingerprint of what the graph was built from; `load` compares it.

        Raises:
            ValueError: the graph has people, who never go into a file.
        """
        if (self.nodes["domain"][: self.count] == PERSON).any():
            raise ValueError("what people like is not written to files")
        folder.mkdir(parents=True, exist_ok=True)
        checksums = {}
        for name, array in (("nodes", self.nodes), ("edges", self.edges)):
            draft = folder / f"{name}.{os.getpid()}.npy"
            np.save(draft, array)
            checksums[name] = _checksum(array)
            draft.replace(folder / f"{name}.npy")
        about = {
            "format": FORMAT,
            "source": source,
            "domains": self.domains,
            "count": self.count,
            "tail": self.tail,
            "sorted": self._sorted,
            "sha256": checksums,
        }
        draft = folder / f"graph.{os.getpid()}.json"
        draft.write_text(json.dumps(about, indent=1), encoding="utf-8")
        draft.replace(folder / "graph.json")

    @classmethod
    def load(cls, folder: Path, source: str = "") -> Self:
        """Opens what `save` wrote, memory-mapped.

        Args:
            folder: where it is.
            source: fingerprint that it must have been built from.

        Raises:
            MissingFileError: a file is missing or cannot be read.
            DataError: a file is of another version, built from something else, or damaged.
        """
        remedy = "build it anew"
        try:
            about: dict[str, Any] = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
            if about["format"] != FORMAT or about["source"] != source:
                raise DataError(f"The compiled graph in {folder} is of another version or catalogue; {remedy}.")
            arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="c") for name in about["sha256"]}
            for name, checksum in about["sha256"].items():
                if _checksum(arrays[name]) != checksum:
                    raise DataError(f"{folder / name}.npy is damaged (its checksum differs); {remedy}.")
            graph = cls(arrays["nodes"], arrays["edges"], about["domains"], about["count"], about["tail"])
            graph._mark_learned(about["sorted"])
        except OSError as error:
            raise MissingFileError(f"{error.filename} is missing or cannot be read; {remedy}.") from error
        except DataError:
            raise
        except (EOFError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"{folder / 'graph.json'} or an array beside it is damaged; {remedy}.") from error
        return graph

    def _mark_learned(self, first: int) -> None:
        self._sorted = first
        self._learned = {int(self.nodes["id"][index]): index for index in range(first, self.count)}


def _grown(array: NDArray[np.void]) -> NDArray[np.void]:
    grown = np.zeros(len(array) + len(array) // 2 + 256, dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def _least(degrees: NDArray[np.float64]) -> float:
    positive = degrees[degrees > 0]
    return float(positive.min()) if len(positive) else 1.0


def _checksum(array: NDArray[np.void]) -> str:
    """Of the very bytes that are used, even when the file has been replaced since it was opened."""
    return hashlib.sha256(array.view(np.uint8).data).hexdigest()
