import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["converse", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["chat", "--nonsense"], "No such option: --nonsense"),
        (["chat", "--mode", "shouting"], "no mode 'shouting'; choose one of nl, mixed, buttons"),
        (["chat", "--user", " "], "empty"),
        (["user", "purge", "--yes", "--days", "9999999"], "less than or equal to 36500"),
        (["recommend", "--seed", "-1"], "greater than or equal to 0"),
        (["study", "exclude", "x", "99999999999", "--reason", "y"], "less than or equal to 2147483647"),
        (["--database-url", "mysql://x/y", "chat"], "'mysql' is not supported"),
        (["chat", "--database-url", "mysql://x/y"], "'mysql' is not supported"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("converse: ")
    assert message in err
    assert err.count("\n") == 1


def test_options_after_the_command_win(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--database-url", "sqlite:///x", "chat", "--database-url", "oracle://x") == 2
    assert "'oracle' is not supported" in capsys.readouterr().err


def test_help_is_no_mistake(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "chat", "--help") == 0
    assert "converse chat --user anna" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["chat", "--data-dir", ""], ["export", "--out", " "]])
def test_an_empty_name_is_not_the_current_folder(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, *arguments) == 2
    assert "the name of the folder is empty" in capsys.readouterr().err


def test_help_keeps_its_brackets(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "export", "--help") == 0
    assert "[email]" in capsys.readouterr().out


def ended(redirected: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """How `converse` ends in a shell with its streams redirected."""
    command = f"{shlex.quote(sys.executable)} -m bot.cli {redirected}"
    return subprocess.run(
        ["sh", "-c", command], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["--help", "study new --help"])
def test_a_full_disk_is_one_line(command: str) -> None:
    done = ended(f"{command} >/dev/full")
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_names_the_remedy() -> None:
    assert ended("--help >/dev/full").stderr == ("converse: No space left on device: free some space, then try again\n")


def test_without_stdin_nobody_is_asked() -> None:
    done = ended("user erase nobody <&-")
    assert done.returncode == 2
    assert done.stderr == "converse: this cannot be undone: add --yes to do it\n"


def test_without_stdin_there_is_no_chat() -> None:
    done = ended("chat <&-")
    assert done.returncode == 2
    assert done.stderr.startswith("converse: stdin is closed")


def test_a_terminal_without_the_characters_gets_question_marks() -> None:
    done = ended("catalog search Amélie -n 1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "Am?lie" in done.stdout


def test_an_unanswered_question_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("bot.commands.user.is_terminal", lambda _: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run(monkeypatch, "--data-dir", str(tmp_path), "user", "erase", "nobody") == 1
    assert "converse: stopped before it was answered; nothing was done." in capsys.readouterr().err
