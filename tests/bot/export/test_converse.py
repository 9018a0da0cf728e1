"""The export is in the published form: the same bytes, field order, types and value patterns."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.errors import UsageError
from bot.export.converse import LEFT_OUT, to_rows, write_rows
from bot.records import Record
from data.formats.converse import dump_rows
from data.formats.rows import load_rows
from tests.bot.storage.conftest import REPLY, make_record

START = datetime(2026, 5, 1, 12, 0, 0, 999_000, tzinfo=UTC)
PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "converse"
PATTERNS = {
    "messageID": r"\d+|mid\.\$.+",
    "contexts": r"|[a-z_-]+(, [a-z_-]+)*",
    "recognizedObjects": r"|Q\d+[+-](, Q\d+[+-])*",
    "events": r"|[a-z_]+(, [a-z_]+)*",
    "interactionType": r"NL|mixed|buttons",
}
ORDER = [
    "messageID", "userID", "message", "timestampStart", "timestampEnd", "intent", "contexts", "toCheck",
    "recognizedObjects", "events", "pagerankCycle", "numberRecommendationList", "interactionType",
]  # fmt: skip
TYPES = [str, int, str, int, int, str, str, bool, str, str, int, int, str]


def record(seconds: float = 0, **values: Any) -> Record:
    start = START + timedelta(seconds=seconds)
    return make_record(**{"received_at": start, "answered_at": start + timedelta(seconds=1.5), **values})


def written() -> list[tuple[int, Record]]:
    """Two users in two modes and two domains, with a command in between."""
    return [
        (900, record(0, message="I like Heat", events=("question", "preference", "disambiguation"))),
        (17, record(1, message="Caf\u00e9 \u201cquoted\u201d / \U0001f600", recognized_objects=())),
        (900, record(2, message="the first", intent="preference - disambiguation", events=("preference",))),
        (900, record(3, message="/privacy", intent="privacy.privacy", exported=False)),
        (
            17,
            record(4, message="hi", interaction_type="NL", intent="smalltalk.greetings.hello", events=(), contexts=()),
        ),
        (17, record(5, message="a song", domain="music", interaction_type="buttons")),
    ]


def schema_of(row: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the form of a row."""
    if list(row) != ORDER:
        yield f"order {list(row)}"
        return
    for (name, value), kind in zip(row.items(), TYPES, strict=True):
        if type(value) is not kind:
            yield f"{name} is {type(value).__name__}"
        elif name in PATTERNS and not re.fullmatch(PATTERNS[name], value):
            yield f"{name} is {value!r}"
    if row["timestampStart"] % 1000 or row["timestampEnd"] % 1000 or row["timestampEnd"] < row["timestampStart"]:
        yield "timestamps"
    if min(row["userID"] - 1, row["pagerankCycle"], row["numberRecommendationList"]) < 0:
        yield "numbers"


def test_rows_go_to_the_file_of_their_domain_and_mode() -> None:
    made = to_rows(written())
    assert {name: [row["message"] for row in rows] for name, rows in made.rows.items()} == {
        "movie/messages_mixed.json": ["I like Heat", "Caf\u00e9 \u201cquoted\u201d / \U0001f600", "the first"],
        "movie/messages_nl.json": ["hi"],
        "music/messages_buttons.json": ["a song"],
    }


def test_users_and_messages_are_numbered_anew_in_each_file() -> None:
    made = to_rows(written())
    assert [(row["messageID"], row["userID"]) for row in made.rows["movie/messages_mixed.json"]] == [
        ("1", 1),
        ("2", 2),
        ("3", 1),
    ]
    assert [(row["messageID"], row["userID"]) for row in made.rows["music/messages_buttons.json"]] == [("1", 1)]


def test_every_field_of_a_row() -> None:
    row = to_rows([(5, record(message="I like Heat"))]).rows["movie/messages_mixed.json"][0]
    assert row == {
        "messageID": "1",
        "userID": 1,
        "message": "I like Heat",
        "timestampStart": 1777636800000,
        "timestampEnd": 1777636802000,
        "intent": "preference",
        "contexts": "preference-followup",
        "toCheck": False,
        "recognizedObjects": "Q42198+",
        "events": "preference",
        "pagerankCycle": 1,
        "numberRecommendationList": 2,
        "interactionType": "mixed",
    }


def test_to_check_follows_the_tasks_of_each_user() -> None:
    rows = to_rows(written()).rows["movie/messages_mixed.json"]
    assert [row["toCheck"] for row in rows] == [False, False, False]
    failed = to_rows([*written()[:1], (900, record(2, intent="help", events=(), contexts=()))])
    assert [row["toCheck"] for row in failed.rows["movie/messages_mixed.json"]] == [True, True]


def test_rows_are_sorted_by_their_start_even_if_the_clock_went_backwards() -> None:
    made = to_rows([(1, record(10)), (2, record(0)), (1, replace(record(20), answered_at=START))])
    rows = made.rows["movie/messages_mixed.json"]
    assert [row["timestampStart"] for row in rows] == sorted(row["timestampStart"] for row in rows)
    assert all(list(schema_of(row)) == [] for row in rows)


def test_files_are_written_to_the_byte(tmp_path: Path) -> None:
    write_rows(to_rows(written()), tmp_path)
    content = (tmp_path / "movie" / "messages_mixed.json").read_bytes()
    rows = json.loads(content)
    assert content == json.dumps(rows, indent=4, ensure_ascii=True).replace("\n", "\r\n").encode("ascii")
    assert b"Caf\\u00e9 \\u201cquoted\\u201d / \\ud83d\\ude00" in content
    assert all(list(schema_of(row)) == [] for row in rows)
    assert not list(tmp_path.rglob("*.part"))


def test_what_is_left_out_is_counted_beside(tmp_path: Path) -> None:
    write_rows(to_rows(written()), tmp_path)
    assert json.loads((tmp_path / LEFT_OUT).read_text())["messages"] == {
        "movie/messages_mixed.json": {"privacy.privacy": 1}
    }


def test_preferences_and_recommended_items_that_no_row_holds_are_counted(tmp_path: Path) -> None:
    told = record(9, intent="privacy.privacy", exported=False, recognized_objects=(("Q1", "+"), ("Q2", "-")))
    shown = [record(place, recommended=item) for place, item in enumerate(("Q1", "Q1", "Q2"))]
    write_rows(to_rows([(1, told), *((user, each) for user in (1, 2) for each in shown)]), tmp_path)
    account = json.loads((tmp_path / LEFT_OUT).read_text())
    assert account["preferences"] == {"movie/messages_mixed.json": 2}
    assert account["recommendations"] == {"movie/messages_mixed.json": 4}


def test_nothing_of_the_person_is_in_an_export(tmp_path: Path) -> None:
    write_rows(to_rows([(987654321, record(reply=REPLY))]), tmp_path)
    assert "987654321" not in "".join(file.read_text() for file in tmp_path.rglob("*.json"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"cannot write .*file.*--out"):
        write_rows(to_rows(written()), tmp_path / "file")


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published ConveRSE files are not in ../shared/data")
def test_the_form_is_that_of_all_published_rows() -> None:
    files = load_rows(PUBLISHED)
    rows = [row for file in files for row in file.rows]
    assert len(rows) == 9276
    assert [problem for row in rows for problem in schema_of(row)] == []
    ours = [row for rows in to_rows(written()).rows.values() for row in rows]
    assert [problem for row in ours for problem in schema_of(row)] == []
    assert {name for row in ours for name in row} == {name for row in rows for name in row}
    for file in files:
        assert dump_rows(file.rows) == file.path.read_bytes(), file.path
