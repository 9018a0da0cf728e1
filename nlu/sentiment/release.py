"""From data to a model folder: trains, chooses thresholds on validation data, measures, writes the card."""

import datetime
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.catalogue.catalogue import Catalogue
from nlu.sentiment.card import ModelCard, Thresholds, sha256
from nlu.sentiment.corpora import Opinion, rated_clauses
from nlu.sentiment.evaluation import figures, read_cases, run
from nlu.sentiment.examples import Opinions, Sources, gather, own_examples, written_messages
from nlu.sentiment.grammar import Instance
from nlu.sentiment.own_cases import held_out, instances, validation
from nlu.sentiment.recognizer import LABELS, StanzaSentimentRecognizer, decide
from nlu.sentiment.training import Material

Trainer = Callable[[Material, Path], str | None]
"""Trains on the material, writes the model's files into the folder and returns the encoder's name, if it has one."""

_OWN_VALIDATION = 800
_SILENT = 0.3
_LICENCES = {
    "converse": "ConveRSE, released for research",
    "redial": "ReDial, CC BY 4.0",
    "snippets": "rated sentences of vaderSentiment 0.5, MIT",
}


@dataclass(frozen=True, slots=True)
class Release:
    """What identifies a model.

    Attributes:
        name: of the model.
        command: that makes it.
        seed: of everything random.
    """

    name: str
    command: str
    seed: int


def release(folder: Path, what: Release, sources: Sources, catalogue: Catalogue, train: Trainer) -> ModelCard:
    """Makes the model folder.

    Args:
        folder: is written.
        what: name, command and seed.
        sources: of other people's opinions; validation and the texts of case files are kept out of training.
        catalogue: finds the objects of ConveRSE preferences in their texts.
        train: makes the files.

    Returns:
        The card, as written.
    """
    opinions = gather(sources, catalogue, what.seed)
    own = own_examples(what.seed, written=rated_clauses(opinions.training))
    material = Material(
        own[_OWN_VALIDATION:],
        _examples(opinion for opinion in opinions.training if not opinion.targets),
        _examples(opinion for opinion in opinions.training if opinion.targets),
        written_messages(what.seed, sources.cases),
    )
    folder.mkdir(parents=True, exist_ok=True)
    encoder = train(material, folder)
    names = [name for name in ("classifier.pt", "pretrain.pt", "adapter.pt") if (folder / name).is_file()]
    card = ModelCard(
        name=what.name,
        made_with=what.command,
        made_on=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        seed=what.seed,
        data=_data(material, opinions),
        figures={},
        encoder=encoder,
        files={name: sha256(folder / name) for name in names},
    )
    card.save(folder)
    return measured(folder, card, validation_sets(own[:_OWN_VALIDATION], opinions.validation), sources.cases)


def validation_sets(own: Sequence[Instance], opinions: Sequence[Opinion]) -> dict[str, list[Instance]]:
    """What thresholds are chosen on, by name."""
    sets = {
        "validation messages": instances(validation()),
        "held-out expressions": instances(held_out()),
        "own sentences": list(own),
    }
    for source in ("converse", "snippets"):
        found = _examples(opinion for opinion in opinions if opinion.source == source)
        if found:
            sets[f"{source} validation"] = found[:_OWN_VALIDATION]
    return sets


def measured(folder: Path, card: ModelCard, sets: Mapping[str, Sequence[Instance]], cases: Iterable[Path]) -> ModelCard:
    """Chooses the thresholds of a model on validation sets, measures it on them and on case files, saves its card."""
    recognizer = StanzaSentimentRecognizer(folder)
    rows = {name: _rows(recognizer, examples) for name, examples in sets.items()}
    chosen = choose(rows, sets)
    found: dict[str, str | int | float] = {
        f"{name}, {len(examples)} mentions": round(_accuracy(rows[name], examples, chosen), 4)
        for name, examples in sets.items()
    }
    tuned = card.model_copy(update={"thresholds": chosen})
    tuned.save(folder)
    recognizer = StanzaSentimentRecognizer(folder)
    for path in cases:
        counted = figures(run(recognizer, read_cases(path)))
        found[f"{path.name}, {counted['n']} mentions"] = counted["accuracy"]
    final = tuned.model_copy(update={"figures": found})
    final.save(folder)
    return final


def choose(rows: Mapping[str, NDArray[np.float64]], sets: Mapping[str, Sequence[Instance]]) -> Thresholds:
    """The thresholds with the best mean accuracy over the sets; among equals, those that stay silent least.

    Mentions without an opinion weigh less than they are many in the sets: in conversations they are rare.
    """
    grid = itertools.product((0.9, 0.8, 0.7, 0.6, 0.5, 0.4), (0.0, 0.05, 0.1, 0.15))
    options = [Thresholds(none=none, margin=margin) for none, margin in grid]
    return max(
        options, key=lambda option: np.mean([_accuracy(rows[name], sets[name], option, _SILENT) for name in sets])
    )


def _accuracy(
    rows: NDArray[np.float64], examples: Sequence[Instance], thresholds: Thresholds, silent: float = 1.0
) -> float:
    right = [(decide(row, thresholds) or "0") == example.label for row, example in zip(rows, examples, strict=True)]
    return float(np.average(right, weights=[silent if example.label == "0" else 1.0 for example in examples]))


def _rows(recognizer: StanzaSentimentRecognizer, examples: Sequence[Instance]) -> NDArray[np.float64]:
    # one by one, as the bot reads: the scale of 8-bit values depends on what is read together
    rows = [recognizer.probabilities([list(example.tokens)]) for example in examples]
    return np.concatenate(rows) if rows else np.zeros((0, len(LABELS)))


def _examples(opinions: Iterable[Opinion]) -> list[Instance]:
    return list(dict.fromkeys(example for opinion in opinions for example in opinion.instances()))


def _data(material: Material, opinions: Opinions) -> dict[str, str | int | float]:
    counted: dict[str, str | int | float] = {
        "own sentences (data/training/sentiment), masked examples": len(material.own),
        "own messages (data/training/sentiment/messages), masked examples": len(material.messages),
        "texts of case files kept out": opinions.kept_out,
    }
    for source, licence in _LICENCES.items():
        count = sum(opinion.source == source for opinion in opinions.training)
        if count:
            counted[f"{licence}: texts"] = count
    return counted
