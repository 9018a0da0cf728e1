"""`converse doctor` tells the truth about what is there, changes nothing, and says how to get the rest."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli import build_app
from nlu.sentiment.card import MODELS_FOLDER, ModelCard
from nlu.sentiment.recognizer import DEFAULT_MODEL


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RASA_URL", "TELEGRAM_BOT_TOKEN", "CONVERSE_DATA_DIR", "CONVERSE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


def doctor(data_dir: Path, *options: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code and checks by part."""
    done = CliRunner().invoke(build_app(), ["doctor", "--json", "--data-dir", str(data_dir), *options])
    report = json.loads(done.stdout)
    assert report["ready"] == (done.exit_code == 0)
    return done.exit_code, {check["part"]: check for check in report["checks"]}


def test_a_whole_installation_is_ready_and_left_as_it_is(tmp_path: Path) -> None:
    code, checks = doctor(tmp_path / "data")
    assert code == 0, [check for check in checks.values() if check["state"] == "missing"]
    assert "rasa 3.6.21, logreg" in checks["intents"]["detail"]
    assert ModelCard.load(MODELS_FOLDER / DEFAULT_MODEL).name in checks["sentiment"]["detail"]
    assert "3.6.21" in checks["rasa"]["detail"]
    assert "+cpu" in checks["libraries"]["detail"]
    assert not list(tmp_path.iterdir())


def test_what_is_optional_may_lack_but_is_explained(tmp_path: Path) -> None:
    _, checks = doctor(tmp_path)
    assert checks["telegram"]["state"] == "off"
    assert "@BotFather" in checks["telegram"]["remedy"]
    assert checks["wikidata"]["state"] == "off"


def test_a_token_is_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "123:secret")
    done = CliRunner().invoke(build_app(), ["doctor", "--data-dir", str(tmp_path)])
    assert "token set" in done.output
    assert "secret" not in done.output


def test_a_missing_model_is_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlu.intents.server.default_model", lambda: tmp_path / "models" / "intents")
    code, checks = doctor(tmp_path)
    assert code == 1
    assert checks["intents"]["state"] == "missing"
    assert "converse train intents" in checks["intents"]["remedy"]


def test_a_model_that_its_card_does_not_name_is_pointed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "models" / "intents"
    folder.mkdir(parents=True)
    (folder / "mine.tar.gz").write_bytes(b"model")
    card = {"backend": "rasa 3.6.21", "pipeline": "logreg", "sha256": "0" * 64}
    (folder / "model_card.json").write_text(json.dumps(card))
    monkeypatch.setattr("nlu.intents.server.default_model", lambda: folder)
    assert "not in its model card" in doctor(tmp_path)[1]["intents"]["detail"]
    card["sha256"] = hashlib.sha256(b"model").hexdigest()
    (folder / "model_card.json").write_text(json.dumps(card))
    assert "rasa 3.6.21, logreg" in doctor(tmp_path)[1]["intents"]["detail"]


def test_a_damaged_sentiment_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(MODELS_FOLDER / DEFAULT_MODEL, tmp_path / "models" / DEFAULT_MODEL)
    (tmp_path / "models" / DEFAULT_MODEL / "classifier.pt").write_bytes(b"")
    monkeypatch.setattr("nlu.sentiment.card.MODELS_FOLDER", tmp_path / "models")
    code, checks = doctor(tmp_path / "data")
    assert code == 1
    assert "classifier.pt" in checks["sentiment"]["detail"]


def test_a_rasa_that_does_not_answer_keeps_the_bot_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RASA_URL", "http://127.0.0.1:1")
    code, checks = doctor(tmp_path)
    assert code == 1
    assert "RASA_URL" in checks["rasa"]["remedy"]


def test_a_missing_rasa_environment_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlu.intents.server.default_python", lambda: tmp_path / "bin" / "python")
    code, checks = doctor(tmp_path)
    assert code == 1
    assert "make setup" in checks["rasa"]["remedy"]


def test_a_broken_catalogue_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("no catalogue\n")
    monkeypatch.setenv("CONVERSE_CATALOGUE", str(broken))
    code, checks = doctor(tmp_path)
    assert code == 1
    assert "broken.jsonl" in checks["catalogue"]["detail"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, checks = doctor(tmp_path / "file" / "data")
    assert code == 1
    assert "--data-dir" in checks["data folder"]["remedy"]


def test_a_file_that_is_no_database_is_named_and_kept(tmp_path: Path) -> None:
    (tmp_path / "converse.db").write_text("this is no database, but it may be dear to somebody" * 20)
    before = (tmp_path / "converse.db").read_bytes()
    code, checks = doctor(tmp_path)
    assert code == 1
    assert "not a database" in checks["database"]["detail"]
    assert (tmp_path / "converse.db").read_bytes() == before


def test_a_postgresql_that_does_not_answer_is_named_without_the_password(tmp_path: Path) -> None:
    code, checks = doctor(tmp_path, "--database-url", f"postgresql://anna:secret@/converse?host={tmp_path}")
    assert code == 1
    assert "PostgreSQL" in checks["database"]["detail"]
    assert "secret" not in json.dumps(checks)
