"""The item catalogue: the one that ships, and any other in the same format."""

from pathlib import Path

from data.catalogue.catalogue import Catalogue
from data.catalogue.files import read_entities, read_header, write_entities

__all__ = ["STARTER", "Catalogue", "load_catalogue", "read_entities", "read_header", "write_entities"]

STARTER = Path(__file__).parent / "starter.jsonl"


def load_catalogue(path: Path | None = None) -> Catalogue:
    """Reads a catalogue file, the starter catalogue when none is given.

    Raises:
        MissingFileError: there is no such file.
        DataError: it is no valid catalogue; the message names the lines.
    """
    return Catalogue(read_entities(path or STARTER))
