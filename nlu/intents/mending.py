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
        coarse: the right coarse intent; None leaves the row out of training.
        unless: pattern that keeps the recorded label.
    """

    name: str
    labels: str
    words: str
    coarse: str | None
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
_ANY = ".*"
_DELETE = r"\b(delete|delate|drop|remove|empty|erased?|reset)\b"
_OPINION = r"\b(like|love|hate|dislike)\b"

RULES: Final = (
    Rule("rating menu", _ANY, r"^\W*rate (movies|books|songs|properties)$", None),
    Rule("deleting one", _ANY, r"^delete: |" + _DELETE + r".*\b(preference for|from my (films?|books?|songs?))\b",
         "delete_preference"),
    Rule("deleting one of them", _ANY, r"delete one of|cancel my preference", "delete_preference"),
    Rule("deleting all", "show_profile|show_profile - delete_preference|reset - reset_everything",
         _DELETE + r".*\b(all|profile)\b", "reset_profile"),
    Rule("resetting everything", r"smalltalk\.greetings\.how_are_you", r"reset everything", "reset_everything"),
    Rule("profile shown", "reset_profile", r"profile", "show_profile", unless=_DELETE),
    Rule("evening plans", "reset_profile|help|show_profile - help", r"\b(watch|whatch|wacht|see)\b",
         "request_recommendation"),
    Rule("asking for advice", _ANSWER, r"\b(suggest|recommend|what can i|want to listen|want to watch)",
         "request_recommendation"),
    Rule("asking for the profile", f"{_ANSWER}|request_recommendation", r"\b(show|watch) my (profile|preferences)",
         "show_profile"),
    Rule("asking for a preview", "show_profile|request_recommendation", r"trailer|music vid", "trailer"),
    Rule("leaving", "show_profile", r"see you", "bye"),
    Rule("starting", r"request_recommendation - stop", r"let.?s star", "start"),
    Rule("opinion in small talk", _TALK, _OPINION, "preference",
         unless=r"\b(love|like|hate) (you|u)\b|you (in )?love|yes like no|delete"),
    Rule("titles in small talk", r"smalltalk\.(agent\.(fired|beautiful)|user\.angry)",
         r"^(?!.*\b(is|are|angry|very|beautiful film|beautiful voicr|beautiful actors)\b)", "inform"),
    Rule("genres in small talk", r"smalltalk\.agent\.good", r"rock", "inform"),
    Rule("opinion in criticism", r"smalltalk\.appraisal\.bad", r"\bbad\b", "preference"),
    Rule("critique in small talk", r"smalltalk\.agent\.age", r"too old", "no_but"),
    Rule("agreement that is none", r"smalltalk\.confirmation\.(yes|no)", r"you sure|do nothing|yes like no|no yes",
         "chitchat"),
    Rule("opinion in help", r"request_recommendation - help", _OPINION, "preference"),
    Rule("critique without contrast", r"request_recommendation - (yes|no)_but", r"^(?!.*\b(but|bad)\b)", "preference"),
    Rule("contrast while recommending", "request_recommendation - preference",
         r"^(?!.*(n.?t\b|\bnot\b|\bdislike|\bhate).*\bbut\b).*\bbut\b.*(n.?t\b|\bnot\b|\bdislike|\bhate)", "yes_but"),
    Rule("opinion that asks", "request_recommendation - preference", r"can you (suggest|rec)|suggest me",
         "request_recommendation"),
    Rule("greeting as answer", _ANSWER, r"^(hi|hello)\W*$", "greet"),
    Rule("skipping as answer", _ANSWER, r"\b(skip|slip|ship)\b", "skip"),
    Rule("stopping as answer", _ANSWER, r"^(stop|exit|back)\W*$", "stop"),
    Rule("small talk as answer", _ANSWER, r"^(sorry|fine|porc|ma|not|null|thsi|trial|gesu esiste)\W*$", None),
    Rule("resetting as answer", _ANSWER, r"^reset my|^change pref", "reset_profile"),
    Rule("bare name as preference", "preference", r"^(?!i )[\w ]{3,16}\W*$", "inform",
         unless=r"\b(l[aiou]+[kvw]+\w*|dis\w*|hate\w*|don.?t)\b"),
    Rule("nothing said", "preference", r"^(i film|i break|i feel)", None),
    Rule("request as preference", "preference|request_recommendation - preference", r"^i want a movie",
         "request_recommendation"),
)  # fmt: skip
"""In order; the first that applies decides."""


def mend(exact: str, text: str, coarse: str) -> str | None:
    """The coarse intent to train a released row with.

    Args:
        exact: its recorded label.
        text: its message, mojibake repaired.
        coarse: what the label stands for.

    Returns:
        The coarse intent, mended where a rule applies; None for rows to leave out.
    """
    for rule in RULES:
        if rule.applies(exact, text):
            return rule.coarse
    return coarse
