"""What the sentiment model learns from and is chosen by: examples of all sources, with people kept apart."""

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.catalogue.catalogue import Catalogue
from data.errors import MissingFileError
from nlu.sentiment.corpora import Opinion, converse, left_out, redial, snippets
from nlu.sentiment.grammar import Grammar, Instance
from nlu.sentiment.masking import normalised
from nlu.sentiment.phrases import TRAINING_FOLDER

_REDIAL_FILES = ("train_data.jsonl", "valid_data.jsonl", "valid.jsonl")
_VALIDATION_SHARE = 0.12
_LABELS = "-0+"


@dataclass(frozen=True, slots=True)
class Sources:
    """Where opinions of other people are read from; each may be missing.

    Attributes:
        converse: folder of the released ConveRSE conversations.
        redial: ReDial folders; only training and validation files are read.
        snippets: files of rated review sentences.
        cases: case files whose texts are kept out.
    """

    converse: Path | None = None
    redial: tuple[Path, ...] = ()
    snippets: tuple[Path, ...] = ()
    cases: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Opinions:
    """Opinions of people, split so that nobody is on both sides."""

    training: tuple[Opinion, ...]
    validation: tuple[Opinion, ...]
    kept_out: int


def own_examples(
    seed: int, folder: Path = TRAINING_FOLDER, written: Mapping[str, Sequence[str]] | None = None
) -> list[Instance]:
    """Masked examples of the project's own sentences, without repetitions, in random order.

    Args:
        seed: of all random choices.
        folder: with the phrase files.
        written: clauses of other people that are mixed in, by sign.
    """
    sentences = Grammar(folder, seed, written).sentences()
    examples = list(dict.fromkeys(example for sentence in sentences for example in sentence.instances()))
    random.Random(seed).shuffle(examples)
    return examples


def written_messages(seed: int, cases: Iterable[Path] = (), folder: Path = TRAINING_FOLDER) -> list[Instance]:
    """Masked examples of the whole messages of the project, without repetitions, in a fixed order.

    Args:
        seed: of all random choices.
        cases: files of cases whose texts are left out.
        folder: with the phrase files.
    """
    sentences = Grammar(folder, seed).messages(folder, unwanted=left_out(cases))
    return list(dict.fromkeys(example for sentence in sentences for example in sentence.instances()))


def gather(sources: Sources, catalogue: Catalogue, seed: int) -> Opinions:
    """Reads all sources, without repetitions and without the texts of case files.

    Raises:
        MissingFileError: when a named folder has no such data.
    """
    found: list[Opinion] = []
    if sources.converse is not None:
        found += converse(sources.converse, catalogue)
    found += redial(_redial_files(sources.redial))
    found += snippets(sources.snippets)
    unwanted = left_out(sources.cases)
    wanted = [opinion for opinion in found if normalised(opinion.text) not in unwanted]
    unique = {(normalised(opinion.text), opinion.targets, opinion.signs): opinion for opinion in wanted}
    training: list[Opinion] = []
    validation: list[Opinion] = []
    for opinion in unique.values():
        (validation if _position(opinion.group, seed) < _VALIDATION_SHARE else training).append(opinion)
    return Opinions(tuple(training), tuple(validation), len(found) - len(wanted))


def _redial_files(folders: Iterable[Path]) -> list[Path]:
    files = []
    for folder in folders:
        known = [folder / name for name in _REDIAL_FILES if (folder / name).is_file()]
        if not known:
            raise MissingFileError(f"{folder} has none of {', '.join(_REDIAL_FILES)}: name a ReDial folder.")
        files += known
    return files


def _position(group: str, seed: int) -> float:
    """Between 0 and 1, fixed for a writer whatever else is read."""
    return int.from_bytes(hashlib.sha256(f"{seed}-{group}".encode()).digest()[:8]) / 2**64


def agreeing(
    examples: Sequence[Instance], probabilities: NDArray[np.float64], least: float = 0.5, silent: float = 0.9
) -> list[Instance]:
    """Keeps the labels that a first model does not contradict.

    Args:
        examples: with labels that may be wrong, or right for another sentence of the same conversation.
        probabilities: of the first model, one row per example in the order "-", "0", "+".
        least: smallest share of the labelled sign, among the two signs, that keeps it.
        silent: probability of "no opinion" from which the example is one without opinion.

    Returns:
        Examples with their label, or with "0" where the text says nothing.
    """
    kept = []
    for example, row in zip(examples, probabilities, strict=True):
        share = row[_LABELS.index(example.label)] / (row[0] + row[2])
        if example.label != "0" and row[1] >= silent:
            kept.append(Instance(example.tokens, "0"))
        elif example.label == "0" or (share >= least and row[1] < 1 - silent / 2):
            kept.append(example)
    return kept


def balanced(examples: Sequence[Instance], most: tuple[int, int], rng: random.Random) -> list[Instance]:
    """So many liked and so many disliked examples: what is rare is repeated, what is frequent drawn without repetition.

    Stanza's weighted losses fail in the version in use; repetition weighs as well.

    Args:
        examples: with labels.
        most: liked and disliked ones; never more than the more frequent sign has.
        rng: draws.

    Returns:
        Those, and at most as many without opinion as disliked ones.
    """
    made: list[Instance] = []
    signed = [[example for example in examples if example.label == sign] for sign in "+-"]
    for group, wanted in zip(signed, most, strict=True):
        count = min(wanted, max(map(len, signed)))
        made += rng.sample(group, min(count, len(group)))
        if group and len(group) < count:
            made += rng.choices(group, k=count - len(group))
    silent = [example for example in examples if example.label == "0"]
    return made + rng.sample(silent, min(most[1], len(silent)))
