"""Small things that reading and building need: names that differ, and entities as mere values."""

import dataclasses
from collections.abc import Iterable

from data.model import Entity

__all__ = ["as_value", "distinct_names"]


def distinct_names(label: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """Aliases that differ from the label and from each other by more than capitals."""
    seen = {label.casefold(): label}
    for alias in aliases:
        seen.setdefault(alias.casefold(), alias)
    return tuple(seen.values())[1:]


def as_value(entity: Entity, kind: str | None = None) -> Entity:
    """An entity as a value that items have: nothing to recommend, and nothing that it has itself.

    Args:
        entity: what is known of it.
        kind: another kind than its own.
    """
    return dataclasses.replace(entity, kind=kind or entity.kind, domain=None, relations={}, facts={})
