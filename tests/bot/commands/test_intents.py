"""`converse train intents` and `converse evaluate intents`, with the real pipeline on a small own data set."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli import build_app
from bot.errors import ConverseError, DataError, MissingFileError, UsageError
from nlu.intents.server import default_model, managed_rasa
from nlu.intents.training import MODEL_NAME

TEXTS = {
    "preference": ("I like film {}", "preference"),
    "request_recommendation": ("suggest me something {}", "question, recommendation"),
    "request_recommendation - preference": ("I love it {}", "recommendation, question, preference"),
    "show_profile": ("show my profile {}", ""),
}


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(build_app(), arguments)


def write(folder: Path, users: int) -> Path:
    """A small data set in the published form, one conversation a user."""
    rows = [
        {
            "userID": f"user {user}",
            "messageID": "7",
            "message": text.format(user),
            "intent": intent,
            "contexts": "",
            "events": events,
            "recognizedObjects": "",
            "toCheck": False,
        }
        for user in range(users)
        for intent, (text, events) in TEXTS.items()
    ]
    (folder / "movie").mkdir(parents=True)
    (folder / "movie" / "messages_mixed.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["evaluate", "intents"], UsageError, "--data DIR"),
        (["evaluate", "intents", "--train", "x"], UsageError, "--test DIR"),
        (["evaluate", "intents", "--data", "no/such/folder"], MissingFileError, "no/such/folder"),
        (["train", "intents", "--pipeline", "magic"], UsageError, "logreg, diet"),
        (["train", "intents", "--figures", "no/such/file"], MissingFileError, "no/such/file"),
        (["train", "intents", "--figures", __file__], DataError, "test_intents.py"),
        (["train", "intents", "--data", "no/such/folder"], MissingFileError, "no/such/folder"),
    ],
)
def test_wrong_arguments_are_one_clear_error(arguments: list[str], error: type[ConverseError], words: str) -> None:
    result = invoke(*arguments)
    assert isinstance(result.exception, error)
    assert words in str(result.exception)
    assert error.exit_code == 2


def test_a_file_that_is_no_conversation_is_named(tmp_path: Path) -> None:
    (tmp_path / "movie").mkdir()
    (tmp_path / "movie" / "messages_nl.json").write_text("[1]", encoding="utf-8")
    result = invoke("evaluate", "intents", "--data", str(tmp_path))
    assert isinstance(result.exception, DataError)
    assert "messages_nl.json" in str(result.exception)


def test_the_shipped_model_is_the_one_its_card_describes() -> None:
    card = json.loads((default_model() / "model_card.json").read_text(encoding="utf-8"))
    archive = default_model() / MODEL_NAME
    assert card["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert card["sha256"] in (default_model() / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert card["figures"]["split"] == "users, 5 folds"


@pytest.mark.slow
def test_evaluation_trains_elsewhere_and_prints_one_document(tmp_path: Path) -> None:
    before = hashlib.sha256((default_model() / MODEL_NAME).read_bytes()).hexdigest()
    train, test = write(tmp_path / "train", users=6), write(tmp_path / "test", users=3)
    result = invoke("evaluate", "intents", "--train", str(train), "--test", str(test), "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["trusted"]["n"] == 12
    assert document["trusted"]["accuracy"] == 1.0
    assert document["split"] == "train/test"
    assert hashlib.sha256((default_model() / MODEL_NAME).read_bytes()).hexdigest() == before


@pytest.mark.slow
async def test_training_installs_a_model_that_rasa_serves(tmp_path: Path) -> None:
    data = write(tmp_path / "data", users=2)
    result = invoke("train", "intents", "--data", str(data), "--out", str(tmp_path / "model"))
    assert result.exit_code == 0, result.stderr
    card = json.loads((tmp_path / "model" / "model_card.json").read_text(encoding="utf-8"))
    assert card["pipeline"] == "logreg"
    assert card["examples_by_intent"]["preference"] > 40
    async with managed_rasa(tmp_path / "state", model=tmp_path / "model") as url:
        assert url.startswith("http://127.0.0.1:")
