"""Polarity of every target of a message, read by a Stanza classifier from target-masked text."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from data.errors import BackendError
from data.model import Polarity
from nlu.memory import Memory
from nlu.model import Span
from nlu.sentiment.card import MODELS_FOLDER, ModelCard, Thresholds
from nlu.sentiment.masking import mask

if TYPE_CHECKING:
    from stanza.models.classifiers.base_classifier import BaseClassifier
    from stanza.models.common.foundation_cache import FoundationCache

LABELS = ("-", "0", "+")
"""Of the classifier's outputs, in its order: Stanza numbers the sorted labels "0", "1" and "2"."""

DEFAULT_MODEL = "default"

_REMEMBERED = 4096
"""Messages whose probabilities are kept: what is named is masked, so that those about all titles are alike."""


class StanzaSentimentRecognizer:
    """The sentiment recogniser of the running bot.

    Args:
        model_dir: folder with a model card and the files it names; None for the one that ships.

    Raises:
        MissingFileError: when the model is not there.
        DataError: when one of its files was replaced.
        BackendError: when Stanza cannot load it.
    """

    def __init__(self, model_dir: Path | None = None) -> None:
        folder = model_dir or MODELS_FOLDER / DEFAULT_MODEL
        self.card = ModelCard.load(folder)
        self._classifier = load_classifier(folder, self.card.encoder)
        self._known: Memory[tuple[tuple[str, ...], ...], NDArray[np.float64]] = Memory(_REMEMBERED)

    def polarities(self, text: str, targets: tuple[Span, ...]) -> tuple[Polarity | None, ...]:
        """One value per target, in order; None where no opinion is stated or it is too close to call."""
        if not targets:
            return ()
        masked = [mask(text, targets, index) for index in range(len(targets))]
        return tuple(decide(row, self.card.thresholds) for row in self._remembered(masked))

    def overall(self, text: str) -> Polarity | None:
        """Polarity of a message that names nothing ("loved it!", "meh")."""
        if not text.strip():
            return None
        return decide(self._remembered([mask(text, (), None)])[0], self.card.thresholds)

    def _remembered(self, masked: Sequence[list[str]]) -> NDArray[np.float64]:
        """The probabilities of a batch; the classifier is spared the ones that it had lately."""
        batch = tuple(map(tuple, masked))
        known = self._known.find(batch)
        if known is None:
            known = self.probabilities(masked)
            self._known.keep(batch, known)
        return known

    def probabilities(self, masked: Sequence[list[str]]) -> NDArray[np.float64]:
        """What the classifier makes of masked token lists, all in one batch.

        Args:
            masked: at least one list, each of at least one token.

        Returns:
            One row per list, one column per label of `LABELS`, rows summing to 1.
        """
        import torch

        with torch.inference_mode():
            logits = self._classifier(list(masked))
        return np.asarray(torch.softmax(logits, dim=1).double().numpy())


def decide(row: NDArray[np.float64], thresholds: Thresholds) -> Polarity | None:
    """From probabilities to a polarity.

    Args:
        row: probabilities of `LABELS`.
        thresholds: of the model.

    Returns:
        The likelier of "+" and "-"; None when "no opinion" is likely or the two are too close.
    """
    negative, none, positive = (float(value) for value in row)
    share = positive / (positive + negative)
    if none >= thresholds.none or abs(share - 0.5) < thresholds.margin:
        return None
    return "+" if share > 0.5 else "-"


def load_classifier(folder: Path, encoder: str | None) -> "BaseClassifier":
    """The classifier of a Stanza pipeline that needs no download and no language package.

    The pipeline itself gives labels only; its classifier gives the probabilities. It runs on one thread.

    Args:
        folder: with `classifier.pt`, `pretrain.pt`, an empty `resources.json` and, over an encoder, `adapter.pt`.
        encoder: name of the transformer that the classifier was trained on; None for word vectors alone.

    Raises:
        BackendError: when something is not installed or does not load.
    """
    try:
        import torch
        from stanza.models.common.foundation_cache import BertRecord, FoundationCache
    except ImportError as error:
        raise BackendError(f"Stanza is not installed ({error}): run `make setup`.") from error

    logging.getLogger("stanza").setLevel(logging.WARNING)
    torch.set_num_threads(1)
    known = FoundationCache(local_files_only=True)
    if encoder is None:
        return _classifier(folder, known)
    from nlu.sentiment.encoder import load_adapted, quantised

    known.bert[encoder] = BertRecord(*load_adapted(folder / "adapter.pt"), {})
    classifier = _classifier(folder, known)
    classifier.bert_model = quantised(classifier.bert_model)
    return classifier


def _classifier(folder: Path, known: "FoundationCache") -> Any:
    """What a pipeline makes of the files in a folder. Raises BackendError."""
    import stanza

    try:
        pipeline: Any = stanza.Pipeline(
            lang="en",
            dir=str(folder),
            processors="tokenize,sentiment",
            download_method=None,
            allow_unknown_language=True,
            tokenize_pretokenized=True,
            sentiment_model_path=str(folder / "classifier.pt"),
            sentiment_pretrain_path=str(folder / "pretrain.pt"),
            foundation_cache=known,
            use_gpu=False,
            verbose=False,
        )
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise BackendError(f"Stanza cannot load the sentiment model in {folder}: {error}") from error
    classifier: Any = pipeline.processors["sentiment"]._model
    return classifier.float().eval()  # files hold half precision
