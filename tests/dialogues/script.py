"""Scripted conversations: what a user does, turn by turn, and what must come of it (see README.md)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from bot.dialogue.state import InteractionMode, Phase

FOLDER = Path(__file__).parent


class Step(BaseModel):
    """One thing the user does and what it must lead to; what is left out is not checked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    says: str | None = None
    presses: str | None = None
    sends: Literal["photo"] | None = None
    repeats: bool = False
    restarts: bool = False

    intent: str | None = None
    events: list[str] | None = None
    contexts: list[str] | None = None
    objects: list[str] | None = None
    offers: list[str] = []
    lacks: list[str] = []
    options: bool | None = None
    phase: Phase | None = None
    domain: str | None = None
    shows: bool | Literal["same", "another"] | None = None
    likes: list[str] | None = None
    dislikes: list[str] | None = None
    exported: bool | None = None

    @model_validator(mode="after")
    def _does_one_thing(self) -> "Step":
        if sum(bool(done is not None and done is not False) for done in self._deeds()) != 1:
            raise ValueError("a step says, presses, sends, repeats or restarts: exactly one of these")
        return self

    def _deeds(self) -> tuple[object, ...]:
        return self.says, self.presses, self.sends, self.repeats, self.restarts


class Script(BaseModel):
    """One conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    domain: str
    chosen: bool = True
    mode: InteractionMode = "mixed"
    language: str = "en"
    elicitation: str | None = None
    turns: list[Step]


def scripts() -> Iterator[tuple[str, Script]]:
    """Name and content of every script in this folder."""
    for path in sorted(FOLDER.glob("*.yaml")):
        yield path.stem, Script.model_validate(yaml.safe_load(path.read_text("utf-8")))
