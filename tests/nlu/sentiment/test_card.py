import json
from pathlib import Path

import pytest

from data.errors import DataError, MissingFileError
from nlu.sentiment.card import CARD, ModelCard, model_folder, sha256


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "classifier.pt").write_bytes(b"weights")
    card = ModelCard(
        name="tiny",
        made_with="converse train sentiment",
        made_on="2026-01-01",
        seed=1,
        data={"own": 1},
        figures={},
        files={"classifier.pt": sha256(tmp_path / "classifier.pt")},
    )
    card.save(tmp_path)
    return tmp_path


def test_a_saved_card_reads_back(folder: Path) -> None:
    card = ModelCard.load(folder)
    assert card.name == "tiny"
    assert card.encoder is None


def test_a_replaced_file_is_refused(folder: Path) -> None:
    (folder / "classifier.pt").write_bytes(b"other weights")
    with pytest.raises(DataError, match=r"classifier\.pt is not the file"):
        ModelCard.load(folder)


def test_a_missing_file_or_card_is_named_with_its_remedy(folder: Path) -> None:
    (folder / "classifier.pt").unlink()
    with pytest.raises(MissingFileError, match=r"classifier\.pt is missing.*converse train sentiment"):
        ModelCard.load(folder)
    (folder / CARD).unlink()
    with pytest.raises(MissingFileError, match="no sentiment model"):
        ModelCard.load(folder)


def test_a_card_with_an_unknown_entry_is_refused(folder: Path) -> None:
    content = json.loads((folder / CARD).read_text(encoding="utf-8"))
    (folder / CARD).write_text(json.dumps({**content, "surprise": 1}), encoding="utf-8")
    with pytest.raises(DataError, match="surprise"):
        ModelCard.load(folder)


def test_a_model_is_named_by_its_folder_or_path(folder: Path) -> None:
    assert model_folder(str(folder)) == folder
    assert model_folder("default").name == "default"
    with pytest.raises(MissingFileError, match="nothing-here"):
        model_folder("nothing-here")
