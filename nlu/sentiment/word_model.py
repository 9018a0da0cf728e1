"""Trains the small sentiment model: Stanza's classifier over word vectors, without a transformer when it runs.

The vectors are what MiniLM makes of single words, reduced to their main directions; the classifier learns a correction
for every word it has seen. Training is Stanza's own program.
"""

import json
import logging
import random
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stanza.models import classifier as stanza_classifier
from stanza.models.common.pretrain import PretrainedWordVocab

from nlu.sentiment.classifiers import LABELS, half_precision
from nlu.sentiment.encoder import load_encoder
from nlu.sentiment.examples import balanced
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import OTHER, TARGET
from nlu.sentiment.own_cases import held_out, instances
from nlu.sentiment.training import Material, Progress

_DIMENSIONS = 48
_EPOCHS = 6
_WORD = re.compile(r"[a-z]{3,}")
_SEEN, _KNOWN = 2, 8000
_OPINIONS, _RATED = 3000, 3000


def train(material: Material, folder: Path, seed: int, progress: Progress) -> None:
    """Writes classifier and word vectors into the folder.

    Args:
        material: to learn from; opinions from conversations are taken as they are.
        folder: of the model.
        seed: of all random choices.
        progress: told before and after the training.
    """
    logging.getLogger("stanza").setLevel(logging.WARNING)
    torch.set_num_threads(1)
    rng = random.Random(seed)
    examples = [*material.own, *material.messages, *material.rated[:_RATED]]
    examples += balanced(material.opinions, (_OPINIONS, _OPINIONS), rng)
    progress(0.0)
    _save_vectors(examples, folder / "pretrain.pt")
    progress(0.1)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        _write(examples, work / "train.json")
        _write(
            [*instances(held_out()), *rng.sample(list(material.own), min(600, len(material.own)))], work / "dev.json"
        )
        stanza_classifier.main(_arguments(work, folder, seed))
        checkpoint = torch.load(work / "classifier.pt", weights_only=True)
    checkpoint.pop("optimizer_state_dict", None)
    torch.save(half_precision(checkpoint), folder / "classifier.pt")
    vectors = torch.load(folder / "pretrain.pt", weights_only=True)
    torch.save({**vectors, "emb": vectors["emb"].half()}, folder / "pretrain.pt")
    (folder / "resources.json").write_text("{}\n", encoding="utf-8")
    progress(1.0)


def _arguments(work: Path, folder: Path, seed: int) -> list[str]:
    options = {
        "train_file": work / "train.json",
        "dev_file": work / "dev.json",
        "test_file": work / "dev.json",
        "wordvec_pretrain_file": folder / "pretrain.pt",
        "wordvec_type": "other",
        "save_dir": work,
        "save_name": "classifier.pt",
        "max_epochs": _EPOCHS,
        "filter_channels": 120,
        "fc_shapes": 100,
        "extra_wordvec_method": "SUM",
        "batch_size": 64,
        "dropout": 0.4,
        "seed": seed,
    }
    listed = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    return ["--no_bilstm", "--no_checkpoint", *listed]


def _write(examples: Sequence[Instance], path: Path) -> None:
    rows = [{"sentiment": str(LABELS.index(one.label)), "text": list(one.tokens)} for one in examples]
    path.write_text(json.dumps(rows), encoding="utf-8")


def _save_vectors(examples: Sequence[Instance], path: Path) -> None:
    """Vectors of the words of the examples and of MiniLM's own vocabulary, so that unseen words mean something."""
    encoder, tokenizer = load_encoder()
    counts = Counter(token for example in examples for token in example.tokens)
    seen = [word for word, count in counts.most_common() if count >= _SEEN]
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])  # frequent words come first
    known = [word for word, _ in vocabulary if _WORD.fullmatch(word)][:_KNOWN]
    words = list(dict.fromkeys([TARGET, OTHER, *seen, *known]))
    numbered = PretrainedWordVocab(words, lang="en")
    vectors = _encoded(encoder, tokenizer, words)
    _, _, directions = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    reduced = (vectors - vectors.mean(axis=0)) @ directions[:_DIMENSIONS].T
    reduced /= np.linalg.norm(reduced, axis=1).mean()
    special = np.zeros((len(numbered) - len(words), _DIMENSIONS))
    matrix = torch.from_numpy(np.vstack([special, reduced])).float()
    torch.save({"emb": matrix, "vocab": numbered.state_dict()}, path)


def _encoded(encoder: Any, tokenizer: Any, words: Sequence[str], size: int = 512) -> np.ndarray[Any, Any]:
    """Mean of the last layer over the pieces of each word; one row per word."""
    rows = []
    with torch.inference_mode():
        for start in range(0, len(words), size):
            batch = tokenizer(list(words[start : start + size]), return_tensors="pt", padding=True, truncation=True)
            hidden, mask = encoder(**batch).last_hidden_state, batch["attention_mask"][..., None]
            rows.append(((hidden * mask).sum(1) / mask.sum(1)).numpy())
    return np.concatenate(rows)
