"""The phrase files of `data/training/sentiment`, and patterns that stand for many phrases.

In a pattern any of `(one|another)` is taken, `(this)?` may be left out, and `$name` stands for one of the words of that
name.
"""

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from data.errors import DataError, MissingFileError

TRAINING_FOLDER = Path(__file__).resolve().parents[2] / "data" / "training" / "sentiment"

POLARITIES: Mapping[str, str] = {"positive": "+", "negative": "-", "none": "0"}

NAMED = re.compile(r"\[([^\[\]]+)\]([-+?])")
"""Something named in a whole message, with its sign: "[Emma]+" is liked, "[Taxi]-" disliked, "[It]?" neither."""

_MESSAGES = "messages"
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)(\??)|\(([^()|]*)\)\?")
_NAME = re.compile(r"\$([a-z]+)")


def load_phrases(name: str, folder: Path = TRAINING_FOLDER) -> Any:
    """One phrase file; every block of lines becomes a list of stripped lines.

    Raises:
        MissingFileError: when the file is not there.
        DataError: when it is not valid YAML.
    """
    path = folder / name
    if not path.is_file():
        raise MissingFileError(f"{path} is missing: it is part of the project; restore it from version control.")
    try:
        return _lines(yaml.safe_load(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise DataError(f"{path} is not valid YAML: {error}") from error


def load_messages(folder: Path = TRAINING_FOLDER) -> list[str]:
    """All whole messages that were written for training, files and kinds in order; a folder without any has none."""
    files = sorted(path.name for path in (folder / _MESSAGES).glob("*.yaml"))
    return [line for name in files for lines in load_phrases(name, folder / _MESSAGES).values() for line in lines]


def _lines(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lines(inner) for key, inner in value.items()}
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return value


class Patterns:
    """The patterns of one file.

    Args:
        name: of the file; its "words" are those that names stand for, all other keys hold patterns.
        folder: with the phrase files.
        rng: chooses.
    """

    def __init__(self, name: str, folder: Path, rng: random.Random) -> None:
        phrases = dict(load_phrases(name, folder))
        self._words: Mapping[str, Sequence[str]] = phrases.pop("words")
        self._rng = rng
        self.groups: Mapping[str, Sequence[str]] = phrases

    def expand(self, pattern: str) -> str:
        """One of the phrases that a pattern stands for.

        Raises:
            DataError: when the pattern names words that the file does not have.
        """
        text = pattern
        while (found := _CHOICE.search(text)) is not None:
            text = text[: found.start()] + self._chosen(found) + text[found.end() :]
        return " ".join(_NAME.sub(self._named, text).split())

    def _chosen(self, found: re.Match[str]) -> str:
        optional = bool(found[2]) or found[1] is None
        if optional and self._rng.random() < 0.5:
            return ""
        options: str = found[3] if found[1] is None else found[1]
        return self._rng.choice(options.split("|"))

    def _named(self, found: re.Match[str]) -> str:
        if found[1] not in self._words:
            raise DataError(f'The pattern names ${found[1]}, which is not under "words": add it or mend the name.')
        return str(self._rng.choice(self._words[found[1]]))
