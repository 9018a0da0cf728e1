"""A whole export: parts by user, datasheet, checksums, and what of an earlier export goes."""

import hashlib
import json
from datetime import date
from pathlib import Path

import pytest

from bot.export.answers import StudyData
from bot.export.datasheet import ConsentText, chat_consent
from bot.export.run import Source, Wish, export
from bot.export.splitting import Splits
from bot.records import Record
from data.catalogue import Catalogue
from data.formats import FORMATS, WRITERS, open_dataset
from data.formats.problems import Problem
from tests.bot.export.test_converse import record
from tests.bot.export.test_dialogues import CATALOGUE, written

TODAY = date(2026, 5, 2)


def people(count: int) -> list[tuple[int, Record]]:
    return [(1000 + number, record(number, message=f"I like Heat, says {number}.")) for number in range(count)]


def run(out: Path, rows: list[tuple[int, Record]], **wish: object) -> list[str]:
    said: list[str] = []
    wanted = Wish(**{"format": "converse", "made": TODAY, **wish})  # type: ignore[arg-type]
    export(wanted, Source(rows, StudyData(), CATALOGUE.get), out, said.append)
    return said


def sheet(out: Path) -> str:
    return (out / "DATASHEET.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_parts_are_by_user_in_every_format(name: str, tmp_path: Path) -> None:
    run(tmp_path, people(20), format=name, splits=Splits((80, 10, 10)))
    words = {part: _words(tmp_path / part) for part in ("train", "valid", "test")}
    said = {part: {n for n in range(20) if f"says {n}." in text} for part, text in words.items()}
    assert {part: len(found) for part, found in said.items()} == {"train": 16, "valid": 2, "test": 2}
    assert set().union(*said.values()) == set(range(20))
    assert "| train | 16 | 16 |" in sheet(tmp_path)
    if name != "dialoguekit":
        problems: list[Problem] = []
        dataset = open_dataset(tmp_path, name)
        for path, kind in dataset.files.items():
            list(FORMATS[name].check(path, kind, problems.append))
        assert problems == []


def _words(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


def test_checksums_are_of_all_files_that_were_written(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("the operator's own")
    (tmp_path / "left_out.json").write_text("of an export without checksums")
    run(tmp_path, written())
    lines = dict(reversed(line.split("  ")) for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert set(lines) == {
        "DATASHEET.md",
        "left_out.json",
        "movie/messages_mixed.json",
        "movie/messages_nl.json",
        "music/messages_buttons.json",
    }
    for name, digest in lines.items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest


def test_an_earlier_export_goes_but_not_what_is_not_of_it(tmp_path: Path) -> None:
    run(tmp_path, people(3), format="recommind")
    (tmp_path / "mine.txt").write_text("the operator's own")
    (tmp_path / "movie" / "dialogues" / "2.json").write_text("changed by hand")
    run(tmp_path, people(1), format="recommind")
    assert [path.name for path in sorted((tmp_path / "movie" / "dialogues").iterdir())] == ["1.json", "2.json"]
    assert (tmp_path / "mine.txt").exists()
    assert "2.json" not in (tmp_path / "SHA256SUMS").read_text()


def test_checksums_that_name_files_elsewhere_remove_nothing(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"")
    out = tmp_path / "out"
    out.mkdir()
    (out / "SHA256SUMS").write_text(f"{hashlib.sha256(b'').hexdigest()}  ../outside.txt\n")
    run(out, people(1))
    assert outside.exists()


def test_the_datasheet_tells_how_the_data_came_about(tmp_path: Path) -> None:
    consents = [
        chat_consent("Do you agree?\nReally?"),
        ConsentText("the study tastes", "2", "We keep your words.", 7),
        ConsentText("the study old", "1", "", 3),
    ]
    rows = [*written(), (17, record(6, message="write to a@b.it", condition="mode=nl"))]
    run(tmp_path, rows, format="redial", licence="CC BY 4.0", consents=consents)
    told = sheet(tmp_path)
    for expected in (
        "6 messages of 2 people",
        "in the redial format",
        "Made on 2026-05-02",
        "of 2026-05-01 to 2026-05-01",
        "| movie | 2 | 5 |",
        "| music | 1 | 1 |",
        "- mode=nl: 1 messages",
        "privacy.privacy 1",
        "utterance.intent 6",
        "> Do you agree?\n> Really?",
        "Consent of the study tastes, version 2, agreed to by 7 people:\n\n> We keep your words.",
        "name it with --study",
        "email 1",
        "Licence: CC BY 4.0",
    ):
        assert expected in told, expected
    assert "a@b.it" not in told
    account = json.loads((tmp_path / "left_out.json").read_text())
    assert account["messages"] == {"movie": {"privacy.privacy": 1}}
    assert account["fields"]["utterance.intent"] == 6


def test_without_a_licence_the_datasheet_says_so(tmp_path: Path) -> None:
    run(tmp_path, people(1))
    assert "none chosen" in sheet(tmp_path)
    assert "replaced by their kind in square brackets: nothing." in sheet(tmp_path)


def test_somebody_who_only_gave_commands_is_counted_once(tmp_path: Path) -> None:
    rows = [*people(10), (5, record(50, message="/privacy", intent="privacy.privacy", exported=False))]
    said = run(tmp_path, rows, splits=Splits((80, 10, 10)))
    assert said[0] == "train/movie/messages_mixed.json: 8 messages of 8 users, 1 left out"
    assert sum("1 left out" in line for line in said) == 1


def test_a_catalogue_that_knows_nothing_is_enough(tmp_path: Path) -> None:
    for name in sorted(WRITERS):
        export(Wish(name, TODAY), Source(written(), StudyData(), Catalogue().get), tmp_path / name, print)
        assert list((tmp_path / name / "movie").iterdir())
