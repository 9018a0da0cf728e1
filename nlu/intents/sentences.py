"""The project's own training sentences (`data/training/*.yaml`): loading, checking, filling of slots."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from data.errors import DataError, MissingFileError
from nlu.intents.coarse import COARSE_INTENTS

__all__ = ["Sentences", "fill", "load_sentences", "starter_files"]

_SLOT: Final = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class Sentences:
    """One language's sentences.

    Attributes:
        slots: slot name to what can stand in it; a value may hold slots itself.
        sentences: coarse intent to lines, which may hold slots such as {film}.
    """

    language: str
    slots: Mapping[str, tuple[str, ...]]
    sentences: Mapping[str, tuple[str, ...]]


def starter_files() -> tuple[Path, ...]:
    """The files that ship with the project, one a language."""
    return tuple(sorted((Path(__file__).resolve().parents[2] / "data" / "training").glob("*.yaml")))


def load_sentences(path: Path) -> Sentences:
    """Sentences of one file.

    Args:
        path: YAML with "language", "slots" and "sentences"; each list is a block of lines.

    Raises:
        MissingFileError: there is no such file.
        DataError: it is not such a file, an intent is unknown or missing, or a line names an unknown slot.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise MissingFileError(
            f"There are no training sentences at {path}; restore the file or name another."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(content, dict) or set(content) != {"language", "slots", "sentences"}:
        raise DataError(f'{path} must hold exactly "language", "slots" and "sentences".')
    loaded = Sentences(
        language=str(content["language"]),
        slots={name: _lines(path, name, value, separator="|") for name, value in content["slots"].items()},
        sentences={name: _lines(path, name, value) for name, value in content["sentences"].items()},
    )
    _check(path, loaded)
    return loaded


def _lines(path: Path, name: str, value: Any, separator: str = "\n") -> tuple[str, ...]:
    if not isinstance(value, str):
        raise DataError(f'{path}: "{name}" must be a block of lines ("{name}: |").')
    parts = value.splitlines() if "\n" in value else value.split(separator)
    return tuple(part.strip() for part in parts if part.strip())


def _check(path: Path, loaded: Sentences) -> None:
    if wrong := set(loaded.sentences) ^ set(COARSE_INTENTS):
        raise DataError(f"{path}: unknown or missing intents: {', '.join(sorted(wrong))}.")
    lines = [*(line for values in loaded.slots.values() for line in values)]
    lines += [line for values in loaded.sentences.values() for line in values]
    for line in lines:
        if unknown := set(_SLOT.findall(line)) - set(loaded.slots):
            raise DataError(f'{path}: "{line}" names a slot that is not defined: {", ".join(sorted(unknown))}.')


def fill(sentences: Sentences, fillings: int, seed: int) -> Iterator[tuple[str, str]]:
    """Texts with their coarse intents; a line with slots yields several.

    Args:
        sentences: of one language.
        fillings: how many texts a line with slots yields.
        seed: of the choice of words.

    Yields:
        Text and coarse intent, in the file's order.
    """
    draw = random.Random(seed)
    for intent, lines in sentences.sentences.items():
        for line in lines:
            for _ in range(fillings if _SLOT.search(line) else 1):
                yield _filled(line, sentences.slots, draw), intent


def _filled(line: str, slots: Mapping[str, tuple[str, ...]], draw: random.Random) -> str:
    while _SLOT.search(line):
        line = _SLOT.sub(lambda found: draw.choice(slots[found[1]]), line)
    return line
