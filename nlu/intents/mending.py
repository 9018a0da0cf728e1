"""Written rules that mend wrong labels of released rows before training. Test labels are never mended.

What the original recognised is what the files hold; where it took a preference for small talk or a question for a
command, a rule here says so, by label and words. `docs/labels.md` explains each.
"""

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["RULES", "Rule", "mend"]


@dataclass(frozen=True, slots=True)
class Rule:
    """Rows of a label whose text matches get another coarse intent.

    Attributes:
        name: under which the documentation lists it.
        labels: pattern that the whole exact label matches.
        words: pattern found in the text, ignoring case.
        coarse: the right coarse intent.
        unless: pattern that keeps the recorded label.
    """

    name: str
    labels: str
    words: str
    coarse: str
    unless: str = r"(?!)"

    def applies(self, exact: str, text: str) -> bool:
        """Whether the rule mends this row."""
        return (
            re.fullmatch(self.labels, exact) is not None
            and re.search(self.words, text, re.IGNORECASE) is not None
            and re.search(self.unless, text, re.IGNORECASE) is None
        )


_TALK = r"smalltalk\..*"
_ANSWER = "preference - disambiguation"
_DELETE = r"\b(delete|delate|drop|remove|empty|erased?|reset)\b"
_OPINION = r"\b(like|love|hate|dislike)\b"

RULES: Final = (
    Rule("opinion in small talk", _TALK, _OPINION, "preference", unless=r"\b(love|like|hate) (you|u)\b|you (in )?love"),
    Rule("titles in small talk", r"smalltalk\.(agent\.fired|user\.angry)", r"^(?!.*\b(you|i|am|is|are|angry|fired)\b)",
         "inform"),
    Rule("deleting all", "show_profile|show_profile - delete_preference|reset - reset_everything",
         _DELETE + r".*\b(all|profile)\b", "reset_profile"),
    Rule("profile shown", "reset_profile", r"profile", "show_profile", unless=_DELETE),
    Rule("asking for advice", _ANSWER, r"\b(suggest|recommend|what can i|want to (listen|watch|read))\b",
         "request_recommendation"),
    Rule("greeting as answer", _ANSWER, r"^(hi|hello)\W*$", "greet"),
    Rule("skipping as answer", _ANSWER, r"\bskip\b", "skip"),
    Rule("stopping as answer", _ANSWER, r"^(stop|exit|back)\W*$", "stop"),
    Rule("bare name as preference", "preference", r"^(?!i )[\w ]{3,16}\W*$", "inform",
         unless=r"\b(l[aiou]+[kvw]+\w*|dis\w*|hate\w*|don.?t)\b"),
)  # fmt: skip
"""In order; the first that applies decides."""


def mend(exact: str, text: str, coarse: str) -> str:
    """The coarse intent to train a released row with.

    Args:
        exact: its recorded label.
        text: its message, mojibake repaired.
        coarse: what the label stands for.

    Returns:
        The coarse intent, mended where a rule applies.
    """
    for rule in RULES:
        if rule.applies(exact, text):
            return rule.coarse
    return coarse
