"""Build the two environments: `.venv` for the bot and `.venv-rasa` for Rasa, which needs an older Python.

Run by `make setup` with any Python 3.9 or newer, from the standard library alone. An environment is stamped when it is
complete; one without a stamp is built anew, one whose lock file has changed is brought up to date.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
LINE_EVERY_SECONDS = 15
VERSIONS = {"bot": [(3, minor) for minor in range(11, 15)], "rasa": [(3, 10)]}
HOW_TO_GET = {
    "bot": "uv python install 3.11 | pyenv install 3.11 | apt install python3.11 python3.11-venv | "
    "brew install python@3.11",
    "rasa": "uv python install 3.10 | pyenv install 3.10 | brew install python@3.10",
}


class SetupError(Exception):
    """What is missing and how to get it, or the end of what a failed command said."""


def main() -> int:
    """Build what is missing; 0 when both environments are complete."""
    with Path(__file__).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another `make setup` is at work here; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        return build_missing([build for build in (Bot(), Rasa()) if not build.is_complete()])


def build_missing(todo: list[Build]) -> int:
    """Build these environments; the exit code."""
    if not todo:
        return 0
    try:
        pythons = find_pythons([build.needs for build in todo])
        uv = shutil.which("uv")
        for build in todo:
            build.begin(pythons[build.needs], uv)
        run_all(todo, uv or own_uv())
    except SetupError as error:
        say(f"make setup: {error}")
        return 2
    except KeyboardInterrupt:
        say("\nmake setup: interrupted; the same command goes on where it must.")
        return 130
    return 0


class Build:
    """One environment and how it comes about."""

    needs = ""
    folder = Path()
    lock = Path()
    sources: tuple[Path, ...] = ()

    def __init__(self) -> None:
        self.python = self.folder / "bin" / "python"
        self.stamp = self.folder / "complete"
        self.step = "waiting"
        self.error: str | None = None

    def fingerprint(self) -> str:
        """Changes with everything that the environment is made from."""
        digest = hashlib.sha256(str(self.folder).encode())
        for source in (self.lock, *self.sources, Path(__file__)):
            digest.update(source.read_bytes())
        return digest.hexdigest()

    def is_complete(self) -> bool:
        """Whether it was built to the end, from what lies here now."""
        return self.python.exists() and self.stamp.exists() and self.stamp.read_text() == self.fingerprint()

    def begin(self, python: str, uv: str | None) -> None:
        """Make the empty environment, unless a complete one only has to be brought up to date."""
        if self.stamp.exists() and self.python.exists():
            self.stamp.unlink()
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        say(f"{self.folder.name}: new, with {python}")
        run([uv, "venv", "-q", "--seed", "-p", python, str(self.folder)] if uv else [python, "-m", "venv", self.folder])

    def run(self, uv: str | None) -> None:
        """Install everything, then stamp it."""
        try:
            for step, command in self.commands(installer(self.python, uv)):
                self.step = step
                run(command)
        except SetupError as error:
            self.error = f"{self.folder.name}: {self.step} failed.\n{error}"
        else:
            self.stamp.write_text(self.fingerprint())
            self.step = "complete"

    def commands(self, install: list[str]) -> list[tuple[str, list[str]]]:
        """Steps with their commands, in order."""
        return [("installing packages", [*install, "--no-deps", "--require-hashes", "-r", str(self.lock)])]


class Rasa(Build):
    """Rasa Open Source, for Python 3.10."""

    needs = "rasa"
    folder = ROOT / ".venv-rasa"
    lock = ROOT / "nlu" / "intents" / "rasa" / "requirements.lock"


class Bot(Build):
    """The bot with what tests and benchmarks need."""

    needs = "bot"
    folder = ROOT / ".venv"
    lock = ROOT / "requirements-dev.lock"
    sources = (ROOT / "pyproject.toml",)

    def commands(self, install: list[str]) -> list[tuple[str, list[str]]]:
        """The locked packages, PyTorch's CPU build (its hash differs by source) and the project itself."""
        return [
            *super().commands(install),
            ("installing PyTorch (CPU)", [*install, "--no-deps", *torch_source(self.python)]),
            ("installing converse", [*install, "--no-deps", "--no-build-isolation", "-e", str(ROOT)]),
        ]


def torch_source(python: Path) -> list[str]:
    """Arguments that bring PyTorch's CPU build: a wheel on this machine's disk, or PyTorch's own index."""
    version = re.search(r'"torch==([^"]+)"', (ROOT / "pyproject.toml").read_text()).group(1)  # type: ignore[union-attr]
    if sys.platform == "linux":
        version += "+cpu"
    tag = output([str(python), "-c", "import sys; print('cp%d%d' % sys.version_info[:2])"])
    for place in pip_setting("find-links").split():
        if list(Path(place).glob(f"torch-{version}-{tag}-*.whl")):
            return ["--no-index", "--find-links", place, f"torch=={version}"]
    return ["--index-url", TORCH_INDEX, f"torch=={version}"]


