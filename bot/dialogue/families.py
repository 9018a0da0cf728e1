"""Small talk that the bot tells apart, by the words in `families.yaml`."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import ConfigError

__all__ = ["acknowledges", "family_of", "published_label", "talks"]


class _Family(BaseModel):
    """A family: the coarse intents that it may come as, the words that name it, its published name if it has one.

    A message that fits `alone` is of the first of these intents, whatever it looks like.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: tuple[str, ...]
    words: re.Pattern[str]
    label: str | None = None
    alone: re.Pattern[str] | None = None


class _Families(BaseModel):
    """The file's content; what `acknowledging` fits is no opinion on the item on show."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    families: Mapping[str, _Family]
    acknowledging: re.Pattern[str]


@cache
def _load() -> _Families:
    text = resources.files(__package__).joinpath("families.yaml").read_text("utf-8")
    try:
        return _Families.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"bot/dialogue/families.yaml: {error}; correct it") from error


def family_of(coarse: str, text: str) -> str | None:
    """The family that a message of that coarse intent belongs to ("how_are_you"); None when its words name none."""
    said = text.casefold()
    known = _load().families.items()
    return next((name for name, family in known if coarse in family.of and family.words.search(said)), None)


def talks(text: str) -> str | None:
    """The coarse intent of a message that is nothing but words of a family ("no worries"); None when it is more."""
    said = text.casefold()
    return next((one.of[0] for one in _load().families.values() if one.alone and one.alone.search(said)), None)


def published_label(coarse: str, text: str) -> str | None:
    """The published intent of such a message ("smalltalk.greetings.how_are_you"); None when it has no own."""
    family = family_of(coarse, text)
    label = _load().families[family].label if family else None
    return f"smalltalk.{label}" if label else None


def acknowledges(text: str) -> bool:
    """Whether a yes or no only takes note ("ok") rather than judging the item on show."""
    return _load().acknowledging.search(text.casefold()) is not None
