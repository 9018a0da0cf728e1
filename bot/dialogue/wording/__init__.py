"""All text the bot says, and the cues it listens for, as YAML files: one per language, with the same keys."""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from random import Random
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from bot.errors import ConfigError

__all__ = ["Voice", "Wording", "check_wordings", "load_wordings"]


_WORD = re.compile(r"\w+")


class _Formatter(string.Formatter):
    """`{items}` joins a list, `{items:or}` joins it with another word, `{n:film|films}` picks by number."""

    def __init__(self, joining: Mapping[str, str]) -> None:
        self._joining = joining

    def format_field(self, value: Any, format_spec: str) -> Any:
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return one if (value if isinstance(value, int) else len(value)) == 1 else many
        if isinstance(value, list | tuple):
            return self.join(value, format_spec or "and")
        return super().format_field(value, format_spec)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        """`{domain!c}` begins with a capital."""
        return value[:1].upper() + value[1:] if conversion == "c" else super().convert_field(value, conversion)

    def join(self, parts: Sequence[str], word: str) -> str:
        if len(parts) < 2:
            return "".join(parts)
        return ", ".join(parts[:-1]) + self._joining[word] + parts[-1]


class Wording(BaseModel):
    """One language: what the bot says, labels of its buttons, words that join lists, cues as regular expressions.

    `hears` holds cues by name; `asks` the words that ask for a fact, by property id, "year", "length" or "story";
    `spellings` what people write in chats for a word ("nn": "non"); `common` words that tell this language from others.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    joining: dict[str, str]
    says: dict[str, list[str]]
    labels: dict[str, str]
    hears: dict[str, list[re.Pattern[str]]]
    asks: dict[str, list[re.Pattern[str]]] = {}
    spellings: dict[str, str] = {}
    common: frozenset[str] = frozenset()

    @field_validator("common", mode="before")
    @classmethod
    def _split(cls, words: str) -> frozenset[str]:
        """The words of a text, as they stand in the file."""
        return frozenset(words.split())

    def counted(self, text: str) -> int:
        """How many different common words of this language a text holds."""
        return len({*_WORD.findall(text.casefold())} & self.common)

    def keys(self) -> set[str]:
        """Everything that the other languages must have as well, with the fields of each message."""
        fields = {f"says.{key}({', '.join(sorted(_fields(texts)))})" for key, texts in self.says.items()}
        heard = {f"hears.{key}" for key in self.hears} | {f"asks.{key}" for key in self.asks}
        return fields | heard | {f"labels.{key}" for key in self.labels}


def _fields(texts: Sequence[str]) -> set[str]:
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}


@dataclass(frozen=True, slots=True)
class Voice:
    """The bot's voice in one language, and its ear: the language that the user writes, often the same.

    Attributes:
        rng: picks among the variants of a message.
        ear: wording of the language listened for; None for the one that is spoken.
        ear_language: that language.
    """

    language: str
    wording: Wording
    rng: Random
    ear: Wording | None = None
    ear_language: str = ""

    def listening(self, text: str, wordings: Mapping[str, Wording]) -> "Voice":
        """This voice with an ear for the language of a text: another one where the text has more of its words."""
        counts = {language: wording.counted(text) for language, wording in wordings.items()}
        best = max(counts, key=lambda language: (counts[language], language == self.language))
        return replace(self, ear=wordings[best], ear_language=best)

    @property
    def heard(self) -> tuple[Wording, ...]:
        """The languages that are listened for: always the spoken one, as titles may look like another."""
        return (self.wording,) if self.ear is None or self.ear is self.wording else (self.wording, self.ear)

    def heard_words(self, text: str) -> int:
        """How many common words of the language listened for a text holds."""
        return self.heard[-1].counted(text)

    def in_ear(self, key: str) -> str:
        """A message in the language that is listened for."""
        return self.rng.choice(self.heard[-1].says[key])

    def __call__(self, key: str, **fields: Any) -> str:
        """The message of that key with its fields filled in."""
        return self.fill(self.rng.choice(self.wording.says[key]), **fields)

    def fill(self, template: str, **fields: Any) -> str:
        """A template of this language with its fields filled in."""
        return _Formatter(self.wording.joining).vformat(template, (), fields)

    def label(self, key: str, **fields: Any) -> str:
        """The label of a button or a short name."""
        return self.fill(self.wording.labels[key], **fields)

    def join(self, parts: Sequence[str], word: str = "and") -> str:
        """The parts as a list in a sentence."""
        return _Formatter(self.wording.joining).join(list(parts), word)

    def hears(self, cue: str, text: str) -> re.Match[str] | None:
        """The first place where the text holds the cue."""
        found = (pattern.search(text.casefold()) for wording in self.heard for pattern in wording.hears[cue])
        return next((match for match in found if match), None)

    def spelled(self, text: str) -> str:
        """The text with the spellings of chats written out."""
        known = {word: written for wording in self.heard for word, written in wording.spellings.items()}
        return _WORD.sub(lambda word: known.get(word[0].casefold(), word[0]), text) if known else text

    def asks(self, text: str) -> tuple[str, ...]:
        """What the text asks to know of an item: property ids, "year", "length", "story"."""
        said = text.casefold()
        wanted = (asked for wording in self.heard for asked in wording.asks.items())
        found = (name for name, patterns in wanted if any(pattern.search(said) for pattern in patterns))
        return tuple(dict.fromkeys(found))


@cache
def load_wordings() -> Mapping[str, Wording]:
    """Every language file of this package, checked against each other.

    Returns:
        Language code to wording; "en" is always among them.

    Raises:
        ConfigError: a file that is malformed or lacks what another one has.
    """
    wordings = {}
    for file in sorted(resources.files(__name__).iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".yaml"):
            try:
                wordings[file.name.removesuffix(".yaml")] = Wording.model_validate(
                    yaml.safe_load(file.read_text("utf-8"))
                )
            except (yaml.YAMLError, ValidationError) as error:
                raise ConfigError(f"wording file {file.name}: {error}") from error
    check_wordings(wordings)
    return wordings


def check_wordings(wordings: Mapping[str, Wording]) -> None:
    """Raises ConfigError unless all languages have the same messages and each asks one question at most."""
    expected = wordings["en"].keys()
    for language, wording in wordings.items():
        if difference := sorted(wording.keys() ^ expected):
            raise ConfigError(f"wording en.yaml and {language}.yaml differ in {', '.join(difference)}; make them agree")
        if long := [key for key, texts in wording.says.items() if any(text.count("?") > 1 for text in texts)]:
            raise ConfigError(f"wording {language}.yaml asks more than one question in {', '.join(long)}")
