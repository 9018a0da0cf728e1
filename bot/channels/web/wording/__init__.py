"""What the web pages say; one YAML file a language."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

from bot.errors import ConfigError

FALLBACK = "en"


class PageWording:
    """The texts of one language."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self._texts = texts

    def keys(self) -> Iterable[str]:
        """The names of all texts."""
        return self._texts.keys()

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its fields filled in. Raises KeyError for a key that does not exist."""
        return self._texts[key].format(**values)


@cache
def load_page_wordings() -> Mapping[str, PageWording]:
    """Language code to texts; English is always among them. Raises ConfigError when the languages' keys differ."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".yaml")]
    texts: dict[str, Any] = {
        file.name.removesuffix(".yaml"): yaml.safe_load(file.read_text("utf-8"))
        for file in sorted(files, key=lambda file: file.name)
    }
    for language, part in texts.items():
        if different := sorted(part.keys() ^ texts[FALLBACK].keys()):
            raise ConfigError(f"bot/channels/web/wording/{language}.yaml and en.yaml differ in {', '.join(different)}")
    return {language: PageWording(language, part) for language, part in texts.items()}
