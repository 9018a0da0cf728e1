from benchmarks.pagerank import run


def test_it_prints_every_figure_and_ranks_nearly_as_the_exact_solution() -> None:
    figures = run(21_000, 8)
    assert {
        *("nodes", "edges", "queries", "median_ms", "p95_ms", "top10_equal", "ratio_to_networkx"),
        *("ratio_to_bandwidth", "memory_mb", "load_s", "insert_us_mean", "peers"),
    } <= set(figures)
    assert figures["nodes"] == 21_000
    assert figures["top10_equal"] >= 0.75
    assert figures["memory_of_allowed"] <= 1.0
    assert figures["inserted_found"] == 10
    assert figures["generator"]["largest_hub_of_items"] >= 0.02
    assert 9 < figures["generator"]["mean_degree"] < 12
    assert {"networkx", "igraph", "scikit-network", "scipy"} <= set(figures["peers"])
