"""Writing a built catalogue where the bot finds it, and saying what it holds and changes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.building.difference import Difference, compare
from data.catalogue import Catalogue, read_entities, unite, write_entities
from data.catalogue.summary import Summary, summarise
from data.errors import DataError
from data.model import Entity

__all__ = ["Published", "publish"]


@dataclass(frozen=True, slots=True)
class Published:
    """A catalogue that was written.

    Attributes:
        summary: what it holds.
        difference: to what the file held before; None when there was none.
    """

    path: Path
    summary: Summary
    difference: Difference | None


def publish(path: Path, entities: Iterable[Entity], about: Mapping[str, Any], *, update: bool = False) -> Published:
    """Writes a catalogue file; a reader sees the old one or the new one, nothing between.

    Args:
        path: of the file.
        entities: items and their values.
        about: what the header says of the build.
        update: whether what the file holds and the new build does not stays.

    Raises:
        DataError: `update` is asked for and the old file is broken.
    """
    new = list(entities)
    try:
        old = read_entities(path) if path.exists() else None
    except DataError:
        if update:
            raise
        old = None
    if update and old is not None:
        new = unite([*new, *old])
    write_entities(path, new, about)
    return Published(path, summarise(Catalogue(new)), None if old is None else compare(old, new))
