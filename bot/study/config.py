"""A study as its YAML file says it, validated as a whole before anyone is invited."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bot.errors import ConfigError, MissingFileError, UsageError
from bot.study.questionnaires import load_questionnaires

FactorName = Literal["mode", "domain", "variant", "elicitation", "explanations", "language"]
NAME = r"^[a-z0-9][a-z0-9-]{0,40}$"
Name = Annotated[str, Field(pattern=NAME)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Consent(_Part):
    """What participants agree to; a new version asks everyone again."""

    version: str
    text: str = Field(min_length=20)


class Factor(_Part):
    """One independent variable.

    Attributes:
        levels: its values, as the bot's settings know them.
        design: "between": one level a participant; "within": all levels, in a balanced order.
    """

    levels: tuple[str | bool, ...] = Field(min_length=1)
    design: Literal["between", "within"] = "between"

    @field_validator("levels")
    @classmethod
    def _distinct(cls, levels: tuple[str | bool, ...]) -> tuple[str | bool, ...]:
        if len(set(levels)) < len(levels):
            raise ValueError("levels must differ")
        return levels


class Assignment(_Part):
    """How conditions are given out.

    Attributes:
        seed: of the random order; the same seed gives the same assignments.
        repeats: how often each cell occurs in a block of the block randomisation.
    """

    seed: int = 1
    repeats: int = Field(default=1, ge=1, le=20)


class Task(_Part):
    """Something that a participant is asked to do, with the rule that says when it is done.

    Attributes:
        preferences: preferences to be stated.
        requests: recommendations to be asked for.
        ratings: shown items to be rated.
        profile: whether the profile is to be looked at.
        minutes: after so many it ends by itself; None for no limit.
        prompt_minutes: after so many without progress a gentle hint is given; None for none.
    """

    id: Name
    text: str = Field(min_length=5)
    preferences: int = Field(default=0, ge=0)
    requests: int = Field(default=0, ge=0)
    ratings: int = Field(default=0, ge=0)
    profile: bool = False
    minutes: float | None = Field(default=None, gt=0)
    prompt_minutes: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _has_rule(self) -> "Task":
        if not (self.preferences or self.requests or self.ratings or self.profile):
            raise ValueError(f"task {self.id!r} has no rule: give preferences, requests, ratings or profile")
        return self


class AttentionCheck(_Part):
    """A question with one right answer, asked within a questionnaire."""

    questionnaire: str
    after: int = Field(ge=0)
    text: str
    right: int = Field(ge=1)


class Questionnaires(_Part):
    """Names of questionnaires before everything, after each condition, and at the end."""

    before: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Battles(_Part):
    """Side-by-side comparisons: two variants, blind and in random order.

    Attributes:
        variants: recommender variants to pair.
        count: battles a participant.
    """

    variants: tuple[str, ...] = Field(min_length=2)
    count: int = Field(default=1, ge=1, le=10)


class Recruiting(_Part):
    """Entry from a recruiting service, and the way back.

    Attributes:
        parameters: of the link that invites; the first one tells who the participant is.
        completion_code: pays.
        completion_url: where participants go at the end; {code} in it becomes the code.
    """

    parameters: tuple[str, ...] = Field(("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), min_length=1)
    completion_code: str = Field(min_length=4, max_length=32)
    completion_url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None


class StudyConfig(_Part):
    """One study."""

    name: Name
    title: str
    consent: Consent
    information: str = Field(min_length=20)
    eligibility: tuple[str, ...] = ()
    debriefing: str = Field(min_length=5)
    recruiting: Recruiting
    languages: tuple[str, ...] = ("en",)
    participants: int | None = Field(default=None, ge=1)
    factors: Mapping[FactorName, Factor] = Field(default_factory=dict)
    assignment: Assignment = Assignment()
    tasks: tuple[Task, ...] = Field(min_length=1)
    questionnaires: Questionnaires = Questionnaires()
    attention: tuple[AttentionCheck, ...] = ()
    battles: Battles | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> "StudyConfig":
        known = load_questionnaires()
        used = {*self.questionnaires.before, *self.questionnaires.between, *self.questionnaires.after}
        for name in sorted(used - known.keys()):
            raise ValueError(f"there is no questionnaire {name!r}; known are {', '.join(sorted(known))}")
        for check in self.attention:
            if check.questionnaire not in used:
                raise ValueError(f"an attention check belongs to {check.questionnaire!r}, which the study does not ask")
        ids = [task.id for task in self.tasks]
        if len(set(ids)) < len(ids):
            raise ValueError("task ids must differ")
        return self


def check_name(name: str) -> None:
    """Raises UsageError for what cannot be the name of a study."""
    if not re.fullmatch(NAME, name):
        suggested = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "my-study"
        raise UsageError(
            f"{name!r} cannot be a study's name: use small letters, digits and hyphens, such as {suggested}"
        )


def template(name: str) -> str:
    """The commented file of a new study."""
    return Path(__file__).with_name("new_study.yaml").read_text(encoding="utf-8").replace("{name}", name)


def load_study(path: Path) -> StudyConfig:
    """Reads and checks a study.

    Raises:
        MissingFileError: there is no such file.
        ConfigError: it is no YAML, or a value is wrong; names every field that is.
    """
    if not path.is_file():
        raise MissingFileError(f"{path}: no such study; make one with: converse study new NAME")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as text ({error}); save it as UTF-8") from error
    return read_study(text, str(path))


def read_study(text: str, source: str) -> StudyConfig:
    """Reads and checks the text of a study's file.

    Args:
        text: YAML.
        source: how messages call it.

    Raises:
        ConfigError: it is no YAML (names the line), or a value is wrong (names every field that is).
    """
    try:
        content = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"{source}{place}: not readable as YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ConfigError(f"{source}: not readable as YAML: {' '.join(str(error).split())}") from error
    return parse_study(content, source)


def parse_study(content: Any, source: str) -> StudyConfig:
    """Checks a study that is already read. Raises ConfigError."""
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise ConfigError(f"{source}: expected the fields of a study, such as name, title and consent")
    try:
        return StudyConfig(**content)
    except ValidationError as error:
        raise ConfigError(f"{source}: {'; '.join(f'{field}: {fault}' for field, fault in faults_of(error))}") from error


def faults_of(error: ValidationError) -> list[tuple[str, str]]:
    """Each wrong field with what is wrong, in words that say what to write instead."""
    return [(".".join(map(str, fault["loc"])) or "study", _fault(fault)) for fault in error.errors()]


def _fault(fault: Any) -> str:
    if fault["type"] == "string_pattern_mismatch":
        return f"{fault['input']!r} must consist of small letters, digits and hyphens, such as my-study"
    plain = {"missing": "is missing", "extra_forbidden": "is not known here"}
    return plain.get(fault["type"]) or str(fault["msg"]).removeprefix("Value error, ")
