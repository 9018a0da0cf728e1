"""What a conversion leaves behind."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from data.errors import DataError
from data.formats import WRITERS, open_dataset
from data.formats.convert import convert
from data.formats.model import Dialogue
from data.formats.problems import ignore
from tests.data.formats import small


class FullDisk:
    """Writes a part of a file and fails."""

    name, suffix, one_file_each, held = "full", ".jsonl", False, frozenset[str]()

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        target.write_text("half")
        raise OSError(28, "No space left on device", str(target))


def test_a_conversion_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.converse(tmp_path / "in")
    out = tmp_path / "out"
    convert(open_dataset(tmp_path / "in"), "redial", out, ignore)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setitem(WRITERS, "redial", FullDisk())  # type: ignore[arg-type]
    with pytest.raises(DataError, match="out: cannot be written"):
        convert(open_dataset(tmp_path / "in"), "redial", out, ignore)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("out", ["in", "in/movie", "in/../in"])
def test_the_source_is_no_place_for_the_output(out: str, tmp_path: Path) -> None:
    small.converse(tmp_path / "in")
    with pytest.raises(DataError, match="lies in the source"):
        convert(open_dataset(tmp_path / "in"), "redial", tmp_path / out, ignore)


def test_names_of_an_earlier_conversion_are_kept(tmp_path: Path) -> None:
    small.converse(tmp_path / "in")
    out = tmp_path / "out"
    names = out / "movie" / "id2name.json"
    names.parent.mkdir(parents=True)
    names.write_text(json.dumps({"tt1": "Metropolis (1927)"}))
    convert(open_dataset(tmp_path / "in"), "reddit-movie", out, ignore)
    assert json.loads(names.read_text())["tt1"] == "Metropolis (1927)"
