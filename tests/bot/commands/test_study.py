"""`converse study`: what it says when a name, a file or an account is wrong, and what it keeps."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from bot.cli import build_app
from bot.errors import ConfigError, MissingFileError, UsageError

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in an empty folder with a data folder of its own; its errors are raised."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONVERSE_DATA_DIR", str(tmp_path / "data"))

    def call(*words: str, said: str = "") -> Result:
        result = CliRunner().invoke(build_app(), words, input=said, standalone_mode=False)
        if result.exception is not None:
            raise result.exception
        return result

    return call


def test_a_new_study_is_ready_to_be_checked_by_its_name(run: Run, tmp_path: Path) -> None:
    run("study", "new", "tastes")
    assert "within" in (tmp_path / "tastes.yaml").read_text(encoding="utf-8")
    found = run("study", "check", "tastes")
    assert "3 between-subject cells, 2 conditions a participant" in found.stdout
    assert found.stdout == run("study", "check", "tastes.yaml").stdout
    with pytest.raises(UsageError, match="exists already"):
        run("study", "new", "tastes")


def test_a_bad_name_is_answered_with_a_good_one(run: Run) -> None:
    with pytest.raises(UsageError, match=r"such as my-study$"):
        run("study", "new", "My Study!")


def test_a_broken_file_is_named_with_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: bad\ntitle: [a\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad.yaml, line 3, column 1: not readable as YAML"):
        run("study", "check", "bad")
    with pytest.raises(MissingFileError, match="nothing: no such study"):
        run("study", "status", "nothing")


def test_levels_are_those_that_the_bot_knows(run: Run, tmp_path: Path) -> None:
    run("study", "new", "tastes")
    path = tmp_path / "tastes.yaml"
    text = path.read_text(encoding="utf-8")
    for right, wrong in (
        ("[nl, mixed]", "[nl, loud]"),
        ("[ppr, popularity]", "[ppr, magic]"),
        ("languages: [en]", "languages: [xx]"),
    ):
        path.write_text(text.replace(right, wrong), encoding="utf-8")
        with pytest.raises(ConfigError, match="is none of"):
            run("study", "check", "tastes")


@pytest.mark.parametrize("size", ["nan", "inf", "much"])
def test_an_effect_has_a_finite_size(run: Run, size: str) -> None:
    run("study", "new", "tastes")
    with pytest.raises(UsageError, match="expected FACTOR=LEVEL:SIZE"):
        run("study", "simulate", "tastes", "--effect", f"mode=mixed:{size}")


def test_a_study_is_paused_and_nobody_can_be_moved_who_is_not_there(run: Run) -> None:
    run("study", "new", "tastes")
    run("study", "pause", "tastes")
    assert ": paused" in run("study", "status", "tastes").stdout
    for words in (("reassign", "tastes", "7", "domain=book"), ("exclude", "tastes", "7", "--reason", "a test")):
        with pytest.raises(UsageError, match="no participant 7"):
            run("study", *words)
    assert "study.yaml" in run("study", "export", "tastes", "--out", "out").stdout


def test_accounts_come_and_go(run: Run) -> None:
    assert "no account yet" in run("study", "account", "list").stderr
    run("study", "account", "add", "olga", said="a long password\n")
    run("study", "account", "add", "vera", "--role", "viewer", said="a long password\n")
    assert run("study", "account", "list").stdout == "olga: owner\nvera: viewer\n"
    run("study", "account", "password", "vera", said="another password\n")
    run("study", "account", "remove", "olga")
    assert run("study", "account", "list").stdout == "vera: viewer\n"
    for words, said, message in (
        (("add", "vera"), "a long password", "already"),
        (("add", "eve"), "short", "10 to 200 characters"),
        (("add", "eve", "--role", "god"), "a long password", "no role 'god'"),
        (("remove", "eve"), "", "no account 'eve'"),
    ):
        with pytest.raises(UsageError, match=message):
            run("study", "account", *words, said=f"{said}\n")
