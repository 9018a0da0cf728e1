"""A local Rasa server that starts when it is needed and ends with the last program that uses it.

Rasa lives in an environment of its own (`.venv-rasa`, see `nlu/intents/rasa/serve.py`). All programs that use the same
model and the same data folder share one server: each holds a *lease*, the write end of a named pipe whose read end the
server watches. The kernel closes a lease with its program, so no server is left behind even after SIGKILL.
"""

import asyncio
import errno
import fcntl
import hashlib
import json
import logging
import os
import select
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from data.errors import BackendError, MissingFileError

__all__ = ["Progress", "default_model", "default_python", "managed_rasa"]

Progress = Callable[[str, float], None]
"""Told again and again what is being waited for, and for how many seconds already."""

_ROOT = Path(__file__).resolve().parents[2]
_SERVE = Path(__file__).parent / "rasa" / "serve.py"
_POLL_SECONDS = 0.2
_LONGEST_PAUSE = 30.0
_FOREIGN_SECONDS = 30.0
_START_ATTEMPTS = 3
_ENVIRONMENT = {
    "RASA_TELEMETRY_ENABLED": "false",
    "LOG_LEVEL": "WARNING",  # below it Rasa logs what users write
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
    "SQLALCHEMY_SILENCE_UBER_WARNING": "1",
    "PYTHONWARNINGS": "ignore",
}

_log = logging.getLogger(__name__)


def default_python() -> Path:
    """The Python of Rasa's environment as `make setup` builds it."""
    return _ROOT / ".venv-rasa" / "bin" / "python"


def default_model() -> Path:
    """The folder with the intent model that ships with the project."""
    return _ROOT / "data" / "models" / "intents"


@asynccontextmanager
async def managed_rasa(
    state_dir: Path,
    *,
    url: str | None = None,
    model: Path | None = None,
    python: Path | None = None,
    port: int | None = None,
    timeout: float = 180.0,  # noqa: ASYNC109 - part of several waits, not one
    on_progress: Progress | None = None,
) -> AsyncIterator[str]:
    """A Rasa server that answers while the context is open.

    A server that another program started for the same model is shared; one that dies is started again on the same port.

    Args:
        state_dir: where the state of running servers lies; programs that share it share servers.
        url: of a server that somebody else manages (`RASA_URL`): it is only checked.
        model: a `.tar.gz` that Rasa trained, or a folder of them (the latest counts); None: the shipped one.
        python: of Rasa's environment; None: that of `make setup`.
        port: None: any free one.
        timeout: seconds until a server that does not answer counts as failed.
        on_progress: told while waiting.

    Yields:
        The address, such as "http://127.0.0.1:40123".

    Raises:
        MissingFileError: Rasa's environment or the model is not there.
        BackendError: the port is taken, or the server does not start or does not answer.
    """
    report = on_progress or (lambda _what, _seconds: None)
    if url is not None:
        await _wait_for_foreign(url.rstrip("/"), min(timeout, _FOREIGN_SECONDS), report)
        yield url.rstrip("/")
        return
    archive = _find_model(model or default_model())
    server = _Server(_state_folder(state_dir, archive), archive, _find_python(python or default_python()), timeout)
    async with server.leased(port, report) as address:
        yield address


@dataclass(slots=True)
class _Lease:
    """The right to use a running server: it keeps running while this is open."""

    pipe: int
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def is_alive(self) -> bool:
        """Whether the server process still runs: a pipe without a reader is broken."""
        poll = select.poll()
        poll.register(self.pipe, 0)
        return not poll.poll(0)

    def take_over(self, other: "_Lease") -> None:
        self.close()
        self.pipe, self.port = other.pipe, other.port

    def close(self) -> None:
        os.close(self.pipe)


