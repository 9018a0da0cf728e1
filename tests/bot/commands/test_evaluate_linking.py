import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bot.cli import build_app
from bot.errors import DataError, MissingFileError
from data.catalogue import write_entities
from data.model import Entity


def row(number: int, message: str, objects: str, intent: str = "preference") -> dict[str, Any]:
    return {
        "messageID": str(number),
        "userID": 1,
        "message": message,
        "timestampStart": 1_523_436_724_000,
        "timestampEnd": 1_523_436_727_000,
        "intent": intent,
        "contexts": "",
        "toCheck": False,
        "recognizedObjects": objects,
        "events": "",
        "pagerankCycle": 0,
        "numberRecommendationList": 0,
        "interactionType": "NL",
    }


@pytest.fixture
def released(tmp_path: Path) -> Path:
    rows = [
        row(1, "I like silent harbour", "Q5+"),
        row(2, "I like the midnight orchrd", "Q6-"),
        row(3, "I like something else entirely", "Q6+"),
        row(4, "help", "", "help"),
    ]
    path = tmp_path / "released" / "movie" / "messages_nl.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(rows), "utf-8")
    return tmp_path / "released"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    films = [Entity("Q5", "The Silent Harbour", "film", "movie"), Entity("Q6", "Midnight Orchard", "film", "movie")]
    write_entities(path, films)
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(build_app(), ["evaluate", "linking", *map(str, arguments)], catch_exceptions=False)


def test_figures_of_rows_with_one_known_object(released: Path, own: Path) -> None:
    document = json.loads(run("--data", released, "--catalogue", own, "--json").stdout)

    assert (document["n"], document["accepted_or_offered"], document["accepted_right"]) == (2, 1.0, 1.0)
    assert document["all_rows"]["n"] == 3
    assert document["false_mentions_share"] == 0.0
    assert document["by_domain"]["movie"]["n"] == 2


def test_errors_can_be_read(released: Path, own: Path) -> None:
    rows = json.loads((released / "movie" / "messages_nl.json").read_text("utf-8"))
    rows.append(row(5, "I like silent harbour", "Q5+", "help") | {"recognizedObjects": ""})
    (released / "movie" / "messages_nl.json").write_text(json.dumps(rows), "utf-8")

    document = json.loads(run("--data", released, "--catalogue", own, "--errors", "--json").stdout)
    shown = run("--data", released, "--catalogue", own).stdout

    assert [error["kind"] for error in document["errors"]] == ["false mention"]
    assert "false mention: 'I like silent harbour'" in shown
    assert "accepted_or_offered 1.0" in shown


def test_folder_without_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="messages_nl"):
        run("--data", tmp_path)


def test_row_without_a_field_is_named(released: Path, own: Path) -> None:
    (released / "movie" / "messages_nl.json").write_text('[{"userID": 1, "message": "I like it"}]', "utf-8")

    with pytest.raises(DataError, match="row 1 has no intent"):
        run("--data", released, "--catalogue", own)
