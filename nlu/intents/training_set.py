"""What the intent model learns from: our own sentences, names from the catalogue, and released rows."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import yaml

from data.catalogue import Catalogue, load_catalogue
from data.model import Entity
from nlu.intents.coarse import coarse_intent
from nlu.intents.rules import mend
from nlu.intents.sentences import Sentences, fill, load_sentences, starter_files
from nlu.intents.text import normalize

__all__ = ["Example", "own_examples", "released_examples", "starter_examples", "to_rasa", "with_names"]

SEED: Final = 13
FILLINGS: Final = 4
"""Texts that one line with slots yields."""
BARE_NAMES: Final = 1000
"""Catalogue names that stand alone as a message."""
NAMES_PER_SLOT: Final = 600
"""Best-known catalogue names of each kind that a slot may be filled with."""
MOST_ALIKE: Final = 3
"""Released rows kept per text and label."""

_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "film": ("film",),
    "book": ("book",),
    "music": ("song", "album"),
    "band": ("band", "artist"),
    "person": ("person",),
    "genre": ("genre",),
}
"""Slot to the kinds of entities that fill it."""
_FEWER: Final = {"genre": 80}


@dataclass(frozen=True, slots=True)
class Example:
    """A normalised text with its coarse intent."""

    text: str
    intent: str


def with_names(sentences: Sentences, catalogue: Catalogue) -> Sentences:
    """The same sentences with the best-known names of the catalogue in their slots."""
    slots = dict(sentences.slots)
    for slot, kinds in _KINDS.items():
        if slot in slots:
            slots[slot] += tuple(_best_known(catalogue, kinds, sentences.language, _FEWER.get(slot, NAMES_PER_SLOT)))
    return replace(sentences, slots=slots)


def _best_known(catalogue: Catalogue, kinds: tuple[str, ...], language: str, number: int) -> Iterator[str]:
    def rank(entity: Entity) -> tuple[float, str]:
        return -entity.popularity, entity.qid

    for kind in kinds:
        known = sorted((entity for entity in catalogue.entities() if entity.kind == kind), key=rank)[:number]
        yield from (_slotless(entity.labels.get(language, entity.label)) for entity in known)


def _slotless(name: str) -> str:
    return name.replace("{", "(").replace("}", ")")


def own_examples(sentences: Iterable[Sentences], seed: int = SEED) -> list[Example]:
    """Our own sentences with their slots filled, and names that stand alone.

    Args:
        sentences: of all languages that the model shall understand.
        seed: of the choice of names.
    """
    examples = []
    for language in sentences:
        examples += [Example(normalize(text), intent) for text, intent in fill(language, FILLINGS, seed)]
        draw = random.Random(seed)
        names = [name for slot in _KINDS for name in language.slots.get(slot, ())]
        examples += [Example(normalize(draw.choice(names)), "inform") for _ in range(BARE_NAMES)]
    return [example for example in examples if example.text]


def starter_examples() -> list[Example]:
    """What ships with the project: the sentences of all languages, with the starter catalogue's names."""
    catalogue = load_catalogue()
    return own_examples(with_names(load_sentences(path), catalogue) for path in starter_files())


def released_examples(rows: Iterable[Mapping[str, Any]]) -> list[Example]:
    """Released rows without fallbacks, mended by rule, with at most `MOST_ALIKE` of a kind."""
    kept: Counter[tuple[str, str]] = Counter()
    examples = []
    for row in rows:
        text = normalize(str(row["message"]))
        intent = _trained_as(str(row["intent"]), text)
        if intent is None or not text:
            continue
        kept[text.casefold(), intent] += 1
        if kept[text.casefold(), intent] <= MOST_ALIKE:
            examples.append(Example(text, intent))
    return examples


def _trained_as(exact: str, text: str) -> str | None:
    coarse = coarse_intent(exact, text)
    return None if coarse == "fallback" else mend(exact, text, coarse)


def to_rasa(examples: Iterable[Example]) -> str:
    """Training data in Rasa's YAML format, version 3.1."""
    by_intent: dict[str, list[str]] = {}
    for example in examples:
        by_intent.setdefault(example.intent, []).append(_unmarked(example.text))
    nlu = [
        {"intent": intent, "examples": "".join(f"- {text}\n" for text in texts)}
        for intent, texts in sorted(by_intent.items())
    ]
    return yaml.safe_dump({"version": "3.1", "nlu": nlu}, allow_unicode=True, sort_keys=False, width=10_000)


def _unmarked(text: str) -> str:
    """Rasa reads [brackets](so) and {braces} as entity annotations."""
    return " ".join(text.translate(str.maketrans("[]{}", "    ")).split()) or "?"
