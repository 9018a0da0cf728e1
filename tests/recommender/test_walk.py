"""The two solvers against networkx, whose stopping rule is corrected: it stops at N times the tolerance."""

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from data.catalogue import Catalogue
from data.domains import load_domains
from recommender.compiled import CompiledGraph
from recommender.graph import build_item_graph
from recommender.walk import WalkConfig, Walker, make_seeds


def item_graph(nodes: int = 400, seed: int = 3) -> nx.Graph:
    """Items and values with weights, two hubs, a small component and isolated nodes."""
    rng = np.random.default_rng(seed)
    graph = nx.Graph()
    items, values = range(1, nodes), range(nodes, nodes + nodes // 2)
    for item in items:
        graph.add_node(f"Q{item}", domain="movie", popularity=float(rng.random()), year=2000)
        for rank in set(rng.zipf(1.4, size=6).clip(1, nodes // 2).tolist()):
            graph.add_edge(f"Q{item}", f"Q{values[rank - 1]}", weight=float(rng.integers(1, 9)) / 8)
    graph.add_edge("Q9001", "Q9002", weight=0.5)
    graph.add_nodes_from(["Q9003", "Q9004"])
    return graph


def reference(graph: nx.Graph, seeds: dict[str, float], alpha: float) -> dict[str, float]:
    """networkx, iterated to a total change of 1e-12."""
    tolerance = 1e-12 / len(graph)
    return nx.pagerank(graph, alpha=alpha, personalization=seeds, tol=tolerance, max_iter=10_000)


def solve(
    graph: nx.Graph, groups: list[tuple[float, dict[str, float]]], config: WalkConfig
) -> tuple[list[str], NDArray[np.float64]]:
    compiled = CompiledGraph.from_networkx(graph, ("movie",))
    walker = Walker(compiled, config)
    indexed = [(factor, {compiled.find(qid): mass for qid, mass in seeds.items()}) for factor, seeds in groups]
    seeds = make_seeds(compiled, indexed, config.alpha)
    names = [compiled.qid(index) for index in range(compiled.count)]
    return names, walker.exact(seeds)


SEEDS = [
    {"Q1": 1.0, "Q2": 1.0, "Q3": 1.0},
    {"Q400": 1.0},
    {"Q400": 1.0, "Q401": 3.0},
    {"Q9001": 1.0},
    {"Q9003": 1.0},
    {"Q9003": 1.0, "Q9004": 1.0, "Q7": 2.0},
]
"""Items, one hub, weighted hubs, a small component, an isolated seed, isolated ones beside others."""


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.85])
@pytest.mark.parametrize("seeds", SEEDS)
def test_sweeps_equal_networkx(seeds: dict[str, float], alpha: float) -> None:
    graph = item_graph()
    names, x = solve(graph, [(1.0, seeds)], WalkConfig(alpha=alpha))
    expected = reference(graph, seeds, alpha)
    assert x == pytest.approx([expected[name] for name in names], abs=1e-8)
    assert x.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seeds", SEEDS)
def test_push_comes_as_near_as_its_threshold(seeds: dict[str, float]) -> None:
    graph = item_graph()
    config = WalkConfig(epsilon=1e-9)
    compiled = CompiledGraph.from_networkx(graph, ("movie",))
    walker = Walker(compiled, config)
    indexed = {compiled.find(qid): mass for qid, mass in seeds.items()}
    everything = np.arange(compiled.count)
    joined = make_seeds(compiled, [(1.0, indexed)], 0.5)
    walker.push(joined)
    expected = reference(graph, seeds, 0.5)
    wanted = [expected[compiled.qid(index)] for index in everything]
    assert walker.pull(everything, joined) == pytest.approx(wanted, abs=1e-7)


def test_a_seed_that_is_a_hub_is_pushed_in_spite_of_the_threshold() -> None:
    graph = item_graph()
    compiled = CompiledGraph.from_networkx(graph, ("movie",))
    walker = Walker(compiled, WalkConfig(epsilon=0.5))
    hub = compiled.find("Q400")
    assert hub is not None
    seeds = make_seeds(compiled, [(1.0, {hub: 1.0})], 0.5)
    nearby = np.sort(compiled.neighbours(hub)[0]).astype(np.int64)
    walker.push(seeds)
    assert (walker.pull(nearby, seeds) > 0).all()


def test_signed_seeds_are_the_difference_of_two_walks() -> None:
    graph = item_graph()
    likes, dislikes = {"Q1": 1.0, "Q9003": 1.0}, {"Q5": 1.0, "Q400": 1.0}
    names, x = solve(graph, [(1.0, likes), (-0.25, dislikes)], WalkConfig())
    one, other = reference(graph, likes, 0.5), reference(graph, dislikes, 0.5)
    assert x == pytest.approx([one[name] - 0.25 * other[name] for name in names], abs=1e-8)


@pytest.mark.parametrize("groups", [[], [(1.0, {})], [(1.0, {0: 0.0})], [(1.0, {0: -1.0, 1: 1.0})]])
def test_empty_zero_and_negative_seeds_are_left_out(groups: list[tuple[float, dict[int, float]]]) -> None:
    compiled = CompiledGraph.from_networkx(item_graph(), ("movie",))
    seeds = make_seeds(compiled, groups, 0.5)
    assert (seeds.masses > 0).all()
    walker = Walker(compiled)
    walker.push(seeds)
    found = walker.exact(seeds)
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(float(len(seeds) > 0))


def test_a_second_push_forgets_the_first() -> None:
    compiled = CompiledGraph.from_networkx(item_graph(), ("movie",))
    walker, fresh = Walker(compiled), Walker(compiled)
    first, second = (make_seeds(compiled, [(1.0, {index: 1.0})], 0.5) for index in (3, 90))
    everything = np.arange(compiled.count)
    walker.push(first)
    walker.push(second)
    fresh.push(second)
    assert (walker.pull(everything, second) == fresh.pull(everything, second)).all()


def test_the_work_space_grows_with_the_neighbourhood() -> None:
    """A hub of 120,000 edges touches more nodes than the work space first has room for."""
    spokes = 120_000
    hub = CompiledGraph.from_arrays(
        ("movie",),
        ids=np.arange(1, spokes + 2, dtype=np.uint32),
        domain=np.concatenate([[0], np.ones(spokes)]).astype(np.uint8),
        popularity=np.zeros(spokes + 1),
        year=np.zeros(spokes + 1, dtype=np.int16),
        ends=np.column_stack([np.zeros(spokes, dtype=np.int64), np.arange(1, spokes + 1)]),
        weights=np.ones(spokes, dtype=np.float32),
    )
    walker = Walker(hub)
    seeds = make_seeds(hub, [(1.0, {0: 1.0})], 0.5)
    walker.push(seeds)
    exact = walker.exact(seeds)[1:4]
    assert walker.pull(np.arange(1, 4), seeds) == pytest.approx(exact, rel=0.1)


def test_the_shipped_catalogue_gives_what_networkx_gives(starter: Catalogue) -> None:
    graph = build_item_graph(starter.entities(), load_domains(), starter.canonical)
    seeds = {item.qid: 1.0 for item in starter.items("movie")[:3]}
    names, x = solve(graph, [(1.0, seeds)], WalkConfig())
    expected = reference(graph, seeds, 0.5)
    assert x == pytest.approx([expected[name] for name in names], abs=1e-8)
