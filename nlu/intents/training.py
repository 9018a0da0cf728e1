"""Training of the intent model: in a temporary folder with Rasa's own environment, then installed with its card."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from data.errors import BackendError, MissingFileError, UsageError
from nlu.intents.server import default_python
from nlu.intents.training_set import SEED, Example, to_rasa

__all__ = ["MODEL_NAME", "Job", "Pipeline", "classify", "install", "known_pipeline", "train"]

Pipeline = Literal["logreg", "diet"]

MODEL_NAME: Final = "intents.tar.gz"
_PROJECT: Final = Path(__file__).parent / "rasa"
_ROOT: Final = Path(__file__).resolve().parents[2]
_CONFIGS: Final[Mapping[str, Path]] = {
    "logreg": _PROJECT / "config.yml",
    "diet": _PROJECT / "config_diet.yml",
}
_ENVIRONMENT: Final = {
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": str(_ROOT),
    "PYTHONWARNINGS": "ignore",
    "RASA_TELEMETRY_ENABLED": "false",
    "LOG_LEVEL": "ERROR",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "SQLALCHEMY_SILENCE_UBER_WARNING": "1",
    "MPLBACKEND": "agg",
}


def known_pipeline(name: str) -> Pipeline:
    """The pipeline of that name.

    Raises:
        UsageError: there is none.
    """
    if name == "logreg":
        return "logreg"
    if name == "diet":
        return "diet"
    raise UsageError(f"There is no pipeline {name!r}; choose one of {', '.join(_CONFIGS)}.")


def train(examples: Sequence[Example], folder: Path, *, pipeline: Pipeline = "logreg") -> Path:
    """Trains a model in a folder.

    Args:
        examples: what to learn from.
        folder: an existing folder that the archive is written to.
        pipeline: "logreg" or "diet".

    Returns:
        The archive.

    Raises:
        MissingFileError: Rasa's environment is not there.
        BackendError: Rasa fails.
    """
    training = folder / "nlu.yml"
    training.write_text(to_rasa(examples), encoding="utf-8")
    command = [*_python(), "-m", "rasa", "train", "nlu", "--config", str(_CONFIGS[pipeline]), "--nlu", str(training)]
    command += ["--out", str(folder), "--fixed-model-name", MODEL_NAME.removesuffix(".tar.gz")]
    done = subprocess.run(  # noqa: S603 - our own command
        command, cwd=folder, env=os.environ | _ENVIRONMENT, capture_output=True, text=True, check=False
    )
    model = folder / MODEL_NAME
    if done.returncode or not model.is_file():
        raise BackendError(f"Rasa could not train the intent model: {_last_words(done.stderr or done.stdout)}")
    return model


def _python() -> list[str]:
    python = default_python()
    if not python.is_file():
        raise MissingFileError(f"Rasa's environment is missing ({python} is not there). Build it with `make setup`.")
    return [str(python)]


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing. `make setup` repairs its environment."


@dataclass(frozen=True, slots=True)
class Job:
    """Texts to classify with a model trained for them alone."""

    examples: Sequence[Example]
    texts: Sequence[str]


def classify(jobs: Iterable[Job], *, pipeline: Pipeline = "logreg") -> Iterator[list[tuple[str, float]]]:
    """Trains the real pipeline for each job, in a temporary place, and classifies the job's texts with it.

    Args:
        jobs: trained one after the other in one process of Rasa's environment.
        pipeline: "logreg" or "diet".

    Yields:
        For each job the best intent of each text with its probability.

    Raises:
        MissingFileError: Rasa's environment is not there.
        BackendError: Rasa fails.
    """
    with tempfile.TemporaryDirectory(prefix="converse-intents-") as name, _classifier(Path(name)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for job in jobs:
            training = Path(name) / "nlu.yml"
            training.write_text(to_rasa(job.examples), encoding="utf-8")
            asked = {"config": str(_CONFIGS[pipeline]), "training": str(training), "texts": list(job.texts)}
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                log = (Path(name) / "rasa.log").read_text(encoding="utf-8", errors="replace")
                raise BackendError(f"Rasa could not train or classify: {_last_words(log)}")
            yield [(intent, probability) for intent, probability in json.loads(answer)["intents"]]


@contextmanager
def _classifier(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [*_python(), str(_PROJECT / "classify.py")]
    with (
        (folder / "rasa.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(  # noqa: S603 - our own command
            command,
            cwd=folder,
            env=os.environ | _ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            if process.stdin is not None and not process.stdin.closed:
                process.stdin.close()
            process.wait()


def install(
    model: Path,
    target: Path,
    examples: Sequence[Example],
    *,
    pipeline: Pipeline,
    command: str,
    sources: Sequence[str],
    figures: Mapping[str, Any] | None,
) -> Path:
    """Puts a trained model where the bot looks for it, with its card as JSON and Markdown.

    Args:
        model: the archive to install.
        target: folder of the installed model, made if need be.
        examples: what it learnt from.
        pipeline: that it was trained with.
        command: that rebuilds it.
        sources: what the examples were taken from, for the card.
        figures: of `converse evaluate intents`, None when not measured.

    Returns:
        The installed archive.
    """
    target.mkdir(parents=True, exist_ok=True)
    installed = target / MODEL_NAME
    fresh = installed.with_suffix(".new")
    shutil.copyfile(model, fresh)
    fresh.replace(installed)
    card = {
        **_facts(installed, examples),
        "pipeline": pipeline,
        "command": command,
        "data": list(sources),
        "figures": figures,
    }
    (target / "model_card.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (target / "MODEL_CARD.md").write_text(_card_text(card), encoding="utf-8")
    return installed


def _facts(model: Path, examples: Sequence[Example]) -> dict[str, Any]:
    counts = Counter(example.intent for example in examples)
    return {
        "model": model.name,
        "sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
        "bytes": model.stat().st_size,
        "backend": "rasa 3.6.21",
        "seed": SEED,
        "examples": len(examples),
        "examples_by_intent": dict(sorted(counts.items())),
    }


def _card_text(card: Mapping[str, Any]) -> str:
    figures = json.dumps(card["figures"], indent=2) if card["figures"] else "not measured with this training"
    counts = "\n".join(f"| {intent} | {number} |" for intent, number in card["examples_by_intent"].items())
    sources = "\n".join(f"- {source}" for source in card["data"])
    return f"""# Intent model

Classifies one message into 25 coarse intents. Made by `{card["command"]}`, pipeline `{card["pipeline"]}`
({card["backend"]}), seed {card["seed"]}. File `{card["model"]}`, {card["bytes"]:,} bytes, sha256 `{card["sha256"]}`.

Trained on {card["examples"]:,} texts from:

{sources}

| intent | texts |
|---|---|
{counts}

## Figures

`converse evaluate intents --data DIR --json` (users disjoint, 5 folds):

```json
{figures}
```

It knows English and Italian, short chat messages only. Whether a message is understood at all is decided afterwards,
by its confidence and by what the entity linker finds. Polarity and entities are not its business.
"""