@dataclass(frozen=True, slots=True)
class _Server:
    """Starts and shares the server of one model."""

    folder: Path
    model: Path
    python: Path
    timeout: float

    @asynccontextmanager
    async def leased(self, port: int | None, report: Progress) -> AsyncIterator[str]:
        """The address of the server, which is kept running while the context is open. Raises as `acquire`."""
        lease = await self.acquire(port, report)
        watcher = asyncio.create_task(self.keep_alive(lease))
        try:
            yield lease.url
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher
            lease.close()

    async def acquire(self, port: int | None, report: Progress) -> _Lease:
        """A lease on a server that answers, started if there is none.

        Raises:
            BackendError: it does not start or does not answer.
        """
        for attempt in range(1, _START_ATTEMPTS + 1):
            with _writing_to(self.folder):
                lease = await asyncio.to_thread(self._lease_or_start, port)
            try:
                await self._wait_until_ready(lease, report)
            except _DiedError:
                lease.close()
                if attempt == _START_ATTEMPTS or not self._port_was_taken():
                    raise
            except BaseException:
                lease.close()
                raise
            else:
                return lease
        raise AssertionError("unreachable")

    async def keep_alive(self, lease: _Lease) -> None:
        """Start the server again, on the same port, whenever it dies."""
        pause = _POLL_SECONDS
        while True:
            await asyncio.sleep(pause)
            if lease.is_alive():
                pause = _POLL_SECONDS
                continue
            _log.warning("Rasa ended unexpectedly; starting it again (its log: %s)", self._log_file)
            try:
                lease.take_over(await self.acquire(lease.port, lambda _what, _seconds: None))
                _log.warning("Rasa answers again")
            except BackendError as error:
                pause = min(_LONGEST_PAUSE, max(1.0, 2 * pause))
                _log.error("%s Next attempt in %.0f s.", error, pause)

    def _lease_or_start(self, port: int | None) -> _Lease:
        with self._locked():
            return self._lease_running() or self._start(port)

    def _lease_running(self) -> _Lease | None:
        """A lease on the server that runs already, if one does."""
        try:
            pipe = os.open(self._lease_file, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENXIO}:
                return None
            raise
        state = json.loads(self._state_file.read_text(encoding="utf-8"))
        return _Lease(pipe, state["port"])

    def _start(self, port: int | None) -> _Lease:
        chosen = _free_port(port)
        self._state_file.unlink(missing_ok=True)
        self._lease_file.unlink(missing_ok=True)
        os.mkfifo(self._lease_file, 0o600)
        watched = os.open(self._lease_file, os.O_RDONLY | os.O_NONBLOCK)
        lease = _Lease(os.open(self._lease_file, os.O_WRONLY | os.O_NONBLOCK), chosen)
        command = [str(self.python), str(_SERVE), "--folder", str(self.folder), "--lease", str(watched)]
        command += ["--port", str(chosen), "--model", str(self.model)]
        try:
            with self._log_file.open("wb") as log:
                subprocess.run(  # noqa: S603 - our own script
                    command,
                    env=os.environ | _ENVIRONMENT,
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=[watched],
                    check=True,
                )
        except (OSError, subprocess.CalledProcessError) as error:
            lease.close()
            raise BackendError(f"Rasa could not be started with {self.python}: {error}. {self._remedy()}") from error
        finally:
            os.close(watched)
        return lease

    async def _wait_until_ready(self, lease: _Lease, report: Progress) -> None:
        started = time.monotonic()
        async with httpx.AsyncClient(base_url=lease.url, timeout=5.0, trust_env=False) as client:
            while (waited := time.monotonic() - started) < self.timeout:
                report("Starting Rasa", waited)
                if not lease.is_alive():
                    raise _DiedError(f"Rasa ended while it was starting. {self._remedy()}")
                if await self._answers(client):
                    return
                await asyncio.sleep(_POLL_SECONDS)
        raise BackendError(f"Rasa did not answer within {self.timeout:.0f} s. {self._remedy()}")

    async def _answers(self, client: httpx.AsyncClient) -> bool:
        """Whether the server has loaded the model."""
        try:
            response = await client.get("/status")
        except httpx.TransportError:
            return False
        if response.status_code == httpx.codes.CONFLICT:
            raise BackendError(
                f"Rasa cannot load the model {self.model}: it is damaged or was trained with another version. "
                f"Train it again with `converse train intents`; Rasa's own words are in {self._log_file}."
            )
        return response.status_code == httpx.codes.OK and response.json().get("model_file") == self.model.name

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @property
    def _state_file(self) -> Path:
        return self.folder / "state.json"

    @property
    def _lease_file(self) -> Path:
        return self.folder / "lease"

    @property
    def _log_file(self) -> Path:
        return self.folder / "rasa.log"

    def _port_was_taken(self) -> bool:
        with suppress(OSError):
            return "address already in use" in self._log_file.read_text(errors="replace").lower()
        return False

    def _remedy(self) -> str:
        return f"Its own words are in {self._log_file}; `make setup` repairs its environment, RASA_URL names another."


class _DiedError(BackendError):
    """The server process ended before it answered."""


def _find_model(model: Path) -> Path:
    """The archive itself, or the latest one of a folder."""
    found = [model] if model.is_file() else sorted(model.glob("*.tar.gz"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise MissingFileError(
            f"There is no intent model in {model}. Restore it with `git checkout -- data/models`, "
            "or train one with `converse train intents`."
        )
    return found[-1].resolve()


def _find_python(python: Path) -> Path:
    if not python.is_file():
        raise MissingFileError(
            f"Rasa's environment is missing ({python} is not there). Build it with `make setup`, "
            "or set RASA_URL to the address of a Rasa server."
        )
    return python.absolute()


def _state_folder(state_dir: Path, model: Path) -> Path:
    """One folder for each model, so that a server with another model is never taken for ours."""
    with model.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    folder = state_dir.absolute() / f"{model.name.removesuffix('.tar.gz')}-{digest[:12]}"
    with _writing_to(state_dir):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    """Turns what the file system reports into a BackendError with the remedy."""
    try:
        yield
    except OSError as error:
        raise BackendError(
            f"Cannot write to {folder}: {error.strerror}. Choose another with --data-dir or CONVERSE_DATA_DIR."
        ) from error


def _free_port(wanted: int | None) -> int:
    """The wanted port, or any free one.

    Raises:
        BackendError: the wanted one is in use.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted or 0))
        except OSError as error:
            raise BackendError(
                f"Port {wanted} is in use, so Rasa cannot listen there. Stop what uses it or choose another port."
            ) from error
        return int(probe.getsockname()[1])


async def _wait_for_foreign(url: str, limit: float, report: Progress) -> None:
    """Until the server at `url` answers.

    Raises:
        BackendError: it does not, or it has no model.
    """
    started = time.monotonic()
    async with httpx.AsyncClient(timeout=5.0) as client:
        while True:
            waited = time.monotonic() - started
            try:
                response = await client.get(f"{url}/status")
                response.raise_for_status()
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if waited > limit or isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
                    raise BackendError(
                        f"No Rasa with a model answers at {url} ({error}). "
                        "Start it, correct RASA_URL, or unset it so that a local one is started."
                    ) from error
            else:
                return
            report(f"Waiting for Rasa at {url}", waited)
            await asyncio.sleep(_POLL_SECONDS)
