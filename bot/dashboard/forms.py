"""The form for a new study: from its fields to the content of a study's file, and the example that it begins with."""

from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import ValidationError
from starlette.datastructures import FormData

from bot.errors import ConfigError
from bot.study.config import StudyConfig, faults_of, read_study, template

MOMENTS = ("before", "between", "after")
_PLAIN = ("name", "title", "information", "debriefing")
_WORDS = {"true": True, "false": False}


def example() -> StudyConfig:
    """The study that a new form is filled with."""
    return read_study(example_text(), "the example")


def example_text() -> str:
    """The commented file of the example."""
    return template("my-study")


def content_of(form: FormData) -> dict[str, Any]:
    """The content of a study's file, as a form says it. Nothing is checked yet."""
    content: dict[str, Any] = {name: _text(form, name) for name in _PLAIN}
    content["consent"] = {"version": _text(form, "consent_version"), "text": _text(form, "consent")}
    content["eligibility"] = [line for line in _text(form, "eligibility").splitlines() if line.strip()]
    content["recruiting"] = {"completion_code": _text(form, "completion_code")}
    content["languages"] = _all(form, "languages")
    if limit := _text(form, "participants"):
        content["participants"] = _number(limit)
    content["factors"] = _factors(form)
    content["assignment"] = {"seed": _number(_text(form, "seed"))}
    content["tasks"] = _tasks(form)
    content["questionnaires"] = {moment: _all(form, moment) for moment in MOMENTS}
    if variants := _all(form, "battle_variants"):
        content["battles"] = {"variants": variants, "count": _number(_text(form, "battles"))}
    return content


def checked(content: Mapping[str, Any]) -> tuple[StudyConfig | None, dict[str, str]]:
    """The study, or what is wrong with each field of the form."""
    try:
        return StudyConfig(**content), {}
    except ValidationError as error:
        return None, dict(faults_of(error))


def text_of(content: Mapping[str, Any]) -> str:
    """The content as the text of a file."""
    return yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True, width=100)


def uploaded(data: bytes) -> str:
    """The text of an uploaded file. Raises ConfigError when it is no text."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("the file is no text in UTF-8; save it as UTF-8 and choose it again") from error


def _text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value.strip().replace("\r\n", "\n") if isinstance(value, str) else ""


def _all(form: FormData, name: str) -> list[str]:
    return [value for value in form.getlist(name) if isinstance(value, str)]


def _number(text: str) -> int | float | str:
    """A number where the text is one; the check says so where not."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def _factors(form: FormData) -> dict[str, Any]:
    made = {}
    for name in _all(form, "factors"):
        levels = [_WORDS.get(level, level) for level in _all(form, f"{name}_levels")]
        design = _text(form, f"{name}_design")
        if design != "none" and levels:
            made[name] = {"levels": levels, "design": design}
    return made


def _tasks(form: FormData) -> list[dict[str, Any]]:
    """One task for each filled row."""
    made: list[dict[str, Any]] = []
    for place in range(len(_all(form, "task_text"))):
        row = {
            name: (_all(form, f"task_{name}") + [""] * (place + 1))[place].strip()
            for name in ("text", "preferences", "requests", "ratings", "minutes", "prompt_minutes")
        }
        if not row["text"]:
            continue
        task: dict[str, Any] = {"id": f"task-{len(made) + 1}", "text": row.pop("text")}
        task |= {name: _number(value) for name, value in row.items() if value}
        task["profile"] = str(place) in _all(form, "task_profile")
        made.append(task)
    return made
