"""What the README and the documentation tell people to type exists and works, and their links lead somewhere."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bot.cli import build_app
from bot.config import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
QUICK = ("--help", "catalog info", "catalog search", "recommend", "doctor")
"""Commands that are run for real: they need no data set, no server and little time."""
PLACEHOLDER = re.compile(r"…|\.\.\.|<\w+>")


def fenced(page: Path) -> list[str]:
    """The lines of all code blocks, continued lines joined, without prompts and comments."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = re.sub(r"\\\n\s*", "", "".join(blocks)).replace("[--", "--").splitlines()
    return [re.sub(r"\s+# .*", "", line.strip().removeprefix("$ ").rstrip("]").replace("] ", " ")) for line in lines]


def commands(page: Path) -> list[str]:
    """Every `converse …` that a code block tells to type, also behind a pipe or variables."""
    found = (re.search(r"^(?:[A-Z_]+=\S* )*(?:.*\| )?(?:\.venv/bin/)?(converse .*)", line) for line in fenced(page))
    return [match[1] for match in found if match]


ALL_COMMANDS = sorted({(page.name, command) for page in PAGES for command in commands(page)})


def resolve(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words name, with what is left for it."""
    command = get_command(build_app())
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]  # type: ignore[attr-defined]
    assert not hasattr(command, "commands") or not words or words[0].startswith("-"), f"no command {words[0]!r}"
    return command, words


@pytest.mark.parametrize(("page", "command"), ALL_COMMANDS)
def test_every_command_is_understood(page: str, command: str) -> None:
    if PLACEHOLDER.search(command):
        resolve(shlex.split(PLACEHOLDER.split(command)[0])[1:])
        return
    found, rest = resolve(shlex.split(re.split(r" [|>&] ?", command)[0])[1:])
    if "--help" not in rest:
        found.make_context(found.name, rest)


@pytest.mark.parametrize(
    ("page", "command"),
    [
        each
        for each in ALL_COMMANDS
        if f"{each[1]} ".startswith(tuple(f"converse {quick} " for quick in QUICK)) and not PLACEHOLDER.search(each[1])
    ],
)
def test_quick_commands_work(page: str, command: str, tmp_path: Path) -> None:
    words = shlex.split(re.split(r" [|>&] ?", command)[0])[1:]
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "--data-dir", str(tmp_path), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_inline_commands_exist(page: Path) -> None:
    for command in re.findall(r"`converse ([a-z][^`]*)`", page.read_text(encoding="utf-8")):
        words = [word for word in command.split() if re.fullmatch(r"[a-z][a-z-]*", word)]
        found, _ = resolve(words[:1])
        if words[1:] and hasattr(found, "commands"):
            assert words[1] in found.commands, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_that_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            assert (page.parent / target.split("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_benchmarks_that_are_named_exist(page: Path) -> None:
    for module in re.findall(r"python -m ([\w.]+)", page.read_text(encoding="utf-8")):
        if module.split(".")[0] == "benchmarks":
            assert (ROOT / (module.replace(".", "/") + ".py")).exists(), module


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*.md")):
        if page.name != "README.md":
            assert f"({page.name})" in index, f"docs/README.md does not name {page.name}"


def test_every_setting_is_documented_and_no_other() -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    names = set(re.findall(r"^\| `([A-Z_]+)`", text, re.MULTILINE))
    expected = set()
    for name, field in Settings.model_fields.items():
        choices = getattr(field.validation_alias, "choices", [PREFIX + name.upper()])
        expected.add(str(choices[0]))
    assert names == expected


def test_the_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(r"^make chat$", text, re.MULTILINE)
    assert re.search(r"^make test$", text, re.MULTILINE)
