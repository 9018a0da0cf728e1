"""The models that ship, by the name their folder has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from data.errors import UsageError
from nlu.sentiment.release import Trainer
from nlu.sentiment.training import Material, Progress, Recipe


@dataclass(frozen=True, slots=True)
class Model:
    """A kind of model.

    Attributes:
        name: on its card.
        make: from a seed, a listener to the progress and a folder for what interrupted training keeps, what trains it.
    """

    name: str
    make: Callable[[int, Progress, Path | None], Trainer]


def _adapted(seed: int, progress: Progress, work: Path | None) -> Trainer:
    def train(material: Material, folder: Path) -> str | None:
        from nlu.sentiment import training
        from nlu.sentiment.encoder import ENCODER

        training.save(training.train(material, Recipe(seed=seed), progress, work), folder)
        return ENCODER

    return train


def _words(seed: int, progress: Progress, work: Path | None) -> Trainer:
    def train(material: Material, folder: Path) -> str | None:
        from nlu.sentiment import word_model

        if work is not None:
            raise UsageError("The small model is trained in one go: leave out --work.")
        word_model.train(material, folder, seed, progress)
        return None

    return train


TRAINERS: Mapping[str, Model] = {
    "default": Model("stanza-minilm", _adapted),
    "small": Model("stanza-words", _words),
}
