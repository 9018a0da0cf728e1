"""The models that ship, by the name their folder has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from data.errors import UsageError
from nlu.sentiment.release import Trainer
from nlu.sentiment.training import Material, Progress, Recipe, Saved


@dataclass(frozen=True, slots=True)
class Model:
    """A kind of model.

    Attributes:
        name: on its card.
        make: from a seed, a listener to the progress and a saved model to start from, what trains it.
    """

    name: str
    make: Callable[[int, Progress, Saved | None], Trainer]


def _adapted(seed: int, progress: Progress, start: Saved | None) -> Trainer:
    def train(material: Material, folder: Path) -> str | None:
        from nlu.sentiment import training
        from nlu.sentiment.encoder import ENCODER

        training.save(training.train(material, Recipe(seed=seed), progress, start), folder)
        return ENCODER

    return train


def _words(seed: int, progress: Progress, start: Saved | None) -> Trainer:
    def train(material: Material, folder: Path) -> str | None:
        from nlu.sentiment import word_model

        if start is not None:
            raise UsageError("The small model is always trained from the beginning: leave out --start.")
        word_model.train(material, folder, seed, progress)
        return None

    return train


TRAINERS: Mapping[str, Model] = {
    "default": Model("stanza-minilm", _adapted),
    "small": Model("stanza-words", _words),
}
