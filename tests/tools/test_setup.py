"""`make setup`: finds the Pythons, builds each environment once, and never takes a half-built one for whole."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.tools.conftest import ROOT


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run_script(home: Path) -> subprocess.CompletedProcess[str]:
    """The script of an otherwise empty project."""
    project = home / "project"
    for name in ("tools/setup.py", "pyproject.toml", "requirements-dev.lock", "nlu/intents/rasa/requirements.lock"):
        target = project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, str(project / "tools" / "setup.py")]
    return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ))


def test_missing_pythons_are_named_together_with_the_remedy(bare_machine: Path) -> None:
    done = run_script(bare_machine.parent)
    assert done.returncode == 2
    assert "Python 3.11 or newer" in done.stderr
    assert "Python 3.10 (for Rasa)" in done.stderr
    assert "pyenv install 3.10" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (bare_machine.parent / "project" / ".venv").exists()


def test_a_shim_that_does_not_run_is_passed_over(setup_script: ModuleType, bare_machine: Path) -> None:
    program(bare_machine / "python3.10", "echo 'pyenv: python3.10: command not found' >&2; exit 127")
    assert setup_script.find_python([(3, 10)]) is None
    real = bare_machine.parent / ".pyenv" / "versions" / "3.10.4" / "bin" / "python3.10"
    program(real, f"echo 3 10 {real}")
    assert setup_script.find_python([(3, 10)]) == str(real)


def test_python_is_taken_from_uv(setup_script: ModuleType, bare_machine: Path) -> None:
    python = bare_machine.parent / "elsewhere" / "python"
    program(python, f"echo 3 10 {python}")
    program(bare_machine / "uv", f'case "$*" in *3.10) echo {python};; *) exit 2;; esac')
    assert setup_script.find_python([(3, 10)]) == str(python)


def test_a_python_of_another_version_does_not_count(setup_script: ModuleType, bare_machine: Path) -> None:
    program(bare_machine / "python3", f"echo 3 9 {bare_machine}/python3")
    assert setup_script.find_python([(3, 11), (3, 12)]) is None


@pytest.fixture
def build(setup_script: ModuleType, tmp_path: Path) -> Any:
    """An environment that installs nothing, in a temporary folder."""

    class Empty(setup_script.Build):  # type: ignore[misc, name-defined]
        folder = tmp_path / "environment"
        lock = tmp_path / "requirements.lock"

        def commands(self, install: list[str]) -> list[tuple[str, list[str]]]:
            return [("installing", [sys.executable, "-c", self.lock.read_text()])]

    program(tmp_path / "python", 'mkdir -p "$3/bin" && touch "$3/bin/python"')
    Empty.lock.write_text("print('nothing to do')")
    return Empty()


def test_only_a_complete_environment_counts(build: Any, tmp_path: Path) -> None:
    assert not build.is_complete()
    build.begin(str(tmp_path / "python"), None)
    assert not build.is_complete()
    build.run(None)
    assert build.is_complete()


def test_a_failed_build_says_why_and_is_done_anew(build: Any, tmp_path: Path) -> None:
    build.begin(str(tmp_path / "python"), None)
    build.lock.write_text("raise SystemExit('no such package')")
    build.run(None)
    assert not build.is_complete()
    assert "no such package" in build.error
    left_over = build.folder / "left-over"
    left_over.touch()
    build.begin(str(tmp_path / "python"), None)
    assert not left_over.exists()


def test_a_changed_lock_brings_the_environment_up_to_date_without_building_it_anew(build: Any, tmp_path: Path) -> None:
    build.begin(str(tmp_path / "python"), None)
    build.run(None)
    kept = build.folder / "kept"
    kept.touch()
    build.lock.write_text("print('something new')")
    assert not build.is_complete()
    build.begin(str(tmp_path / "python"), None)
    assert not build.is_complete(), "interrupted now, it would be taken for whole"
    build.run(None)
    assert build.is_complete()
    assert kept.exists()


def test_pytorch_comes_from_a_wheel_on_disk_or_else_from_the_index_of_cpu_builds(
    setup_script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    source = setup_script.torch_source(Path(sys.executable))
    version = source[-1].removeprefix("torch==")
    assert version.endswith("+cpu")
    assert source[:2] == ["--index-url", setup_script.TORCH_INDEX]
    tag = "cp{}{}".format(*sys.version_info[:2])
    (tmp_path / f"torch-{version}-{tag}-{tag}-manylinux_2_28_x86_64.whl").touch()
    source = setup_script.torch_source(Path(sys.executable))
    assert source == ["--no-index", "--find-links", str(tmp_path), f"torch=={version}"]


def test_pips_settings_reach_uv(setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV_FIND_LINKS", "UV_DEFAULT_INDEX", "UV_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", "/one /two")
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://more.example/simple")
    environment = setup_script.uv_environment()
    assert environment["UV_FIND_LINKS"] == "/one,/two"
    assert environment["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"
    assert environment["UV_INDEX"] == "https://more.example/simple"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://own.example/simple")
    assert setup_script.uv_environment()["UV_DEFAULT_INDEX"] == "https://own.example/simple"
