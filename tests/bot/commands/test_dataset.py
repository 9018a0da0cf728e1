"""`converse dataset` as a user types it."""

import functools
import hashlib
import io
import json
import subprocess
import sys
import tarfile
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


class Handler(SimpleHTTPRequestHandler):
    """Serves files, and parts of them when it is asked to."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        first = self.headers.get("Range", "").removeprefix("bytes=").removesuffix("-")
        path = Path(self.translate_path(self.path))
        if not first or not path.is_file():
            super().do_GET()
            return
        content = path.read_bytes()
        if int(first) >= len(content):
            self.send_error(416)
            return
        self.send_response(206)
        self.send_header("Content-Length", str(len(content) - int(first)))
        self.end_headers()
        self.wfile.write(content[int(first) :])


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and its address on loopback."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(Handler, directory=str(folder))
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


@pytest.mark.parametrize("already", [b"con", b"content", b"content and more"])
def test_an_interrupted_fetch_goes_on_where_it_stopped(
    already: bytes, served: tuple[Path, str], tmp_path: Path
) -> None:
    folder, base = served
    (folder / "a.txt").write_text("content")
    home = Home(home=base, licence="ours", base=base, files=(RemoteFile(path="a.txt"),))
    (tmp_path / "a.txt.part").write_bytes(already)
    told: list[int] = []
    fetch("x", home, tmp_path, lambda _, done, __: told.append(done))
    assert (tmp_path / "a.txt").read_text() == "content"
    assert told == [7]
    assert not (tmp_path / "a.txt.part").exists()


def test_archives_are_unpacked_and_those_that_lead_out_are_not(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, base = served
    for name, inside in (("good", "x/b.txt"), ("bad", "../../outside.txt")):
        with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as packed:
            packed.addfile(tarfile.TarInfo(inside), io.BytesIO())
    files = {name: RemoteFile(path=f"{name}.tar.gz", unpack=True) for name in ("good", "bad")}
    home = Home(home=base, licence="ours", base=base, files=(files["good"],))
    assert fetch("x", home, tmp_path / "out", lambda *_: None) == [tmp_path / "out" / "good"]
    assert (tmp_path / "out" / "good" / "x" / "b.txt").is_file()
    with pytest.raises(DataError, match="cannot be unpacked"):
        fetch("x", home.model_copy(update={"files": (files["bad"],)}), tmp_path / "out", lambda *_: None)
    assert not list(tmp_path.rglob("outside.txt"))


def test_fetch_without_network_says_what_to_place_by_hand(tmp_path: Path) -> None:
    home = Home(
        home="http://127.0.0.1:9/home", licence="", base="http://127.0.0.1:9", files=(RemoteFile(path="b.json"),)
    )
    with pytest.raises(BackendError, match=r"get b\.json from http://127\.0\.0\.1:9/home and place them in"):
        fetch("x", home, tmp_path, lambda *_: None)


def test_every_readable_format_has_a_home() -> None:
    assert set(load_homes()) == set(small.MAKERS)


@pytest.mark.parametrize("name", ["converse", "redial", "recommind", "crsarena", "reddit-movie"])
def test_a_source_of_which_nothing_can_be_read_is_an_error(name: str, tmp_path: Path) -> None:
    source = tmp_path / "source.txt"
    source.write_text("no dataset\n")
    out = tmp_path / "out"
    for arguments in (("stats", source), ("convert", source, "--to", name, "--out", out)):
        done = run(*arguments, "-f", name)
        assert done.returncode == 2
        assert f"nothing in it can be read as {name}" in done.stderr
        assert "--format" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["source.txt"]


@pytest.mark.parametrize("command", ["check", "map"])
def test_no_message_names_an_option_that_its_command_lacks(command: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no dataset\n")
    done = run(command, tmp_path)
    assert done.returncode == 2
    assert "--format" not in done.stderr


@pytest.mark.parametrize("arguments", [("convert", "in", "--to", "redial"), ("fetch", "converse")])
def test_an_empty_name_of_the_output_is_refused(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--out", "")
    assert done.returncode == 2
    assert "is empty" in done.stderr
