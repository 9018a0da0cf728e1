"""Write the lock files from the pyproject files; `make lock`. What is locked already stays unless `--upgrade` is given.

PyTorch is left out: the hash of its CPU build depends on where it comes from, so `tools/setup.py` pins it by version.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RASA = ROOT / "nlu" / "intents" / "rasa"
WITH_THE_BOT = ["-c", str(ROOT / "requirements.lock")]
LOCKS = {
    ROOT / "requirements.lock": (ROOT, ".venv", []),
    ROOT / "requirements-dev.lock": (ROOT, ".venv", ["--extra", "dev", *WITH_THE_BOT]),
    ROOT / "requirements-spark.lock": (ROOT, ".venv", ["--extra", "spark", *WITH_THE_BOT]),
    RASA / "requirements.lock": (RASA, ".venv-rasa", []),
}
OPTIONS = ["--universal", "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-header"]
OPTIONS += ["--no-annotate", "--no-emit-package", "torch", "--no-emit-package", "converse-bot", "--no-python-downloads"]
ALWAYS_TRUE = [
    " and (sys_platform == 'darwin' or sys_platform == 'linux')",
    "(sys_platform == 'darwin' or sys_platform == 'linux')",
    "sys_platform == 'darwin' or sys_platform == 'linux'",
]
ALWAYS_TRUE_FOR_RASA = ["python_full_version < '3.11' and ", "python_full_version < '3.11'"]


def main() -> int:
    """Lock both environments, and what is added to the bot's for development and for Spark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    upgrade = ["--upgrade"] if parser.parse_args().upgrade else []
    uv = ROOT / ".venv" / "bin" / "uv"
    for lock, (project, environment, extra) in LOCKS.items():
        python = ROOT / environment / "bin" / "python"
        command = [str(uv), "pip", "compile", "-q", *OPTIONS, *extra, *upgrade]
        command += ["-p", str(python), "pyproject.toml", "-o", str(lock)]
        subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL)
        lock.write_text(without(ALWAYS_TRUE + (ALWAYS_TRUE_FOR_RASA if project == RASA else []), lock.read_text()))
        count = len(re.findall(r"^\S+==", lock.read_text(), re.MULTILINE))
        sys.stderr.write(f"{lock.relative_to(ROOT)}: {count} packages\n")
    return 0


def without(markers: list[str], text: str) -> str:
    """The lock without markers that hold wherever it is used."""
    for marker in markers:
        text = text.replace(marker, "")
    return re.sub(r" ; +\\$", r" \\", text, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
