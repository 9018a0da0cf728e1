"""Values to and from database rows. The conversation state is JSON with a version; the rest are columns."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from bot.channels.base import Reply
from bot.dialogue.state import DialogueState
from bot.errors import StorageError
from bot.records import Record
from bot.storage.schema import storable
from data.model import Entity

STATE_VERSION = 1
UPGRADES: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""Version to the function that turns a state of that version into the next one.

A new field with a default needs none: it is filled in. A removed field is ignored.
"""

Row = dict[str, Any]


@cache
def _states() -> TypeAdapter[DialogueState]:
    return TypeAdapter(DialogueState)


@cache
def _replies() -> TypeAdapter[Reply]:
    return TypeAdapter(Reply)


@cache
def _entities() -> TypeAdapter[Entity]:
    return TypeAdapter(Entity)


def to_json(value: Any) -> Any:
    """A frozen value as plain JSON data."""
    return to_jsonable_python(value)


def dump_json(value: Any) -> str:
    """JSON text that every database can hold."""
    return storable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def state_from(version: int, data: dict[str, Any]) -> DialogueState:
    """The conversation state that was saved as JSON.

    Args:
        version: of the saved state.
        data: the saved state.

    Returns:
        The state in today's form.

    Raises:
        StorageError: saved by a newer program, or damaged.
    """
    if version > STATE_VERSION:
        raise StorageError(f"a conversation was saved by a newer version (state {version}): update converse-bot")
    for step in range(version, STATE_VERSION):
        data = UPGRADES[step](data)
    try:
        return _states().validate_python(data)
    except ValidationError as error:
        raise StorageError(f"a saved conversation is damaged: {error.errors()[0]['msg']}; restore a backup") from error


def reply_from(data: Any) -> Reply:
    """The reply that was saved as JSON."""
    return _replies().validate_python(data)


def entity_from(data: Any) -> Entity:
    """The entity that was saved as JSON."""
    return _entities().validate_python(data)


def columns_of(value: Any) -> Row:
    """The fields of a flat value by name."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def record_row(record: Record) -> Row:
    """The columns of a log record; what has parts becomes JSON."""
    return {**columns_of(record), "reply": to_json(record.reply)}


def record_from(row: Mapping[str, Any]) -> Record:
    """The log record of a row; JSON lists become tuples again."""
    values = {field.name: _frozen(row[field.name]) for field in dataclasses.fields(Record)}
    return Record(**{**values, "reply": reply_from(row["reply"])})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value
