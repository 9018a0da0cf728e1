"""What a study says between the conversations, by language."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bot.errors import ConfigError

FALLBACK = "en"


class StudyWording:
    """The texts of one language."""

    def __init__(self, texts: Mapping[str, Any]) -> None:
        self._texts = texts

    def say(self, key: str, **values: object) -> str:
        """The text of a key with its fields filled in."""
        return str(self._texts[key]).format(**values)

    def count(self, key: str, number: int) -> str:
        """The text of a key for one or for many."""
        return str(self._texts[key]["one" if number == 1 else "other"]).format(n=number)


@cache
def load_study_wordings() -> Mapping[str, StudyWording]:
    """All languages. Raises ConfigError when they do not have the same keys."""
    folder = Path(__file__).parent
    texts = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))}
    for language, part in texts.items():
        if different := part.keys() ^ texts[FALLBACK].keys():
            raise ConfigError(f"bot/study/wording/{language}.yaml: keys differ from English: {', '.join(different)}")
    return {language: StudyWording(part) for language, part in texts.items()}
