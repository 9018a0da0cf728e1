"""How fast the recommender ranks, and how exactly, on generated graphs of any size.

    python -m benchmarks.pagerank --nodes 1000000 --json

The graph: 60 % items, each with 3 to 15 edges to values drawn by a Zipf law, popularity attached. Each query has 3 to
10 seeds, items and values, some disliked, and every third one a filter. All times are CPU time of the thread.
"""

import argparse
import gc
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sknetwork.ranking import PageRank

from recommender.compiled import CompiledGraph
from recommender.ranking import DomainItems, Query, WalkRanker, best
from recommender.variants import VARIANTS

SEED = 20260101
ZIPF = 0.8
ITEMS = 0.6
LIKELY = 300_000
"""Largest graph that networkx is timed on."""
SMALL = 100_000
TOP = 10
EXACT_SECONDS = 400.0
"""CPU time after which no further query is checked against the exact result."""


def main() -> None:
    """Runs the benchmark and prints its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    figures = run(options.nodes, options.queries)
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.write("".join(f"{name:20} {value}\n" for name, value in figures.items()))


def run(count: int, queries: int) -> dict[str, Any]:
    """All figures for a graph of `count` nodes."""
    bandwidth = measure_bandwidth()
    median_small = Setting(min(count, SMALL), queries).time()[0]
    comparison, ratio = compare_networkx(min(count, LIKELY), queries)
    setting = Setting(count, queries)
    note(f"{count} nodes, {setting.graph.edges_used} directed edges, generator {setting.about}")
    median, p95, times = setting.time()
    checked, equal = setting.check()
    peers = setting.peers() | comparison
    streaming = setting.graph.edges_used * 12 / bandwidth
    return {
        "nodes": count,
        "edges": setting.graph.edges_used // 2,
        "queries": queries,
        "median_ms": round(median * 1e3, 3),
        "p95_ms": round(p95 * 1e3, 3),
        "max_ms": round(max(times) * 1e3, 3),
        "top10_equal": equal,
        "top10_checked": checked,
        "ratio_to_networkx": round(ratio, 1),
        "ratio_to_bandwidth": round(median / streaming, 4),
        "ratio_to_100k": round(median / median_small, 3),
        **setting.storage(),
        **setting.inserts(),
        "bandwidth_gb_s": round(bandwidth / 1e9, 2),
        "generator": setting.about,
        "peers": peers,
    }


class Setting:
    """A generated graph, its ranker and its queries."""

    def __init__(self, count: int, queries: int) -> None:
        arrays, self.about = generate(count)
        self.graph = CompiledGraph.from_arrays(("item",), **arrays)
        self.graph.edges_used = int(self.graph.nodes["size"][:count].sum(dtype=np.int64))
        gc.collect()
        self.items = DomainItems(self.graph, "item")
        self.ranker = WalkRanker(self.graph, VARIANTS["ppr"])
        self.profiles = make_profiles(self.graph, queries)

    def time(self) -> tuple[float, float, list[float]]:
        """Median, 95th percentile and all times of the queries, in seconds, after a warm-up."""
        for profile in self.profiles[:20]:
            self.answer(profile)
        times = [timed(lambda profile=profile: self.answer(profile)) for profile in self.profiles]
        return float(np.median(times)), float(np.percentile(times, 95)), times

    def answer(self, profile: "Profile") -> NDArray[np.int64]:
        """The best ten items, from raw seeds to the end."""
        return self.ranker.rank(profile.query(), self.items, TOP).nodes

    def check(self) -> tuple[int, float]:
        """How many queries were solved exactly, and for what share of them the top ten are the same set."""
        exact = Exact(self.graph)
        start, same, checked = time.thread_time(), 0, 0
        for first in range(0, len(self.profiles), Exact.WIDTH):
            if checked and time.thread_time() - start > EXACT_SECONDS:
                break
            block = self.profiles[first : first + Exact.WIDTH]
            queries = [profile.query() for profile in block]
            solved = exact.solve([self.ranker.seeds(query).dense(self.graph.count) for query in queries])
            for profile, query, x in zip(block, queries, solved, strict=True):
                nodes = self.items.eligible(query)
                scores = self.ranker.blend(x[nodes], nodes, self.ranker.gamma(query), self.items.total)
                wanted = best(self.graph, nodes, scores, TOP).nodes
                same += set(wanted.tolist()) == set(self.answer(profile).tolist())
            checked += len(block)
            note(f"checked {checked}, equal {same}")
        return checked, round(same / checked, 4)

    def storage(self) -> dict[str, float]:
        """Size in memory, and the time to open the files and sort the items by popularity."""
        with tempfile.TemporaryDirectory() as folder:
            self.graph.save(Path(folder))
            seconds = min(timed(lambda: DomainItems(CompiledGraph.load(Path(folder)), "item")) for _ in range(3))
        allowed = 1.25 * (32 * self.graph.count + 8 * self.graph.edges_used)
        return {
            "memory_mb": round(self.graph.memory / 1e6, 1),
            "memory_of_allowed": round(self.graph.memory / allowed, 3),
            "load_s": round(seconds, 4),
        }

    def inserts(self, number: int = 5000) -> dict[str, float]:
        """Time to add an item with its edges, so that the next query can find it."""
        rng = np.random.default_rng(SEED + 2)
        values = np.flatnonzero(self.graph.nodes["domain"][: self.graph.count] == 0)
        hub = int(np.argmax(self.graph.nodes["size"][: self.graph.count]))
        joined = [[hub, *rng.choice(values, int(rng.integers(2, 15))).tolist()] for _ in range(number)]

        def insert(place: int) -> None:
            node = self.graph.insert(f"Q{4_000_000_000 + place}", code=1, popularity=10.0, year=2024)
            self.graph.connect(node, joined[place], [0.5] * len(joined[place]))
            self.items.add(node)

        insert(0)
        times = [timed(lambda place=place: insert(place)) for place in range(1, number)]
        node = self.graph.count - 1
        found = self.ranker.rank(Profile({node: 1.0}, {}).query(), self.items, TOP)
        return {
            "insert_us_mean": round(float(np.mean(times)) * 1e6, 2),
            "insert_us_max": round(max(times) * 1e6, 1),
            "inserted_found": len(found.nodes),
        }

    def peers(self) -> dict[str, Any]:
        """CPU seconds of one query with other libraries, on the same graph, the best of three."""
        exact = Exact(self.graph)
        matrix = exact.adjacency
        profiles = self.profiles[:3]
        upper = sparse.triu(matrix).tocoo()
        other = igraph.Graph(self.graph.count, np.column_stack([upper.row, upper.col]))
        sources = [list(profile.liked) for profile in profiles]

        def with_igraph(nodes: list[int]) -> None:
            other.personalized_pagerank(damping=0.5, reset_vertices=nodes, weights=upper.data.tolist(), directed=False)

        def with_sknetwork(nodes: list[int]) -> None:
            PageRank(damping_factor=0.5, solver="piteration", n_iter=33, tol=1e-10).fit_predict(
                matrix, dict.fromkeys(nodes, 1.0)
            )

        def with_scipy(nodes: list[int]) -> None:
            seeds = np.zeros(self.graph.count)
            seeds[nodes] = 1.0 / len(nodes)
            exact.solve([seeds])

        ways: dict[str, Callable[[list[int]], None]] = {
            "igraph": with_igraph,
            "scikit-network": with_sknetwork,
            "scipy": with_scipy,
        }
        found: dict[str, Any] = {}
        for name, way in ways.items():
            seconds = min(timed(lambda nodes=nodes, way=way: way(nodes)) for nodes in sources)
            found[name] = {"seconds": round(seconds, 4)}
            note(f"{name}: {seconds:.3f} s")
        return found


@dataclass(frozen=True)
class Profile:
    """The seeds of one query, and the items it is limited to, as an index of the catalogue gives them."""

    liked: dict[int, float]
    disliked: dict[int, float]
    allowed: NDArray[np.int64] | None = None

    def query(self) -> Query:
        """The request as the ranker takes it."""
        barred = np.array(sorted({*self.liked, *self.disliked}), dtype=np.int64)
        return Query("item", self.liked, self.disliked, barred, self.allowed)


class Exact:
    """The walk in float64, until no x of a block of queries is further than 1e-10 in total from the solution.

    Chebyshev's semi-iterative method (Golub and Van Loan, Matrix Computations, 10.1.5), which takes half the steps of a
    power iteration: the matrix is similar to a symmetric one whose eigenvalues lie between -alpha and alpha.
    """

    WIDTH = 8

    def __init__(self, graph: CompiledGraph) -> None:
        count = graph.count
        used = graph.nodes[:count]
        sizes = used["size"].astype(np.int64)
        firsts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(used["start"] - firsts[:-1], sizes) + np.arange(firsts[-1])
        edges = graph.edges[places]
        self.adjacency = sparse.csr_matrix(
            (edges["weight"].astype(np.float64), edges["target"], firsts), (count, count)
        )
        self.adjacency.sort_indices()
        degrees = np.asarray(self.adjacency.sum(axis=1)).ravel()
        spread = np.divide(1.0, degrees, out=np.zeros(count), where=degrees > 0)
        self.step = (self.adjacency @ sparse.diags_array(spread)).tocsr()

    def solve(self, seeds: list[NDArray[np.float64]], alpha: float = 0.5) -> NDArray[np.float64]:
        """The x of every seed vector, shape (vectors, nodes)."""
        base = (1.0 - alpha) * np.column_stack(seeds)
        step = alpha * self.step
        before, x, omega = base, step @ base + base, 2.0
        for turn in itertools.count(1):
            residue = step @ x
            residue += base
            residue -= x
            if turn % 4 == 0 and np.abs(residue).sum(axis=0).max() < (1.0 - alpha) * 1e-10:
                break
            omega = 1.0 / (1.0 - alpha**2 * omega / 4.0)
            before, x = x, omega * (residue + x - before) + before
        return np.ascontiguousarray(x.T)


def generate(count: int) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays of a random item graph for `CompiledGraph.from_arrays`, and what it is like."""
    rng = np.random.default_rng(SEED)
    items, values = int(ITEMS * count), count - int(ITEMS * count)
    degrees = rng.integers(3, 16, size=items)
    shares = np.cumsum(np.arange(1, values + 1, dtype=np.float64) ** -ZIPF)
    drawn = np.searchsorted(shares, rng.random(int(degrees.sum())) * shares[-1])
    keys = np.unique(np.repeat(np.arange(items), degrees) * values + drawn)
    item, value = keys // values, keys % values
    largest = int(np.bincount(value).max())
    place = rng.permutation(count)
    strengths = np.array([1.0, 0.8, 0.6, 0.4], dtype=np.float32)[rng.integers(0, 4, size=values)]
    domain = np.zeros(count, dtype=np.uint8)
    domain[place[:items]] = 1
    popularity = np.zeros(count)
    popularity[place[:items]] = rng.pareto(1.2, size=items) * 10
    arrays = {
        "ids": np.arange(1, count + 1, dtype=np.uint32),
        "domain": domain,
        "popularity": popularity,
        "year": rng.integers(1930, 2026, size=count).astype(np.int16),
        "ends": np.column_stack([place[item], place[items + value]]),
        "weights": strengths[value],
    }
    about = {
        "seed": SEED,
        "items": items,
        "zipf": ZIPF,
        "mean_degree": round(2 * len(keys) / count, 2),
        "largest_hub": largest,
        "largest_hub_of_items": round(largest / items, 4),
    }
    return arrays, about


