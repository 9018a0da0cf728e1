"""The project's own cases, which training never sees: settings are chosen on them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from data.model import Polarity
from nlu.model import Span
from nlu.sentiment.evaluation import Case
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import mask
from nlu.sentiment.phrases import NAMED, POLARITIES, TRAINING_FOLDER, load_phrases

_SIGNS: Mapping[str, Polarity | None] = {"+": "+", "-": "-", "?": None, "0": None}


def validation(folder: Path = TRAINING_FOLDER) -> list[Case]:
    """Whole messages, by kind of difficulty."""
    groups = load_phrases("validation.yaml", folder)
    return [marked(line, name) for name, lines in groups.items() for line in lines]


def held_out(folder: Path = TRAINING_FOLDER) -> list[Case]:
    """Short sentences, each with one expression that no training sentence holds."""
    return [
        marked(re.sub(r"\bX\b", f"[X]{POLARITIES[name].replace('0', '?')}", line), name)
        for name, lines in load_phrases("heldout.yaml", folder).items()
        for line in lines
    ]


OWN_CASES: Mapping[str, Callable[[], list[Case]]] = {"validation": validation, "held-out": held_out}


def marked(text: str, category: str = "") -> Case:
    """The case of a text whose names are marked with signs."""
    plain, position = "", 0
    spans: list[Span] = []
    signs: list[Polarity | None] = []
    for found in NAMED.finditer(text):
        plain += text[position : found.start()]
        spans.append(Span(len(plain), len(plain) + len(found[1])))
        signs.append(_SIGNS[found[2]])
        plain += found[1]
        position = found.end()
    return Case(plain + text[position:], tuple(spans), tuple(signs), category)


def instances(cases: Sequence[Case]) -> list[Instance]:
    """One masked example per mention."""
    return [
        Instance(tuple(mask(case.text, case.spans, index)), sign or "0")
        for case in cases
        for index, sign in enumerate(case.polarities)
    ]
