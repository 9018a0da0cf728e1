"""Trains the default sentiment model: Stanza's classifier over MiniLM, adapted by low-rank matrices.

In passes. The first half of the first learns from the project's own sentences and, where given, from rated review
sentences; what it has learned sifts the noisy labels of conversations, and the second half goes on with those that
agree. Every later pass sifts them again, with what is known by then.
"""

import logging
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stanza.models import classifier as stanza_classifier
from stanza.models.classifiers.cnn_classifier import CNNClassifier
from stanza.models.classifiers.trainer import Trainer
from stanza.models.common.pretrain import Pretrain, PretrainedWordVocab
from torch import Tensor, nn

from nlu.sentiment.encoder import ENCODER, add_low_rank, load_encoder, low_rank_state, trainable
from nlu.sentiment.examples import agreeing, balanced
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import OTHER, TARGET

LABELS = "-0+"
"""Order of the classifier's outputs."""

Progress = Callable[[float], None]
"""Told how much of the work is done, from 0 to 1."""

_LONGEST = 60
_WARM_UP, _LEAST = 0.04, 0.02


@dataclass(frozen=True, slots=True)
class Pass:
    """A later pass.

    Attributes:
        mixed: own sentences and rated review sentences.
        opinions: at most so many liked and so many disliked ones are added.
        rate: highest learning rate.
    """

    mixed: tuple[int, int]
    opinions: tuple[int, int]
    rate: float = 7e-4


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of one training run.

    Attributes:
        seed: of all random choices.
        rank: of the low-rank matrices.
        channels: filters of each width in Stanza's classifier.
        batch: examples a step.
        rate: highest learning rate; it rises for the first steps and falls to nearly nothing.
        first: examples of the first half: own sentences, rated review sentences.
        second: the same of the second half; the sifted opinions are added.
        opinions: at most so many of each sign are added.
        later: the passes after the first.
    """

    seed: int = 7
    rank: int = 32
    channels: int = 100
    batch: int = 32
    rate: float = 1e-3
    first: tuple[int, int] = (9000, 3000)
    second: tuple[int, int] = (7000, 1500)
    opinions: tuple[int, int] = (2500, 2500)
    later: tuple[Pass, ...] = (Pass((9000, 2000), (4000, 1500)), Pass((9000, 1500), (2000, 800)))


@dataclass(frozen=True, slots=True)
class Material:
    """Examples to learn from: own sentences, rated review sentences (no target), and opinions from conversations."""

    own: Sequence[Instance]
    rated: Sequence[Instance]
    opinions: Sequence[Instance]


@dataclass(frozen=True, slots=True)
class Saved:
    """A model saved after some passes, to go on from.

    Attributes:
        folder: of the model.
        passes: how many it has behind it.
    """

    folder: Path
    passes: int = 1


def train(material: Material, recipe: Recipe, progress: Progress, start: Saved | None = None) -> Any:
    """All passes, or those that are still to come.

    Args:
        material: to learn from.
        recipe: settings.
        progress: told after every step.
        start: what to go on from; None to begin.

    Returns:
        Stanza's classifier, its encoder still with separate low-rank matrices.
    """
    torch.set_num_threads(1)  # the order of sums, and so the model, would depend on their number
    classifier = build(recipe)
    total = 1 + len(recipe.later)
    if start is None:
        _first_pass(classifier, material, recipe, lambda share: progress(share / total))
    else:
        resume(classifier, start.folder)
    for number in range(start.passes if start else 1, total):
        later, rng = recipe.later[number - 1], _seeded(recipe.seed + number)
        sifted = balanced(_sifted(classifier, material.opinions), later.opinions, rng)
        fitter = Fitter(classifier, recipe, later.rate, rng, partial(_share, progress, number, total))
        fitter.fit([*_mixed(material, later.mixed, rng), *sifted], (0.0, 1.0))
    return classifier


def _share(progress: Progress, done: int, total: int, share: float) -> None:
    progress((done + share) / total)


def _first_pass(classifier: Any, material: Material, recipe: Recipe, progress: Progress) -> None:
    rng = _seeded(recipe.seed)
    fitter = Fitter(classifier, recipe, recipe.rate, rng, progress)
    fitter.fit(_mixed(material, recipe.first, rng), (0.0, 0.5))
    sifted = balanced(_sifted(classifier, material.opinions), recipe.opinions, rng)
    fitter.fit([*_mixed(material, recipe.second, rng), *sifted], (0.5, 1.0))


def _seeded(seed: int) -> random.Random:
    torch.manual_seed(seed)
    random.seed(seed)  # Stanza places the padding with it
    return random.Random(seed)


def _mixed(material: Material, counts: tuple[int, int], rng: random.Random) -> list[Instance]:
    own, rated = counts
    return [*_some(material.own, own, rng), *_some(material.rated, rated, rng)]


def _sifted(classifier: Any, opinions: Sequence[Instance]) -> list[Instance]:
    return agreeing(opinions, probabilities(classifier, opinions)) if opinions else []


def resume(classifier: Any, folder: Path) -> None:
    """Takes over the weights of a saved model of the same recipe."""
    checkpoint = torch.load(folder / "classifier.pt", weights_only=True)
    adapter = torch.load(folder / "adapter.pt", weights_only=True)
    classifier.load_state_dict(checkpoint["params"]["model"], strict=False)
    classifier.bert_model.load_state_dict(adapter, strict=False)


def _some(examples: Sequence[Instance], count: int, rng: random.Random) -> list[Instance]:
    return rng.sample(list(examples), min(count, len(examples)))


def build(recipe: Recipe) -> Any:
    """An untrained classifier over the encoder; its word vectors tell target and other mention apart, nothing else."""
    encoder, tokenizer = load_encoder()
    add_low_rank(encoder, recipe.rank)
    with tempfile.TemporaryDirectory() as folder:
        save_pretrain(Path(folder) / "pretrain.pt")
        pretrain = Pretrain(str(Path(folder) / "pretrain.pt"))
        pretrain.load()
    options = {
        "wordvec_type": "other",
        "filter_channels": recipe.channels,
        "filter_sizes": "(1,2,3)",
        "fc_shapes": "100",
        "extra_wordvec_method": "NONE",
        "bert_hidden_layers": 1,
        "dropout": 0.3,
    }
    args = stanza_classifier.parse_args(
        ["--no_bilstm", *(str(part) for name, value in options.items() for part in (f"--{name}", value))]
    )
    args.bert_model = ENCODER
    classifier = CNNClassifier(
        pretrain=pretrain,
        extra_vocab=None,
        labels=["0", "1", "2"],
        charmodel_forward=None,
        charmodel_backward=None,
        elmo_model=None,
        bert_model=encoder,
        bert_tokenizer=tokenizer,
        force_bert_saved=False,
        peft_name=None,
        args=args,
    )
    for name, parameter in encoder.named_parameters():
        parameter.requires_grad = name.endswith((".down", ".up"))
    return classifier


def save_pretrain(path: Path) -> None:
    """The word vectors that Stanza's classifier needs beside the transformer: one for each masking token."""
    vocabulary = PretrainedWordVocab([TARGET, OTHER], lang="en")
    vectors = torch.cat([torch.zeros(len(vocabulary) - 2, 2), torch.eye(2)])
    torch.save({"emb": vectors, "vocab": vocabulary.state_dict()}, path)


