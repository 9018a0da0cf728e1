"""`converse user` and `converse export` on a database with two people in it."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from sqlalchemy.engine import URL

from bot.channels.base import Turn, UserKey
from bot.channels.console import history_of
from bot.cli import main
from bot.dashboard.forms import example
from bot.storage.store import open_store
from bot.study.designs import DesignStore
from tests.bot.channels.doubles import StoredEcho

PEOPLE = {"Thomas": UserKey("telegram", "987654321"), "Anna": UserKey("console", "anna")}


async def fill(folder: Path, at: datetime) -> None:
    url = URL.create("sqlite+aiosqlite", database=str(folder / "converse.db"))
    async with open_store(url, lambda: at) as store:
        for name, user in PEOPLE.items():
            await StoredEcho(store).handle(Turn(user, at.isoformat(), "text", f"I am {name}", at))


async def make_study(folder: Path, design: str) -> None:
    url = URL.create("sqlite+aiosqlite", database=str(folder / "converse.db"))
    async with open_store(url, lambda: datetime.now(UTC)) as store:
        await DesignStore(store).add(design, "ada")


def test_the_datasheet_has_the_consent_text_of_a_study_made_in_the_browser(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = example().model_dump(mode="json")
    design["consent"]["text"] = "We keep what you write for a study of violets."
    asyncio.run(make_study(folder, yaml.safe_dump(design)))
    assert run(monkeypatch, "export", "--out", tmp_path / "out", "--data-dir", folder) == 0
    assert "a study of violets" in (tmp_path / "out" / "DATASHEET.md").read_text()


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    await fill(tmp_path, datetime.now(UTC))
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> object:
    monkeypatch.setattr(sys, "argv", ["converse", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_export_of_a_person(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--data-dir", folder, "user", "export", "telegram:987654321") == 0
    data = json.loads(capsys.readouterr().out)
    assert [record["message"] for record in data["records"]] == ["I am Thomas"]
    assert run(monkeypatch, "user", "export", "anna", "--data-dir", folder) == 0
    assert json.loads(capsys.readouterr().out)["users"][0]["external_id"] == "anna"


def test_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "user", "export", "ben", "--data-dir", folder) == 2
    assert capsys.readouterr().err == "converse: nothing is stored of ben\n"
    assert run(monkeypatch, "user", "erase", "ben", "--yes", "--data-dir", folder) == 2


def test_erasing_needs_a_yes_and_exports_have_nothing_left(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "user", "erase", "anna", "--data-dir", folder) == 2
    assert "--yes" in capsys.readouterr().err
    out = tmp_path / "out"
    assert run(monkeypatch, "export", "--out", out, "--data-dir", folder) == 0
    file = out / "movie" / "messages_mixed.json"
    assert {row["userID"] for row in json.loads(file.read_bytes())} == {1, 2}
    assert run(monkeypatch, "user", "erase", "anna", "--yes", "--data-dir", folder) == 0
    assert run(monkeypatch, "export", "--out", out, "--data-dir", folder) == 0
    assert "Anna" not in file.read_text()
    assert run(monkeypatch, "user", "export", "telegram:987654321", "--data-dir", folder) == 0


def test_what_was_typed_in_the_terminal_goes_with_its_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = {name: history_of(folder, name) for name in ("anna", "../ben")}
    for name, path in typed.items():
        assert path.parent == folder / "typed"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"+I like what {name} likes")
    assert run(monkeypatch, "user", "erase", "anna", "--yes", "--data-dir", folder) == 0
    assert not typed["anna"].exists()
    assert typed["../ben"].exists()
    assert run(monkeypatch, "user", "erase", "../ben", "--yes", "--data-dir", folder) == 0
    assert list((folder / "typed").iterdir()) == []


def test_nobody_else_on_the_machine_may_read_the_database(folder: Path) -> None:
    for name in ("converse.db", "converse.db.lock"):
        assert (folder / name).stat().st_mode & 0o077 == 0


def test_ids_of_accounts_are_never_exported(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("converse", "redial", "dialoguekit"):
        assert run(monkeypatch, "export", "--format", name, "--out", tmp_path / name, "--data-dir", folder) == 0
        written = "".join(file.read_text() for file in (tmp_path / name).rglob("*") if file.is_file())
        assert "Thomas" in written
        assert "987654321" not in written
        assert "telegram" not in written


async def test_what_identifies_a_person_is_taken_out_of_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    now = datetime.now(UTC)
    async with open_store(url, lambda: now) as store:
        await StoredEcho(store).handle(Turn(PEOPLE["Anna"], "1", "text", "I like Up; mail anna@example.org", now))
    for name in ("converse", "redial"):
        command = ("export", "--format", name, "--out", tmp_path / name, "--data-dir", tmp_path)
        assert await asyncio.to_thread(run, monkeypatch, *command) == 0
        assert capsys.readouterr().err == "taken out of messages: email 1\n"
        written = "".join(file.read_text() for file in (tmp_path / name).rglob("*") if file.is_file())
        assert "I like Up; mail [email]" in written
        assert "anna@" not in written


def test_export_says_what_it_wrote(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "export", "--out", tmp_path / "out", "--data-dir", folder) == 0
    assert capsys.readouterr().out == "movie/messages_mixed.json: 2 messages of 2 users, 0 left out\n"


def test_export_without_conversations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "export", "--out", tmp_path / "out", "--data-dir", tmp_path) == 0
    assert "no conversations yet" in capsys.readouterr().err


def test_an_export_goes_when_everybody_in_it_was_erased(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert run(monkeypatch, "export", "--out", out, "--data-dir", folder) == 0
    assert list(out.rglob("*.json"))
    assert run(monkeypatch, "export", "--out", out, "--data-dir", tmp_path / "new") == 0
    assert not [path for path in out.rglob("*") if path.is_file()]


def test_unknown_format(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "export", "--format", "xml", "--out", "x") == 2
    assert "unknown format 'xml'" in capsys.readouterr().err


async def test_purge(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    await fill(folder, datetime.now(UTC) - timedelta(days=100))
    monkeypatch.delenv("CONVERSE_RETENTION_DAYS", raising=False)

    def purge(*arguments: str) -> object:
        return run(monkeypatch, "user", "purge", "--yes", "--data-dir", folder, *arguments)

    import asyncio

    assert await asyncio.to_thread(purge) == 2
    assert "CONVERSE_RETENTION_DAYS" in capsys.readouterr().err
    assert await asyncio.to_thread(purge, "--days", "30") == 0
    assert capsys.readouterr().out == "2 messages are deleted\n"
    assert await asyncio.to_thread(purge, "--days", "30") == 0
    assert capsys.readouterr().out == "0 messages are deleted\n"


def test_an_export_in_parts_with_licence_and_consent(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    from bot.study.config import template

    (tmp_path / "tastes.yaml").write_text(template("tastes"), encoding="utf-8")
    options = ("--splits", "50/0/50", "--licence", "CC BY 4.0", "--study", tmp_path / "tastes.yaml")
    assert run(monkeypatch, "export", "--out", out, *options, "--data-dir", folder) == 0
    assert capsys.readouterr().out.count("1 messages of 1 users") == 2
    told = (out / "DATASHEET.md").read_text(encoding="utf-8")
    assert "Licence: CC BY 4.0" in told
    assert "agreed to by 0 people" in told
    assert run(monkeypatch, "export", "--out", out, "--splits", "9/1", "--data-dir", folder) == 2
    assert "such as 80/10/10" in capsys.readouterr().err
