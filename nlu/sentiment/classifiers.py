"""Stanza's classifier over the encoder: how both trainings make it, let it learn, ask it and save it."""

import logging
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
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

from nlu.sentiment.encoder import ENCODER
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import OTHER, TARGET

LABELS = "-0+"
"""Order of the classifier's outputs."""

_LONGEST = 60


def shortened(example: Instance) -> list[str]:
    """The tokens that training looks at."""
    return list(example.tokens[:_LONGEST])


def new_classifier(encoder: nn.Module, tokenizer: Any, channels: int, dropout: float, hidden: int = 0) -> Any:
    """An untrained classifier over the encoder; its word vectors tell target and other mention apart, nothing else.

    Args:
        encoder: transformer.
        tokenizer: of the transformer.
        channels: filters of each width.
        dropout: share of values left out in training.
        hidden: size of each direction of the LSTM in front of the filters; 0 for none.
    """
    with tempfile.TemporaryDirectory() as folder:
        save_pretrain(Path(folder) / "pretrain.pt")
        pretrain = Pretrain(str(Path(folder) / "pretrain.pt"))
        pretrain.load()
    options = {
        "wordvec_type": "other",
        "filter_channels": channels,
        "filter_sizes": "(1,2,3)",
        "fc_shapes": "100",
        "extra_wordvec_method": "NONE",
        "bert_hidden_layers": 1,
        "dropout": dropout,
        "bilstm_hidden_dim": hidden,
    }
    listed = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    args = stanza_classifier.parse_args(["--bilstm" if hidden else "--no_bilstm", *listed])
    args.bert_model = ENCODER
    return CNNClassifier(
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


def save_pretrain(path: Path) -> None:
    """The word vectors that Stanza's classifier needs beside the transformer: one for each masking token."""
    vocabulary = PretrainedWordVocab([TARGET, OTHER], lang="en")
    vectors = torch.cat([torch.zeros(len(vocabulary) - 2, 2), torch.eye(2)])
    torch.save({"emb": vectors, "vocab": vocabulary.state_dict()}, path)


class Learner:
    """Adam over all parameters of a classifier that learn.

    Args:
        classifier: made by `new_classifier`.
    """

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier
        self.learned = {name: value for name, value in classifier.named_parameters() if value.requires_grad}
        self.optimiser = torch.optim.AdamW(self.learned.values(), weight_decay=0.01)
        self._measure = nn.CrossEntropyLoss(label_smoothing=0.05)

    def step(self, batch: Sequence[Instance], rate: float) -> None:
        """Learns from one batch with the given learning rate."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        wanted = torch.tensor([LABELS.index(example.label) for example in batch])
        loss: Tensor = self._measure(self.classifier([shortened(example) for example in batch]), wanted)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.learned.values(), 1.0)
        self.optimiser.step()


def seeded(seed: int) -> random.Random:
    """Seeds all that draws, and gives a source of random choices."""
    torch.manual_seed(seed)
    random.seed(seed)  # Stanza places the padding with it
    return random.Random(seed)


def drawn(examples: Sequence[Instance], count: int, rng: random.Random) -> list[Instance]:
    """So many of the examples, or all."""
    return rng.sample(list(examples), min(count, len(examples)))


def batches(examples: Sequence[Instance], size: int, rng: random.Random) -> Iterator[list[Instance]]:
    """Batches of examples of about the same length, in random order."""
    order = list(examples)
    rng.shuffle(order)
    made = []
    for start in range(0, len(order), size * 40):
        block = sorted(order[start : start + size * 40], key=lambda example: len(example.tokens))
        made += [block[at : at + size] for at in range(0, len(block), size)]
    rng.shuffle(made)
    yield from made


def probabilities(classifier: Any, examples: Sequence[Instance], size: int = 64) -> NDArray[np.float64]:
    """Softmax outputs, one row per example, columns as in `LABELS`."""
    classifier.eval()
    order = sorted(range(len(examples)), key=lambda index: len(examples[index].tokens))
    rows = np.zeros((len(examples), len(LABELS)))
    with torch.inference_mode():
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            logits = classifier([shortened(examples[index]) for index in chosen])
            rows[chosen] = torch.softmax(logits, dim=1).numpy()
    return rows


def save(classifier: Any, adapter: Mapping[str, Tensor], folder: Path) -> None:
    """Writes classifier, word vectors and adapter in half precision, and the list of resources that Stanza asks for."""
    logging.getLogger("stanza").setLevel(logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    Trainer(classifier).save(str(folder / "classifier.pt"), save_optimizer=False)
    checkpoint = torch.load(folder / "classifier.pt", weights_only=True)
    torch.save(half_precision(checkpoint), folder / "classifier.pt")
    save_pretrain(folder / "pretrain.pt")
    torch.save(dict(adapter), folder / "adapter.pt")
    (folder / "resources.json").write_text("{}\n", encoding="utf-8")


def half_precision(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """The checkpoint with the weights of the classifier rounded to 16 bits."""
    weights = checkpoint["params"]["model"]
    weights.update({name: value.half() for name, value in weights.items()})
    return checkpoint
