"""The managed Rasa server, with the real Rasa and the model that ships."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from data.errors import BackendError, MissingFileError
from nlu.intents.server import default_model, default_python, managed_rasa

SECRET = "xyzzyplugh is what nobody may read"
HOLD = """
import asyncio, sys
from pathlib import Path
from nlu.intents.server import managed_rasa

async def hold():
    async with managed_rasa(Path(sys.argv[1])) as url:
        print(url, flush=True)
        await asyncio.sleep(600)

asyncio.run(hold())
"""


@pytest.fixture(scope="module")
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rasa")


@pytest.fixture(scope="module")
def holder(state_dir: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another program that has started a server and uses it."""
    command = [sys.executable, "-c", HOLD, str(state_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def server_pid(state_dir: Path) -> int:
    (state,) = state_dir.glob("*/state.json")
    return int(json.loads(state.read_text())["pid"])


def is_running(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


async def wait_until_gone(pid: int) -> None:
    async with asyncio.timeout(30):
        while is_running(pid):
            await asyncio.sleep(0.05)


async def parse(url: str, text: str) -> dict[str, object]:
    async with httpx.AsyncClient(timeout=30) as client:
        response = await client.post(f"{url}/model/parse", json={"text": text})
        return dict(response.raise_for_status().json())


async def test_users_words_reach_no_log(state_dir: Path, holder: object) -> None:
    async with managed_rasa(state_dir) as url:
        await parse(url, SECRET)
    written = [file.read_text(errors="replace") for file in state_dir.rglob("*") if file.is_file()]
    assert written
    assert not any("xyzzyplugh" in text for text in written)


async def test_the_server_listens_on_loopback_only_and_progress_is_told(state_dir: Path, holder: object) -> None:
    told: list[tuple[str, float]] = []
    async with managed_rasa(state_dir, on_progress=lambda what, seconds: told.append((what, seconds))) as url:
        port = httpx.URL(url).port
        listening = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
        addresses = {line.split()[1] for line in listening.splitlines() if f":{port:04X} " in line and " 0A " in line}
        assert addresses == {f"0100007F:{port:04X}"}
    assert told
    assert [seconds for _, seconds in told] == sorted(seconds for _, seconds in told)


async def test_a_running_server_is_shared_and_restarted_and_outlives_no_program(
    state_dir: Path, holder: tuple[subprocess.Popen[str], str]
) -> None:
    process, url = holder
    first = server_pid(state_dir)
    async with managed_rasa(state_dir) as shared:
        assert shared == url
        assert server_pid(state_dir) == first
        assert (await parse(url, SECRET))["text"] == SECRET

        os.kill(first, signal.SIGKILL)
        await wait_until_gone(first)
        async with asyncio.timeout(120):
            while True:
                with contextlib.suppress(httpx.TransportError):
                    if (await parse(url, "hello"))["intent"]:
                        break
                await asyncio.sleep(0.1)
        second = server_pid(state_dir)
        assert second != first

        process.kill()
        process.wait()
        await asyncio.sleep(1)
        assert (await parse(url, "hello"))["intent"], "it ended although it is still in use"
    await wait_until_gone(second)


async def test_no_server_survives_a_program_killed_while_starting(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        async with asyncio.timeout(120):
            while not list(tmp_path.glob("*/state.json")):
                await asyncio.sleep(0.02)
        pid = server_pid(tmp_path)
        assert is_running(pid)
        process.send_signal(signal.SIGKILL)
    await wait_until_gone(pid)


async def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    model = tmp_path / "damaged.tar.gz"
    model.write_bytes(b"this is no archive")
    with pytest.raises(BackendError, match=r"damaged\.tar\.gz.*converse train intents"):
        async with managed_rasa(tmp_path / "state", model=model):
            pass


async def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no intent model in .*converse train intents"):
        async with managed_rasa(tmp_path, model=tmp_path / "nothing"):
            pass


async def test_a_missing_environment_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"make setup.*RASA_URL"):
        async with managed_rasa(tmp_path, python=tmp_path / "bin" / "python"):
            pass


async def test_a_busy_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BackendError, match=f"Port {port} is in use"):
            async with managed_rasa(tmp_path, port=port):
                pass


async def test_an_environment_that_does_not_run_is_named(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    with pytest.raises(BackendError, match=r"could not be started.*make setup"):
        async with managed_rasa(tmp_path / "state", python=python):
            pass


async def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(BackendError, match="Cannot write to"):
        async with managed_rasa(tmp_path / "state"):
            pass


async def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    model = tmp_path / "model.tar.gz"
    model.touch()
    monkeypatch.setattr(os, "mkfifo", refuse)
    with pytest.raises(BackendError, match=r"Cannot write to .*Read-only file system.*--data-dir"):
        async with managed_rasa(tmp_path / "state", model=model):
            pass


@pytest.fixture
async def foreign(unused_tcp_port: int) -> AsyncIterator[str]:
    """A server that somebody else manages; it answers like Rasa, from its second second on."""
    started = time.monotonic()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        status = "200 OK" if time.monotonic() - started > 1 else "503 Starting"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", unused_tcp_port):
        yield f"http://127.0.0.1:{unused_tcp_port}"


async def test_a_server_of_somebody_else_is_waited_for_and_used_as_it_is(foreign: str, tmp_path: Path) -> None:
    told: list[str] = []
    async with managed_rasa(tmp_path, url=f"{foreign}/", on_progress=lambda what, _: told.append(what)) as url:
        assert url == foreign
    assert told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "localhost:5005", "ftp://127.0.0.1"])
async def test_an_address_where_nothing_answers_is_named(url: str, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"No Rasa with a model answers at .*RASA_URL"):
        async with managed_rasa(tmp_path, url=url, timeout=0.3):
            pass


def test_the_defaults_are_what_setup_builds_and_what_ships() -> None:
    assert default_python().is_file()
    assert list(default_model().glob("*.tar.gz"))
