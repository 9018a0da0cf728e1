"""What channels themselves say: about privacy, about commands, when something fails; one YAML file a language."""

from collections.abc import Mapping
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import ConfigError

FALLBACK = "en"


class ChannelWording(BaseModel):
    """One language.

    Attributes:
        says: texts by name.
        labels: of buttons, by name.
        commands: description of each command, in the order of the menu; "domain" stands for one command a domain.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    says: dict[str, str]
    labels: dict[str, str]
    commands: dict[str, str]


def load_channel_wordings() -> Mapping[str, ChannelWording]:
    """Language code to wording; English is always among them.

    Raises:
        ConfigError: a file is malformed or lacks what another one has.
    """
    wordings = {}
    for file in resources.files(__name__).iterdir():
        if not file.name.endswith(".yaml"):
            continue
        try:
            wordings[file.name.removesuffix(".yaml")] = ChannelWording(**yaml.safe_load(file.read_text("utf-8")))
        except (yaml.YAMLError, ValidationError, TypeError) as error:
            raise ConfigError(f"wording file {file.name}: {error}") from error
    expected = _names(wordings[FALLBACK])
    for language, wording in wordings.items():
        if difference := sorted(expected ^ _names(wording)):
            raise ConfigError(f"wording en.yaml and {language}.yaml differ in {', '.join(difference)}: make them agree")
    return wordings


def wording_in(language: str | None, wordings: Mapping[str, ChannelWording]) -> ChannelWording:
    """The wording in a language, or in English."""
    return wordings.get(language or FALLBACK, wordings[FALLBACK])


def _names(wording: ChannelWording) -> set[str]:
    return {f"{part}.{name}" for part, texts in wording.model_dump().items() for name in texts}
