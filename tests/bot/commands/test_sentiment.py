import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli import build_app
from bot.errors import MissingFileError, UsageError

CASE: dict[str, Any] = {
    "text": "I love Alien but Prometheus bored me",
    "entities": [
        {"mention": "Alien", "start": 7, "end": 12, "polarity": "+"},
        {"mention": "Prometheus", "start": 17, "end": 27, "polarity": "-"},
    ],
}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE) + "\n", encoding="utf-8")
    return path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(build_app(), [*arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_json_has_the_documented_form(cases: Path) -> None:
    document = json.loads(run("evaluate", "sentiment", "--cases", str(cases), "--json"))
    expected = {"n", "accuracy", "balanced_accuracy", "sentences_exact", "by_category", "ms_median", "model"}
    assert expected <= set(document)
    assert (document["n"], document["accuracy"], document["sentences_exact"]) == (2, 1.0, 1.0)


def test_the_text_form_names_the_model_and_the_errors(cases: Path) -> None:
    liked, disliked = CASE["entities"]
    wrong = {**CASE, "entities": [liked, {**disliked, "polarity": "+"}]}
    cases.write_text(json.dumps(wrong) + "\n", encoding="utf-8")
    shown = run("evaluate", "sentiment", "--cases", str(cases), "--errors")
    assert shown.startswith("stanza-")
    assert "'Prometheus' is +, not -" in shown


def test_unknown_models_and_files_are_refused(cases: Path, tmp_path: Path) -> None:
    app, runner = build_app(), CliRunner()
    wanted = ["evaluate", "sentiment", "--cases", str(cases), "--model", "huge"]
    assert isinstance(runner.invoke(app, wanted).exception, MissingFileError)
    missing = ["evaluate", "sentiment", "--cases", str(tmp_path / "none.jsonl")]
    assert isinstance(runner.invoke(app, missing).exception, MissingFileError)
    assert isinstance(runner.invoke(app, ["train", "sentiment", "--model", "huge"]).exception, UsageError)
