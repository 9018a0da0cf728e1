"""Adapts the encoder of the default sentiment model by low-rank matrices, under a plain classifier.

In passes, each over other examples: the project's own sentences, rated review sentences and, from the second pass on,
opinions from conversations, whose noisy labels are sifted by what has been learned so far. A pass leaves behind all
that the next one needs, so training that was interrupted goes on where it stood and still makes the same model.
`nlu.sentiment.reading` then trains the classifier that ships, over the encoder as it was adapted here.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from data.errors import UsageError
from nlu.sentiment.classifiers import Learner, batches, drawn, new_classifier, probabilities, seeded
from nlu.sentiment.encoder import add_low_rank, load_encoder, trainable
from nlu.sentiment.examples import agreeing, balanced
from nlu.sentiment.grammar import Instance

Progress = Callable[[float], None]
"""Told how much of the work is done, from 0 to 1."""

_WARM_UP = 0.05
_STATE = "training.pt"


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass learns from.

    Attributes:
        own: number of the project's own sentences.
        rated: number of rated review sentences.
        opinions: at most so many liked and so many disliked ones from conversations.
        rates: learning rate at the beginning and at the end.
        messages: number of the project's own whole messages.
    """

    own: int
    rated: int
    opinions: tuple[int, int]
    rates: tuple[float, float]
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of one training run.

    Attributes:
        seed: of all random choices.
        rank: of the low-rank matrices.
        channels: filters of each width in Stanza's classifier.
        dropout: share of values left out.
        batch: examples a step.
        passes: in order.
    """

    seed: int = 7
    rank: int = 32
    channels: int = 100
    dropout: float = 0.3
    batch: int = 32
    passes: tuple[Pass, ...] = (
        Pass(13000, 5000, (0, 0), (8.0e-4, 6.4e-4)),
        Pass(13000, 5000, (1000, 600), (6.4e-4, 5.5e-4)),
        Pass(3500, 1500, (1200, 700), (5.5e-4, 4.4e-4), 14000),
        Pass(3500, 1500, (1200, 700), (4.4e-4, 3.0e-4), 14000),
        Pass(3500, 1500, (1200, 700), (3.0e-4, 1.5e-4), 14000),
        Pass(3500, 1500, (1200, 700), (1.5e-4, 1.0e-5), 14000),
    )


@dataclass(frozen=True, slots=True)
class Material:
    """Examples to learn from.

    Attributes:
        own: sentences that the project's phrases combine to.
        rated: rated review sentences, without a target.
        opinions: from conversations, with noisy labels.
        messages: that the project wrote as a whole.
    """

    own: Sequence[Instance]
    rated: Sequence[Instance]
    opinions: Sequence[Instance]
    messages: Sequence[Instance] = ()


def adapt(material: Material, recipe: Recipe, progress: Progress, work: Path | None = None) -> Any:
    """All passes, or those that are still to come.

    Args:
        material: to learn from.
        recipe: settings.
        progress: told after every step.
        work: folder that keeps the state after every pass, to go on from; None to keep nothing.

    Returns:
        Stanza's classifier, its encoder still with separate low-rank matrices.
    """
    torch.set_num_threads(1)  # the order of sums, and so the model, would depend on their number
    seeded(recipe.seed)
    fitter = Fitter(build(recipe), recipe, progress)
    done = fitter.restore(work) if work else 0
    for number in range(done, len(recipe.passes)):
        rng = seeded(recipe.seed + 1 + number)
        fitter.fit(_examples(fitter.classifier, material, recipe.passes[number], rng), number, rng)
        if work:
            fitter.keep(work, number + 1)
    return fitter.classifier


def _examples(classifier: Any, material: Material, part: Pass, rng: random.Random) -> list[Instance]:
    examples = [*drawn(material.own, part.own, rng), *drawn(material.rated, part.rated, rng)]
    examples += drawn(material.messages, part.messages, rng)
    if not material.opinions or not any(part.opinions):
        return examples
    sifted = agreeing(material.opinions, probabilities(classifier, material.opinions))
    return [*examples, *balanced(sifted, part.opinions, rng)]


def build(recipe: Recipe) -> Any:
    """An untrained plain classifier over the encoder with untrained low-rank matrices."""
    encoder, tokenizer = load_encoder()
    add_low_rank(encoder, recipe.rank)
    classifier = new_classifier(encoder, tokenizer, recipe.channels, recipe.dropout)
    for name, parameter in encoder.named_parameters():
        parameter.requires_grad = name.endswith((".down", ".up"))
    return classifier


class Fitter:
    """A learning rate that rises at once and then falls from pass to pass.

    Args:
        classifier: made by `build`.
        recipe: settings.
        progress: told after every step.
    """

    def __init__(self, classifier: Any, recipe: Recipe, progress: Progress) -> None:
        self.classifier = classifier
        self._recipe, self._progress = recipe, progress
        self._learner = Learner(classifier)

    def fit(self, examples: Sequence[Instance], number: int, rng: random.Random) -> None:
        """Learns from every example once.

        Args:
            examples: in any order.
            number: of the pass, from 0.
            rng: orders the examples.
        """
        self.classifier.train()
        made = list(batches(examples, self._recipe.batch, rng))
        first, last = self._recipe.passes[number].rates
        with trainable(self.classifier):
            for step, batch in enumerate(made, 1):
                place = step / len(made)
                rate = first + (last - first) * place
                self._learner.step(batch, rate if number else rate * min(1.0, place / _WARM_UP))
                self._progress((number + place) / len(self._recipe.passes))
        self.classifier.eval()

    def keep(self, work: Path, passes: int) -> None:
        """Saves all that the next pass needs."""
        work.mkdir(parents=True, exist_ok=True)
        state = {"learned": self._learner.learned, "optimiser": self._learner.optimiser.state_dict()}
        torch.save({**state, "recipe": self._recipe_of(passes), "passes": passes}, work / _STATE)

    def restore(self, work: Path) -> int:
        """Takes over what an interrupted training of the same recipe has kept.

        Returns:
            How many passes were done; 0 when nothing was kept.

        Raises:
            UsageError: when another recipe was interrupted.
        """
        if not (work / _STATE).is_file():
            return 0
        state = torch.load(work / _STATE, weights_only=True)
        if state["recipe"] != self._recipe_of(state["passes"]):
            raise UsageError(f"{work} holds the training of another recipe: name another folder or empty it.")
        for name, value in self._learner.learned.items():
            value.data.copy_(state["learned"][name])
        self._learner.optimiser.load_state_dict(state["optimiser"])
        return int(state["passes"])

    def _recipe_of(self, passes: int) -> str:
        return str(replace(self._recipe, passes=self._recipe.passes[:passes]))
