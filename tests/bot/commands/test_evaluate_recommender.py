import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import build_app
from bot.errors import DataError, MissingFileError, UsageError


def invoke(*arguments: str) -> str:
    command = ["evaluate", "recommender", *arguments]
    return CliRunner().invoke(build_app(), command, catch_exceptions=False).stdout


def test_released_dialogues_are_measured(tmp_path: Path) -> None:
    rows = [
        {"userID": 1, "recognizedObjects": "Q47703+, Q25188+"},
        {"userID": 1, "recognizedObjects": "Q184768+, Q131074-"},
    ]
    (tmp_path / "movie").mkdir()
    (tmp_path / "movie" / "messages_nl.json").write_text(json.dumps(rows))
    document = json.loads(invoke("--dataset", "converse", "--data", str(tmp_path), "--json"))
    assert {"dataset", "ours", "peers", "intervals", "by_domain"} <= set(document)
    assert document["ours"]["auc"] == 1.0
    assert "ours" in invoke("--dataset", "converse", "--data", str(tmp_path))


def test_wrong_arguments_are_explained(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="llm-redial"):
        invoke("--dataset", "netflix", "--data", str(tmp_path))
    with pytest.raises(MissingFileError, match="messages_"):
        invoke("--dataset", "converse", "--data", str(tmp_path))
    for dataset in ("mindreader", "redial", "inspired"):
        with pytest.raises(MissingFileError, match="is missing"):
            invoke("--dataset", dataset, "--data", str(tmp_path / "nothing"))


def test_conversations_that_allow_no_measurement_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "movie").mkdir()
    rows = [{"userID": 1, "recognizedObjects": "Q47703+"}]
    (tmp_path / "movie" / "messages_nl.json").write_text(json.dumps(rows))
    with pytest.raises(DataError, match="nothing can be measured") as caught:
        invoke("--dataset", "converse", "--data", str(tmp_path))
    assert caught.value.exit_code == 2
