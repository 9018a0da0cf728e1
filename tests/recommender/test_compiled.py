import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from data.errors import DataError, MissingFileError, UsageError
from recommender.compiled import EDGE, NODE, CompiledGraph, node_number
from recommender.walk import Walker, make_seeds
from tests.recommender.test_walk import item_graph


@pytest.fixture
def compiled() -> CompiledGraph:
    return CompiledGraph.from_networkx(item_graph(), ("movie", "book"))


def test_it_holds_what_networkx_holds(compiled: CompiledGraph) -> None:
    graph = item_graph()
    assert len(compiled) == len(graph)
    for qid in graph:
        index = compiled.find(qid)
        assert index is not None
        targets, weights = compiled.neighbours(index)
        found = dict(zip(map(compiled.qid, targets.tolist()), weights.tolist(), strict=True))
        assert found == {other: pytest.approx(edge["weight"]) for other, edge in graph[qid].items()}
        assert compiled.nodes["degree"][index] == pytest.approx(graph.degree(qid, weight="weight"))


def test_records_are_as_small_as_they_should_be(compiled: CompiledGraph) -> None:
    assert (NODE.itemsize, EDGE.itemsize) == (32, 8)


def test_unknown_ids_are_not_found(compiled: CompiledGraph) -> None:
    assert [compiled.find(qid) for qid in ("Q888888", "P57", "", "Q", "Q１", "Q-1", "Q99999999999")] == [None] * 7
    with pytest.raises(UsageError, match="no Wikidata item id"):
        node_number("tt0111161")


def test_a_saved_graph_is_the_same_when_loaded(compiled: CompiledGraph, tmp_path: Path) -> None:
    compiled.connect(compiled.insert("Q77777", code=1, popularity=3.0, year=2024), [0], [0.5])
    compiled.save(tmp_path / "graph", source="catalogue 1")
    loaded = CompiledGraph.load(tmp_path / "graph", source="catalogue 1")
    assert isinstance(loaded.nodes, np.memmap)
    assert (loaded.count, loaded.tail, loaded.domains) == (compiled.count, compiled.tail, compiled.domains)
    assert (loaded.nodes == compiled.nodes).all()
    assert (loaded.edges == compiled.edges).all()
    assert loaded.find("Q77777") == compiled.find("Q77777")


def test_what_one_learns_stays_out_of_the_file(compiled: CompiledGraph, tmp_path: Path) -> None:
    compiled.save(tmp_path)
    one, other = CompiledGraph.load(tmp_path), CompiledGraph.load(tmp_path)
    one.connect(one.insert("Q77777", code=1), [0], [0.5])
    assert other.find("Q77777") is None
    assert CompiledGraph.load(tmp_path).find("Q77777") is None
    assert (other.nodes == compiled.nodes).all()


@pytest.mark.parametrize("name", ["nodes.npy", "edges.npy"])
def test_a_damaged_file_is_refused_by_name(compiled: CompiledGraph, tmp_path: Path, name: str) -> None:
    compiled.save(tmp_path)
    content = bytearray((tmp_path / name).read_bytes())
    content[-1000] ^= 1
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=name):
        CompiledGraph.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no array at all"])
def test_a_file_that_is_no_array_is_refused(compiled: CompiledGraph, tmp_path: Path, content: bytes) -> None:
    compiled.save(tmp_path)
    (tmp_path / "edges.npy").write_bytes(content)
    with pytest.raises(DataError, match="build it anew"):
        CompiledGraph.load(tmp_path)


def test_another_version_or_catalogue_is_refused(compiled: CompiledGraph, tmp_path: Path) -> None:
    compiled.save(tmp_path, source="one")
    with pytest.raises(DataError, match="build it anew"):
        CompiledGraph.load(tmp_path, source="two")
    about = json.loads((tmp_path / "graph.json").read_text())
    (tmp_path / "graph.json").write_text(json.dumps({**about, "format": 99}))
    with pytest.raises(DataError, match="build it anew"):
        CompiledGraph.load(tmp_path, source="one")
    (tmp_path / "graph.json").write_text("{}")
    with pytest.raises(DataError, match=r"graph\.json"):
        CompiledGraph.load(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"graph\.json"):
        CompiledGraph.load(tmp_path)


def test_inserting_equals_compiling(compiled: CompiledGraph) -> None:
    """Hundreds of inserts, far beyond the slack, give the graph that a rebuild would give."""
    graph = item_graph()
    rng = np.random.default_rng(5)
    names = list(graph)
    for number in range(10_000, 10_600):
        index = compiled.insert(f"Q{number}", code=2, popularity=1.0, year=2001)
        graph.add_node(f"Q{number}", domain="book", popularity=1.0, year=2001)
        others = list({*rng.choice(names, 9, replace=False).tolist(), "Q400"})
        weights = (rng.integers(1, 9, size=len(others)) / 8).tolist()
        compiled.connect(index, [found for name in others if (found := compiled.find(name)) is not None], weights)
        for name, weight in zip(others, weights, strict=True):
            graph.add_edge(f"Q{number}", name, weight=weight)
    rebuilt = CompiledGraph.from_networkx(graph, ("movie", "book"))
    assert compiled.count == rebuilt.count
    assert answers(compiled) == pytest.approx(answers(rebuilt))


def answers(graph: CompiledGraph) -> dict[str, float]:
    seeds = {graph.find(qid): 1.0 for qid in ("Q1", "Q10000", "Q400")}
    x = Walker(graph).exact(make_seeds(graph, [(1.0, seeds)], 0.5))
    return {graph.qid(index): float(x[index]) for index in range(graph.count)}


def test_doubles_loops_and_weightless_edges_are_left_out(compiled: CompiledGraph) -> None:
    node = compiled.insert("Q77777", code=1)
    compiled.connect(node, [0, 0, node, 1], [0.5, 0.75, 1.0, 0.0])
    assert compiled.neighbours(node)[0].tolist() == [0]
    assert compiled.insert("Q77777", code=1) == node


_READER = """
import sys
from pathlib import Path
from recommender.compiled import CompiledGraph
from recommender.walk import WalkConfig, Walker, make_seeds

graph = CompiledGraph.load(Path(sys.argv[1]))
walker = Walker(graph, WalkConfig(exact_below=0))
walker.push(make_seeds(graph, [(1.0, {0: 1.0, 5: 1.0})], 0.5))
blocks = Path("/proc/self/smaps").read_text().split("VmFlags")
mine = [block for block in blocks if str(sys.argv[1]) in block]
own = [line.split()[1] for block in mine for line in block.splitlines() if line.startswith("Anonymous:")]
sys.stdout.write(f"{len(mine)} {sum(map(int, own))}")
"""


@pytest.mark.skipif(
    not Path("/proc/self/smaps").exists(), reason="only Linux tells what memory a process has of its own"
)
def test_processes_share_the_pages_of_a_graph(tmp_path: Path) -> None:
    CompiledGraph.from_networkx(item_graph(4000), ("movie",)).save(tmp_path)
    readers = [
        subprocess.Popen([sys.executable, "-c", _READER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for reader in readers:
        told, _ = reader.communicate(timeout=120)
        assert reader.returncode == 0
        files, own_kilobytes = map(int, told.split())
        assert files >= 2
        assert own_kilobytes == 0
