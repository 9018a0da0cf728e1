"""The lock files: complete, hashed, without addresses and without CUDA."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.tools.conftest import ROOT

BOT = ROOT / "requirements.lock"
DEVELOPERS = ROOT / "requirements-dev.lock"
SPARK = ROOT / "requirements-spark.lock"
RASA = ROOT / "nlu" / "intents" / "rasa" / "requirements.lock"
LOCKS = [BOT, DEVELOPERS, SPARK, RASA]


def names(requirements: list[str]) -> set[str]:
    """Package names as the index spells them."""
    found = (re.match(r"[A-Za-z0-9._-]+", line) for line in requirements)
    return {re.sub(r"[-_.]+", "-", match[0]).lower() for match in found if match}


def locked(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", lock.read_text(), re.MULTILINE))


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = names(project["dependencies"]) - {"torch"}
    assert wanted <= locked(BOT).keys()
    extras = project["optional-dependencies"]
    wanted |= names(extras.pop("dev") + extras.pop("test")) - {"converse-bot"}
    assert wanted <= locked(DEVELOPERS).keys(), "run `make lock`"
    assert names(extras.pop("spark")) <= locked(SPARK).keys(), "run `make lock`"
    assert not extras


def test_tests_run_with_the_versions_that_the_bot_runs_with() -> None:
    assert locked(BOT).items() <= locked(DEVELOPERS).items()
    assert locked(BOT).items() <= locked(SPARK).items()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.relative_to(ROOT)))
def test_every_package_has_its_hashes_and_none_an_address(lock: Path) -> None:
    text = lock.read_text()
    packages = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert packages
    for package in packages:
        assert re.match(r"[a-z0-9.-]+==\S+ ", package), package
        assert "--hash=sha256:" in package
    assert "://" not in text
    assert "index-url" not in text


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.relative_to(ROOT)))
def test_no_lock_brings_cuda(lock: Path) -> None:
    assert not [name for name in locked(lock) if name.startswith(("nvidia", "triton", "torch", "cuda"))]


def test_rasas_environment_is_the_last_free_release_with_what_it_needs() -> None:
    packages = locked(RASA)
    assert packages["rasa"] == "3.6.21"
    assert packages["setuptools"] == "70.3.0"
    assert packages["sqlalchemy"].startswith("1.4.")
    assert packages["tensorflow"].startswith("2.12.")


def test_pytorch_is_pinned_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (pin,) = [line for line in project["project"]["dependencies"] if line.startswith("torch")]
    (metadata,) = project["tool"]["uv"]["dependency-metadata"]
    assert pin == f"torch=={metadata['version']}"
