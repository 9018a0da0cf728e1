"""The real `converse chat` process: real Rasa, Stanza, catalogue, recommender and database."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.channels.console import history_of

KEYS = {
    "message": str,
    "intent": str,
    "coarse_intent": str,
    "confidence": float,
    "contexts": list,
    "events": list,
    "recognized_objects": list,
    "domain": str,
    "interaction_type": str,
    "reply": dict,
    "recommended": str | None,
    "recommendation_list": list,
    "pagerank_cycle": int,
    "number_recommendation_list": int,
    "elapsed_ms": float,
}
LINES = (
    b"I like The Godfather\n"
    b"\n"
    b"suggest something\n"
    b"why?\n"
    b"\xff\xfe\x00 <&;?> \xf0\x9f\x98\n"
    + b"x" * 10_000
    + b"\n"
    + "\U0001f600\U0001f600\n".encode()
    + "\u0645\u0631\u062d\u0628\u0627\n".encode()
    + b"/unknown command\n"
    b"/books\n"
    b"I like it\r\n"
    b"no newline at the end"
)


@pytest.fixture(scope="module")
def environment(rasa_url: str) -> dict[str, str]:
    return {**os.environ, "RASA_URL": rasa_url, "OMP_NUM_THREADS": "1", "CONVERSE_SEED": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for the tests of this module, which build on each other."""
    return tmp_path_factory.mktemp("data")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "bot.cli", *arguments]


def chat(environment: dict[str, str], folder: Path, lines: bytes, *more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command("chat", "--data-dir", str(folder), *more),
        input=lines,
        env=environment,
        capture_output=True,
        timeout=120,
        check=True,
    )


def turns(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]


def test_json_has_one_object_for_each_line_whatever_the_line(environment: dict[str, str], folder: Path) -> None:
    found = turns(chat(environment, folder, LINES, "--json", "--domain", "movie", "--mode", "mixed", "--user", "anna"))
    assert len(found) == 12
    for turn in found:
        assert list(turn) == list(KEYS)
        for name, kind in KEYS.items():
            assert isinstance(turn[name], kind), name
        assert turn["reply"]["texts"]
        assert all(text.strip() for text in turn["reply"]["texts"])
    assert found[0]["recognized_objects"] == ["Q47703+"]
    assert found[2]["recommended"] in found[2]["recommendation_list"]
    assert [turn["recommended"] for turn in found[3:9]] == [found[2]["recommended"]] * 6, "bad input changes nothing"
    assert found[9]["domain"] == "book"
    assert found[11]["message"] == "no newline at the end"


def test_later_the_user_is_known_again_until_the_terminal_says_ctrl_d(
    environment: dict[str, str], folder: Path
) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("--data-dir", str(folder), "chat", "--user", "anna"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        read_until(ours, ">")
        os.write(ours, b"/profile\r")
        read_until(ours, "The Godfather")
        read_until(ours, ">")
        os.write(ours, b"\x04")
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert "/profile" in history_of(folder, "anna").read_text()


@pytest.fixture
def heard_interrupts() -> Iterator[None]:
    """Programs started now hear Ctrl-C, even when the tests run in the background, where a shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard_interrupts")
def test_without_a_name_the_profile_is_fresh_and_an_interrupt_ends_it_quietly(
    environment: dict[str, str], folder: Path
) -> None:
    process = subprocess.Popen(
        command("chat", "--data-dir", str(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"/profile\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"> /profile\n"
    answer = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    rest, errors = process.communicate()
    assert b"Godfather" not in answer + rest
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_an_unknown_domain_is_refused_at_once(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        command("chat", "--data-dir", str(tmp_path), "--domain", "games"),
        input=b"",
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"there is no domain 'games'; choose one of movie, book, music" in done.stderr


@pytest.mark.parametrize("setting", ["variant", "elicitation"])
def test_an_unknown_way_to_recommend_is_refused_at_once(
    environment: dict[str, str], tmp_path: Path, setting: str
) -> None:
    done = subprocess.run(
        command("chat", "--data-dir", str(tmp_path)),
        input=b"I like Heat\n",
        env={**environment, f"CONVERSE_{setting.upper()}": "nope"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"'nope'; choose one of" in done.stderr


def read_until(terminal: int, wanted: str, seconds: float = 60) -> str:
    shown, deadline = "", time.monotonic() + seconds
    while wanted not in shown:
        assert select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0], shown
        shown += os.read(terminal, 4096).decode(errors="replace")
    return shown