def make_profiles(graph: CompiledGraph, number: int) -> list[Profile]:
    """Queries of 3 to 10 seeds: two in three are items, the others values of items, so that hubs are frequent.

    A quarter of the seeds is disliked. Every third query has a filter: in turn a decade, one of the fifty most frequent
    values (a genre), or any value (a person).
    """
    rng = np.random.default_rng(SEED + 1)
    used = graph.nodes[: graph.count]
    items, values = np.flatnonzero(used["domain"] == 1), np.flatnonzero((used["domain"] == 0) & (used["size"] > 0))
    genres = values[np.argsort(used["size"][values])[-50:]]
    decade = items[used["year"][items] // 10 == 199]
    profiles = []
    for place in range(number):
        seeds: dict[int, None] = {}
        while len(seeds) < 3 + place % 8:
            item = int(rng.choice(items))
            seeds[item if rng.random() < 2 / 3 else int(rng.choice(graph.neighbours(item)[0]))] = None
        nodes = list(seeds)
        against = len(nodes) // 4
        holders = [graph.neighbours(int(rng.choice(known)))[0] for known in (genres, values)]
        allowed = (decade, *(np.sort(found).astype(np.int64) for found in holders))[place // 3 % 3]
        liked, disliked = dict.fromkeys(nodes[against:], 1.0), dict.fromkeys(nodes[:against], 1.0)
        profiles.append(Profile(liked, disliked, allowed if place % 3 == 2 else None))
    return profiles


def compare_networkx(count: int, queries: int) -> tuple[dict[str, Any], float]:
    """CPU seconds of `networkx.pagerank` as it is, and how many times the ranker's median query that is."""
    setting = Setting(count, queries)
    median = setting.time()[0]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(count))
    upper = sparse.triu(Exact(setting.graph).adjacency).tocoo()
    graph.add_weighted_edges_from(zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True))
    seeds = dict.fromkeys(setting.profiles[0].liked, 1.0)
    seconds = timed(lambda: nx.pagerank(graph, alpha=0.5, personalization=seeds))
    note(f"networkx at {count} nodes: {seconds:.2f} s, ours {median * 1e3:.3f} ms")
    return {"networkx": {"nodes": count, "seconds": round(seconds, 3)}}, seconds / median


def measure_bandwidth() -> float:
    """Bytes a second of reading a large array once, the best of five."""
    array = np.ones(64_000_000)
    return array.nbytes / min(timed(lambda: float(array.sum())) for _ in range(5))


def timed(action: Callable[[], object]) -> float:
    """CPU seconds of this thread."""
    start = time.thread_time()
    action()
    return time.thread_time() - start


def note(text: str) -> None:
    """Progress, on stderr."""
    sys.stderr.write(f"pagerank: {text}\n")


if __name__ == "__main__":
    main()
