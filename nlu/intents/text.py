"""The one way in which a text is written for the intent model, in training and when it is used."""

import re
from typing import Final

import ftfy

__all__ = ["normalize"]

_SENDER: Final = re.compile(r"^[^\W\d_]+( [^\W\d_]+){1,3}:\s*\n")
"""A forwarded message starts with the name of its sender on a line of its own."""


def normalize(text: str) -> str:
    """Mojibake and curly quotes repaired, no sender, no leading "/", single spaces.

    A text that begins with "/" is a command to Rasa and would bypass the model.
    """
    repaired = _SENDER.sub("", ftfy.fix_text(text))
    return " ".join(repaired.split()).lstrip("/\\ ")
