"""Written rules that give a released row its coarse intent by its label and its words; they stand in `rules.yaml`.

Rules of *form* say what a text is whatever its label stands for otherwise: a bare "yes" affirms. Rules of *mending* set
right before training what the original mistook; test labels are never mended. `docs/labels.md` explains each.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

__all__ = ["Rule", "decided", "mend", "rules"]

_FILE = Path(__file__).with_name("rules.yaml")


@dataclass(frozen=True, slots=True)
class Rule:
    """Rows of a label whose text matches get a coarse intent.

    Attributes:
        name: under which the documentation lists it.
        labels: pattern that the whole exact label matches.
        words: pattern found in the text, ignoring case.
        coarse: the coarse intent.
        unless: pattern that keeps the rule from applying.
    """

    name: str
    labels: str
    words: str
    coarse: str
    unless: str = r"(?!)"

    def applies(self, exact: str, text: str) -> bool:
        """Whether the rule decides this row."""
        return (
            re.fullmatch(self.labels, exact) is not None
            and re.search(self.words, text, re.IGNORECASE) is not None
            and re.search(self.unless, text, re.IGNORECASE) is None
        )


@functools.cache
def rules() -> Mapping[str, Sequence[Rule]]:
    """The rules of "forms" and of "mending", each in order: the first that applies decides."""
    read = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {part: tuple(Rule(**rule) for rule in found) for part, found in read.items()}


def decided(part: str, exact: str, text: str) -> str | None:
    """What the first rule of a part that applies makes of a row; None when none does."""
    return next((rule.coarse for rule in rules()[part] if rule.applies(exact, text)), None)


def mend(exact: str, text: str, coarse: str) -> str:
    """The coarse intent to train a released row with.

    Args:
        exact: its recorded label.
        text: its message, mojibake repaired.
        coarse: what the label stands for.

    Returns:
        The coarse intent, mended where a rule applies.
    """
    return decided("mending", exact, text) or coarse
