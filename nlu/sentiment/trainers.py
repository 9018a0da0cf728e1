"""The models that ship, by the name their folder has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from data.errors import UsageError
from nlu.sentiment.release import Trainer
from nlu.sentiment.training import Material, Progress

_ADAPTING = 0.8


@dataclass(frozen=True, slots=True)
class Course:
    """How a training goes.

    Attributes:
        seed: of all random choices.
        progress: told how much is done.
        work: folder for what interrupted training keeps; None to keep nothing.
        encoder: folder of a model whose adapted encoder is taken as it is; None to adapt it anew.
    """

    seed: int
    progress: Progress
    work: Path | None = None
    encoder: Path | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A kind of model: its name on the card, and what trains it."""

    name: str
    make: Callable[[Course], Trainer]


def _adapted(course: Course) -> Trainer:
    def train(material: Material, folder: Path) -> str | None:
        import torch

        from nlu.sentiment import reading
        from nlu.sentiment.classifiers import save
        from nlu.sentiment.encoder import ENCODER, low_rank_state
        from nlu.sentiment.training import Recipe, adapt

        if course.encoder is None:
            adapting = partial(_share, course.progress, 0.0, _ADAPTING)
            adapter = low_rank_state(adapt(material, Recipe(seed=course.seed), adapting, course.work).bert_model)
        else:
            adapter = torch.load(course.encoder / "adapter.pt", weights_only=True)
        started = _ADAPTING if course.encoder is None else 0.0
        told = partial(_share, course.progress, started, 1.0)
        save(reading.train(material, adapter, reading.Recipe(seed=course.seed), told), adapter, folder)
        return ENCODER

    return train


def _share(progress: Progress, first: float, last: float, share: float) -> None:
    progress(first + (last - first) * share)


def _words(course: Course) -> Trainer:
    def train(material: Material, folder: Path) -> str | None:
        from nlu.sentiment import word_model

        if course.work is not None or course.encoder is not None:
            raise UsageError("The small model has no encoder and is trained in one go: leave out --work and --encoder.")
        word_model.train(material, folder, course.seed, course.progress)
        return None

    return train


TRAINERS: Mapping[str, Model] = {
    "default": Model("stanza-minilm", _adapted),
    "small": Model("stanza-words", _words),
}
