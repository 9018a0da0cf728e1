import sys

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
