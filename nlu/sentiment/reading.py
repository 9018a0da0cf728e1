"""Trains the classifier of the default sentiment model over the adapted encoder, which no longer changes.

What the encoder makes of every example is computed once, quantised as it will run, and remembered. So the classifier
sees all examples several times at little cost; an LSTM in it follows who is praised and who is blamed in a sentence.
Opinions from conversations are sifted by what has been learned before the last epoch and join in then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from nlu.sentiment.classifiers import Learner, batches, drawn, new_classifier, probabilities, seeded, shortened
from nlu.sentiment.encoder import load_encoder, merge, quantised
from nlu.sentiment.examples import agreeing, balanced
from nlu.sentiment.grammar import Instance
from nlu.sentiment.training import Material, Progress

_REMEMBERING = 0.3
_WARM_UP = 0.05
_LEAST = 0.01


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings.

    Attributes:
        seed: of all random choices.
        own: at most so many of the project's own sentences.
        messages: at most so many of its whole messages.
        rated: at most so many rated review sentences.
        opinions: at most so many liked and so many disliked ones from conversations.
        epochs: how often every example is seen.
        hidden: size of each direction of the LSTM.
        channels: filters of each width.
        dropout: share of values left out.
        batch: examples a step.
        rate: highest learning rate; it rises for the first steps and falls to nearly nothing.
    """

    seed: int = 7
    own: int = 16000
    messages: int = 26000
    rated: int = 5000
    opinions: tuple[int, int] = (1500, 1000)
    epochs: int = 3
    hidden: int = 128
    channels: int = 60
    dropout: float = 0.4
    batch: int = 64
    rate: float = 1e-3


class Remembered:
    """What the encoder makes of examples, in half precision; stands in for it while the classifier learns.

    Args:
        classifier: over the encoder.
        examples: to be remembered.
        progress: told how much is done.
    """

    def __init__(self, classifier: Any, examples: Sequence[Instance], progress: Progress) -> None:
        self._known: dict[tuple[str, ...], Tensor] = {}
        texts = sorted({tuple(shortened(example)) for example in examples}, key=len)
        with torch.inference_mode():
            for start in range(0, len(texts), 64):
                block = texts[start : start + 64]
                rows = classifier.extract_bert_embeddings(
                    [list(text) for text in block], len(block[-1]), [0] * len(block), "cpu"
                )
                self._known |= {text: row[: len(text)].half() for text, row in zip(block, rows, strict=True)}
                progress(start / len(texts))

    def __call__(self, texts: Sequence[Sequence[str]], longest: int, begins: Sequence[int], device: Any) -> Tensor:
        """Padded vectors, (texts, longest, size of a vector): the arguments are those of Stanza's own method."""
        known = [self._known[tuple(text)] for text in texts]
        vectors = torch.zeros((len(texts), longest, known[0].shape[1]), device=device)
        for row, begin, found in zip(vectors, begins, known, strict=True):
            row[begin : begin + len(found)] = found
        return vectors


def train(material: Material, adapter: Mapping[str, Tensor], recipe: Recipe, progress: Progress) -> Any:
    """Stanza's classifier over the adapted and quantised encoder.

    Args:
        material: to learn from.
        adapter: low-rank matrices, by layer.
        recipe: settings.
        progress: told after every step.
    """
    torch.set_num_threads(1)  # the order of sums, and so the model, would depend on their number
    rng = seeded(recipe.seed)
    encoder, tokenizer = load_encoder()
    merge(encoder, adapter)
    classifier = new_classifier(quantised(encoder), tokenizer, recipe.channels, recipe.dropout, recipe.hidden)
    examples = [*drawn(material.own, recipe.own, rng), *drawn(material.rated, recipe.rated, rng)]
    examples += drawn(material.messages, recipe.messages, rng)
    encode = classifier.extract_bert_embeddings
    classifier.extract_bert_embeddings = Remembered(
        classifier, [*examples, *material.opinions], lambda share: progress(share * _REMEMBERING)
    )
    learner = Learner(classifier)
    for epoch in range(recipe.epochs):
        if epoch == recipe.epochs - 1 and material.opinions:
            sifted = agreeing(material.opinions, probabilities(classifier, material.opinions))
            examples += balanced(sifted, recipe.opinions, rng)
        classifier.train()
        made = list(batches(examples, recipe.batch, rng))
        for step, batch in enumerate(made, 1):
            place = (epoch + step / len(made)) / recipe.epochs
            learner.step(batch, recipe.rate * min(1.0, place / _WARM_UP) * max(_LEAST, 1 - place))
            progress(_REMEMBERING + (1 - _REMEMBERING) * place)
        classifier.eval()
    classifier.extract_bert_embeddings = encode
    return classifier