def installer(python: Path, uv: str | None) -> list[str]:
    """The command that installs packages into an environment."""
    if uv:
        return [uv, "pip", "install", "-q", "--compile-bytecode", "-p", str(python)]
    return [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]


def own_uv() -> str | None:
    """The locked uv in the bot's environment, put there with pip; None when that fails: pip then does the rest."""
    place = Bot.folder / "bin" / "uv"
    locked = re.search(r"^uv==.*?(?=^\S)", Bot.lock.read_text() + "\n#", re.MULTILINE | re.DOTALL)
    if not place.exists() and locked:
        only_uv = Bot.folder / "uv.txt"
        only_uv.write_text(locked.group(0))
        with contextlib.suppress(SetupError):
            run([*installer(Bot.folder / "bin" / "python", None), "--require-hashes", "-r", str(only_uv)])
    return str(place) if output([str(place), "--version"]) else None


def find_pythons(needed: list[str]) -> dict[str, str]:
    """A Python that runs, for each need.

    Raises:
        SetupError: one is missing; the message names all that are and how to get them.
    """
    found = {need: find_python(VERSIONS[need]) for need in needed}
    missing = [need for need in needed if not found[need]]
    if missing:
        lines = [
            f"Python {'3.10 (for Rasa)' if need == 'rasa' else '3.11 or newer'} was not found on PATH, with uv or "
            f"among pyenv's versions. Get it with one of:\n    {HOW_TO_GET[need]}"
            for need in missing
        ]
        raise SetupError("\n".join([*lines, "Then run the same command again."]))
    return {need: python for need, python in found.items() if python}


def find_python(versions: list[tuple[int, int]]) -> str | None:
    """The path of the first Python of these versions that runs and can make environments (a pyenv shim may not)."""
    names = [f"python{major}.{minor}" for major, minor in versions]
    places = [place for name in [*names, "python3", "python"] if (place := shutil.which(name))]
    for home in (os.environ.get("PYENV_ROOT"), Path.home() / ".pyenv"):
        if home:
            places += sorted(str(place) for name in names for place in Path(home).glob(f"versions/*/bin/{name}"))
    if uv := shutil.which("uv"):
        places += [output([uv, "python", "find", "--no-python-downloads", f"{a}.{b}"]) for a, b in versions]
    check = "import sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1], sys.executable)"
    for place in filter(None, places):
        major, _, rest = output([place, "-c", check]).partition(" ")
        minor, _, path = rest.partition(" ")
        if path and (int(major), int(minor)) in versions:
            return path
    return None


def pip_setting(name: str) -> str:
    """One of pip's settings, from its environment variables or its configuration files; "" when it is not set."""
    variable = os.environ.get("PIP_" + name.upper().replace("-", "_"))
    if variable is not None:
        return variable
    listed = output([str(Bot.folder / "bin" / "python"), "-m", "pip", "config", "list"])
    values = re.findall(rf"^(?:global|install)\.{name}='(.*)'$", listed, re.MULTILINE)
    return values[-1].replace("\\n", " ") if values else ""


def uv_environment() -> dict[str, str]:
    """The environment with pip's settings said in uv's words, where uv has none of its own."""
    settings = {
        "UV_FIND_LINKS": ",".join(pip_setting("find-links").split()),
        "UV_DEFAULT_INDEX": pip_setting("index-url"),
        "UV_INDEX": pip_setting("extra-index-url"),
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # pip's own: the lock's hashes decide what is right
        "SSL_CERT_FILE": pip_setting("cert"),
        "UV_LINK_MODE": "copy",
    }
    return {name: value for name, value in settings.items() if value} | dict(os.environ)


def run_all(todo: list[Build], uv: str | None) -> None:
    """Run the builds side by side and show how far they are.

    Raises:
        SetupError: at least one failed.
    """
    if uv:
        os.environ.update(uv_environment())
    started = time.monotonic()
    threads = [threading.Thread(target=build.run, args=(uv,), daemon=True) for build in todo]
    for thread in threads:
        thread.start()
    shown, shown_at = "", started
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        now = time.monotonic()
        state = " | ".join(f"{build.folder.name}: {build.step}" for build in todo)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{state} ({now - started:.0f} s)")
            sys.stderr.flush()
        elif state != shown or now - shown_at > LINE_EVERY_SECONDS:
            say(f"{state} ({now - started:.0f} s)")
            shown, shown_at = state, now
    say(("\r\033[K" if sys.stderr.isatty() else "") + f"environments built in {time.monotonic() - started:.0f} s")
    errors = [build.error for build in todo if build.error]
    if errors:
        raise SetupError("\n".join([*errors, "Mend that and run the same command again; what is complete is kept."]))


def run(command: Sequence[str | Path]) -> None:
    """Run a command silently.

    Raises:
        SetupError: it failed; the message is the end of what it said.
    """
    done = subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
    )
    if done.returncode:
        raise SetupError("\n".join(["$ " + " ".join(map(str, command)), *done.stdout.splitlines()[-15:]]))


def output(command: list[str]) -> str:
    """What a command prints; "" when it does not run or fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def say(text: str) -> None:
    """One line for the person who waits."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
