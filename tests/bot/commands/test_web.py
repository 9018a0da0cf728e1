"""`converse web` as people start it."""

import socket
import subprocess
import sys
from pathlib import Path


def web(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "bot.cli", "--data-dir", str(folder), "web", *arguments)
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_a_busy_port_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        done = web("--port", str(port), folder=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert str(port) in line
    assert "--port" in line


def test_a_missing_study_is_one_line(tmp_path: Path) -> None:
    done = web("--study", "nothing.yaml", folder=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "nothing.yaml" in line
    assert "converse study new" in line


def test_the_help_shows_an_example() -> None:
    done = web("--help", folder=Path())
    assert done.returncode == 0
    assert "converse web --port 8080 --study" in done.stdout
