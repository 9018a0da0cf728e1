"""Trains the default sentiment model: Stanza's classifier over MiniLM, adapted by low-rank matrices.

In passes, each over other examples: the project's own sentences, rated review sentences and, from the second pass on,
opinions from conversations, whose noisy labels are sifted by what has been learned so far. A pass leaves behind all
that the next one needs, so training that was interrupted goes on where it stood and still makes the same model.
"""

import logging
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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

from data.errors import UsageError
from nlu.sentiment.encoder import ENCODER, add_low_rank, load_encoder, low_rank_state, trainable
from nlu.sentiment.examples import agreeing, balanced
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import OTHER, TARGET

LABELS = "-0+"
"""Order of the classifier's outputs."""

Progress = Callable[[float], None]
"""Told how much of the work is done, from 0 to 1."""

_LONGEST = 60
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
    """

    own: int
    rated: int
    opinions: tuple[int, int]
    rates: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of one training run.

    Attributes:
        seed: of all random choices.
        rank: of the low-rank matrices.
        channels: filters of each width in Stanza's classifier.
        batch: examples a step.
        passes: in order.
    """

    seed: int = 7
    rank: int = 32
    channels: int = 100
    batch: int = 32
    passes: tuple[Pass, ...] = (
        Pass(13000, 5000, (0, 0), (8.0e-4, 6.4e-4)),
        Pass(12000, 4500, (1000, 600), (6.4e-4, 4.8e-4)),
        Pass(12000, 4500, (1000, 600), (4.8e-4, 3.2e-4)),
        Pass(12000, 4500, (1000, 600), (3.2e-4, 1.6e-4)),
        Pass(12000, 4500, (1000, 600), (1.6e-4, 1.0e-5)),
    )


@dataclass(frozen=True, slots=True)
class Material:
    """Examples to learn from: own sentences, rated review sentences (no target), and opinions from conversations."""

    own: Sequence[Instance]
    rated: Sequence[Instance]
    opinions: Sequence[Instance]


def train(material: Material, recipe: Recipe, progress: Progress, work: Path | None = None) -> Any:
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
    _seeded(recipe.seed)
    fitter = Fitter(build(recipe), recipe, progress)
    done = fitter.restore(work) if work else 0
    for number in range(done, len(recipe.passes)):
        rng = _seeded(recipe.seed + 1 + number)
        fitter.fit(_examples(fitter.classifier, material, recipe.passes[number], rng), number, rng)
        if work:
            fitter.keep(work, number + 1)
    return fitter.classifier


def _examples(classifier: Any, material: Material, part: Pass, rng: random.Random) -> list[Instance]:
    examples = [*_some(material.own, part.own, rng), *_some(material.rated, part.rated, rng)]
    if not material.opinions or not any(part.opinions):
        return examples
    sifted = agreeing(material.opinions, probabilities(classifier, material.opinions))
    return [*examples, *balanced(sifted, part.opinions, rng)]


def _seeded(seed: int) -> random.Random:
    torch.manual_seed(seed)
    random.seed(seed)  # Stanza places the padding with it
    return random.Random(seed)


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
    """Adam with a learning rate that rises at once and then falls from pass to pass.

    Args:
        classifier: made by `build`.
        recipe: settings.
        progress: told after every step.
    """

    def __init__(self, classifier: Any, recipe: Recipe, progress: Progress) -> None:
        self.classifier = classifier
        self._recipe, self._progress = recipe, progress
        self._learned = {name: value for name, value in classifier.named_parameters() if value.requires_grad}
        self._optimiser = torch.optim.AdamW(self._learned.values(), weight_decay=0.01)
        self._measure = nn.CrossEntropyLoss(label_smoothing=0.05)

    def fit(self, examples: Sequence[Instance], number: int, rng: random.Random) -> None:
        """Learns from every example once.

        Args:
            examples: in any order.
            number: of the pass, from 0.
            rng: orders the examples.
        """
        self.classifier.train()
        batches = list(_batches(examples, self._recipe.batch, rng))
        first, last = self._recipe.passes[number].rates
        with trainable(self.classifier):
            for step, batch in enumerate(batches, 1):
                place = step / len(batches)
                rate = first + (last - first) * place
                self._step(batch, rate if number else rate * min(1.0, place / _WARM_UP))
                self._progress((number + place) / len(self._recipe.passes))
        self.classifier.eval()

    def keep(self, work: Path, passes: int) -> None:
        """Saves all that the next pass needs."""
        work.mkdir(parents=True, exist_ok=True)
        state = {"learned": self._learned, "optimiser": self._optimiser.state_dict(), "recipe": self._recipe_of(passes)}
        torch.save({**state, "passes": passes}, work / _STATE)

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
        for name, value in self._learned.items():
            value.data.copy_(state["learned"][name])
        self._optimiser.load_state_dict(state["optimiser"])
        return int(state["passes"])

    def _recipe_of(self, passes: int) -> str:
        return str(replace(self._recipe, passes=self._recipe.passes[:passes]))

    def _step(self, batch: Sequence[Instance], rate: float) -> None:
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        wanted = torch.tensor([LABELS.index(example.label) for example in batch])
        loss: Tensor = self._measure(self.classifier([list(example.tokens[:_LONGEST]) for example in batch]), wanted)
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._learned.values(), 1.0)
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
