"""Trains Rasa pipelines and classifies texts with them, in one process. Runs in Rasa's own environment (Python 3.10).

Reads jobs from stdin, one JSON object a line, and answers each with one line on stdout:
`{"config": path, "training": path, "texts": [text, …]}` -> `{"intents": [[name, probability], …]}`.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[3]))  # our own components


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Train in a temporary folder, classify, forget the model."""
    from rasa.core.agent import Agent
    from rasa.model_training import train_nlu

    folder = tempfile.mkdtemp(prefix="converse-intents-")
    try:
        model = train_nlu(config=job["config"], nlu_data=job["training"], output=folder)
        agent = Agent.load(model)
        return {"intents": asyncio.run(classify(agent, job["texts"]))}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def classify(agent: Any, texts: list[str]) -> list[tuple[str, float]]:
    """The best intent of each text with its probability."""
    known: dict[str, tuple[str, float]] = {}
    for text in texts:
        if text not in known:
            intent = (await agent.parse_message(text))["intent"]
            known[text] = (intent["name"] or "", intent["confidence"])
    return [known[text] for text in texts]


def main() -> None:
    """Answer jobs until stdin ends; whatever Rasa prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