class Fitter:
    """Adam with a learning rate that rises at once and then falls over the whole pass.

    Args:
        classifier: made by `build`.
        recipe: settings.
        rate: highest learning rate.
        rng: orders the examples.
        progress: told after every step.
    """

    def __init__(self, classifier: Any, recipe: Recipe, rate: float, rng: random.Random, progress: Progress) -> None:
        self._classifier, self._recipe, self._rng, self._progress = classifier, recipe, rng, progress
        self._rate = rate
        self._learned = [parameter for parameter in classifier.parameters() if parameter.requires_grad]
        self._optimiser = torch.optim.AdamW(self._learned, lr=rate, weight_decay=0.01)
        self._measure = nn.CrossEntropyLoss(label_smoothing=0.05)

    def fit(self, examples: Sequence[Instance], part: tuple[float, float]) -> None:
        """Learns from every example once.

        Args:
            examples: in any order.
            part: where in the whole pass these examples stand, from 0 to 1.
        """
        self._classifier.train()
        batches = list(_batches(examples, self._recipe.batch, self._rng))
        with trainable(self._classifier):
            for step, batch in enumerate(batches, 1):
                place = part[0] + (part[1] - part[0]) * step / len(batches)
                self._step(batch, self._rate * min(1.0, place / _WARM_UP) * max(_LEAST, 1 - place))
                self._progress(place)
        self._classifier.eval()

    def _step(self, batch: Sequence[Instance], rate: float) -> None:
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        wanted = torch.tensor([LABELS.index(example.label) for example in batch])
        loss: Tensor = self._measure(self._classifier([list(example.tokens[:_LONGEST]) for example in batch]), wanted)
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._learned, 1.0)
        self._optimiser.step()


def _batches(examples: Sequence[Instance], size: int, rng: random.Random) -> Iterator[list[Instance]]:
    """Batches of examples of about the same length, in random order."""
    order = list(examples)
    rng.shuffle(order)
    batches = []
    for start in range(0, len(order), size * 40):
        block = sorted(order[start : start + size * 40], key=lambda example: len(example.tokens))
        batches += [block[at : at + size] for at in range(0, len(block), size)]
    rng.shuffle(batches)
    yield from batches


def probabilities(classifier: Any, examples: Sequence[Instance], size: int = 64) -> NDArray[np.float64]:
    """Softmax outputs, one row per example, columns as in `LABELS`."""
    classifier.eval()
    order = sorted(range(len(examples)), key=lambda index: len(examples[index].tokens))
    rows = np.zeros((len(examples), len(LABELS)))
    with torch.inference_mode():
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            logits = classifier([list(examples[index].tokens[:_LONGEST]) for index in chosen])
            rows[chosen] = torch.softmax(logits, dim=1).numpy()
    return rows


def save(classifier: Any, folder: Path) -> None:
    """Writes classifier, word vectors and adapter in half precision, and the list of resources that Stanza asks for."""
    logging.getLogger("stanza").setLevel(logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    Trainer(classifier).save(str(folder / "classifier.pt"), save_optimizer=False)
    checkpoint = torch.load(folder / "classifier.pt", weights_only=True)
    torch.save(half_precision(checkpoint), folder / "classifier.pt")
    save_pretrain(folder / "pretrain.pt")
    torch.save(low_rank_state(classifier.bert_model), folder / "adapter.pt")
    (folder / "resources.json").write_text("{}\n", encoding="utf-8")


def half_precision(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """The checkpoint with the weights of the classifier rounded to 16 bits."""
    weights = checkpoint["params"]["model"]
    weights.update({name: value.half() for name, value in weights.items()})
    return checkpoint
