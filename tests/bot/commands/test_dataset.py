"""`converse dataset` as a user types it."""

import functools
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from data.errors import BackendError, DataError
from data.formats.fetch import Home, RemoteFile, fetch, load_homes
from tests.data.formats import small


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot.cli", "dataset", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_stats_and_validate(tmp_path: Path) -> None:
    small.converse(tmp_path)
    made = json.loads(run("stats", tmp_path, "--json").stdout)
    assert made["format"] == "converse"
    assert made["domains"]["movie"]["messages"] == 2
    assert run("validate", tmp_path).returncode == 0
    small.converse(tmp_path, [small.converse_row(1, intent="nonsense")])
    failed = run("validate", tmp_path)
    assert failed.returncode == 1
    assert "record 1, intent" in failed.stdout
    assert failed.stderr == ""
    as_json = json.loads(run("validate", tmp_path, "--json").stdout)
    assert as_json["problems"][0]["field"] == "intent"


def test_convert_and_check(tmp_path: Path) -> None:
    small.converse(tmp_path / "in")
    done = run("convert", tmp_path / "in", "--to", "redial", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "movie" / "messages_nl.jsonl").is_file()
    assert (tmp_path / "out" / "conversion.json").is_file()
    found = json.loads(run("check", tmp_path / "in", "--json").stdout)
    assert set(found) >= {"agreement", "by_file", "by_intent"}


@pytest.mark.parametrize("arguments", [("stats", "nowhere"), ("convert", "nowhere", "--to", "redial", "--out", "x")])
def test_a_missing_source_is_one_clear_line(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.strip() == "converse: nowhere: no such file or folder"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and its address on loopback."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_fetch_downloads_checks_and_does_not_download_twice(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, base = served
    (folder / "a.txt").write_text("content")
    digest = hashlib.sha256(b"content").hexdigest()
    home = Home(home=base, licence="ours", base=base, files=(RemoteFile(path="a.txt", size=7, sha256=digest),))
    told: list[int] = []
    out = tmp_path / "out"
    assert fetch("x", home, out, lambda _, done, __: told.append(done)) == [out / "a.txt"]
    assert told == [7]
    fetch("x", home, out, lambda *_: pytest.fail("downloaded again"))
    bad = home.model_copy(update={"files": (RemoteFile(path="a.txt", size=7, sha256="0" * 64),)})
    with pytest.raises(DataError, match="checksum"):
        fetch("x", bad, out, lambda *_: None)


def test_fetch_without_network_says_what_to_place_by_hand(tmp_path: Path) -> None:
    home = Home(
        home="http://127.0.0.1:9/home", licence="", base="http://127.0.0.1:9", files=(RemoteFile(path="b.json"),)
    )
    with pytest.raises(BackendError, match=r"get b\.json from http://127\.0\.0\.1:9/home and place them in"):
        fetch("x", home, tmp_path, lambda *_: None)


def test_every_readable_format_has_a_home() -> None:
    assert set(load_homes()) == set(small.MAKERS)
