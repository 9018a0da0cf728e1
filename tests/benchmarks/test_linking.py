"""The benchmark of the alias index, small."""

from pathlib import Path

from benchmarks.linking import measure, prepare


def test_made_up_names_are_found_with_typing_errors(tmp_path: Path) -> None:
    path = tmp_path / "names.index"
    prepare(400, path)

    figures = measure(400, path, 60)

    assert figures["recognised_share"] > 0.7
    assert figures["learned_found_at_once"]
    assert figures["keys"] > 400
