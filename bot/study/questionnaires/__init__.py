"""Questionnaires as data: one YAML file each, with its source, items and scales."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Item(_Part):
    """One question.

    Attributes:
        id: unique within the questionnaire; the number or name its source gives.
        text: language to wording.
        measures: the construct; items of one construct are averaged.
        reverse: whether agreement means less of it.
        scale: name of its answers in `Questionnaire.scales`.
        optional: whether "does not apply" may be answered.
    """

    id: str
    text: Mapping[str, str]
    measures: str = ""
    reverse: bool = False
    scale: str
    optional: bool = False


class Scale(_Part):
    """The possible answers, from the first to the last.

    Attributes:
        kind: "likert" answers count 1 to n; "choice" answers are names.
        answers: language to wordings, in order; the same number in each language.
    """

    kind: Literal["likert", "choice"] = "likert"
    answers: Mapping[str, tuple[str, ...]]

    @property
    def size(self) -> int:
        """Number of answers."""
        return len(next(iter(self.answers.values())))

    @model_validator(mode="after")
    def _same_sizes(self) -> "Scale":
        if len({len(answers) for answers in self.answers.values()}) != 1:
            raise ValueError("a scale needs the same number of answers in every language")
        return self


class Questionnaire(_Part):
    """A set of questions asked together."""

    name: str
    title: Mapping[str, str]
    source: str
    scoring: Literal["mean", "sus", "none"] = "mean"
    scales: Mapping[str, Scale]
    items: tuple[Item, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _scales_are_known(self) -> "Questionnaire":
        for item in self.items:
            if item.scale not in self.scales:
                raise ValueError(f"item {item.id} uses the unknown scale {item.scale!r}")
        if len({item.id for item in self.items}) < len(self.items):
            raise ValueError("item ids must differ")
        return self


@cache
def load_questionnaires() -> Mapping[str, Questionnaire]:
    """All that ship, by name."""
    folder = Path(__file__).parent
    made = [Questionnaire(**yaml.safe_load(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.yaml"))]
    return {questionnaire.name: questionnaire for questionnaire in made}
