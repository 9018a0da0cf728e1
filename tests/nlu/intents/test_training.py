"""Installing a model with its card, and what happens when Rasa cannot be used."""

import hashlib
import json
from pathlib import Path

import pytest

from data.errors import MissingFileError, UsageError
from nlu.intents import training
from nlu.intents.training_set import Example

EXAMPLES = [Example("hi", "greet"), Example("hello", "greet"), Example("bye", "bye")]


def test_an_installed_model_has_a_card_that_describes_it(tmp_path: Path) -> None:
    archive = tmp_path / "trained.tar.gz"
    archive.write_bytes(b"a model")
    target = tmp_path / "models" / "intents"
    for _ in range(2):  # a second time replaces it
        installed = training.install(
            archive,
            target,
            EXAMPLES,
            pipeline="logreg",
            command="converse train intents",
            sources=["ours"],
            figures=None,
        )
    card = json.loads((target / "model_card.json").read_text(encoding="utf-8"))
    assert sorted(path.name for path in target.iterdir()) == ["MODEL_CARD.md", "intents.tar.gz", "model_card.json"]
    assert installed.read_bytes() == b"a model"
    assert card["sha256"] == hashlib.sha256(b"a model").hexdigest()
    assert card["examples_by_intent"] == {"bye": 1, "greet": 2}
    assert "not measured" in (target / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_a_missing_environment_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "default_python", lambda: tmp_path / "nowhere" / "python")
    with pytest.raises(MissingFileError, match="make setup"):
        training.train(EXAMPLES, tmp_path)
    with pytest.raises(MissingFileError, match="make setup"):
        next(training.classify([training.Job(EXAMPLES, ["hi"])]))


def test_an_unknown_pipeline_is_refused_with_those_that_exist() -> None:
    assert training.known_pipeline("diet") == "diet"
    with pytest.raises(UsageError, match="logreg, diet"):
        training.known_pipeline("bert")
