"""Names of entities."""

from collections.abc import Iterable

__all__ = ["distinct_names"]


def distinct_names(label: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """Aliases that differ from the label and from each other by more than capitals."""
    seen = {label.casefold(): label}
    for alias in aliases:
        seen.setdefault(alias.casefold(), alias)
    return tuple(seen.values())[1:]
