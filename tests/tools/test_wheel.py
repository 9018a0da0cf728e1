"""The wheel holds everything that the installed bot reads: texts, domains, catalogue, models."""

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.tools.conftest import ROOT

PACKAGES = ("bot", "nlu", "recommender", "data")


def test_the_wheel_is_complete(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*command, str(copy_of_the_project(tmp_path))], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.is_file() and not any(part.startswith((".", "__pycache__")) for part in file.relative_to(ROOT).parts)
    }
    assert files
    assert files <= packed, files - packed
    assert not [name for name in packed if name.startswith(("tests", "benchmarks", "tools"))]


def copy_of_the_project(folder: Path) -> Path:
    """Links to the sources, so that the build leaves nothing beside them."""
    project = folder / "project"
    project.mkdir()
    for name in (*PACKAGES, "pyproject.toml", "README.md", "LICENSE"):
        (project / name).symlink_to(ROOT / name)
    return project
