"""The item catalogue: the one that ships, and any other in the same format."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

from data.catalogue.catalogue import Catalogue, unite
from data.catalogue.files import read_entities, read_header, write_entities
from data.errors import MissingFileError
from data.model import Entity, Qid

__all__ = ["STARTER", "Catalogue", "load_catalogue", "read_entities", "read_header", "unite", "write_entities"]

STARTER = Path(__file__).parent / "starter.jsonl"


SUFFIXES = (".jsonl", ".jsonl.gz")


def load_catalogue(path: Path | None = None, own: Path | None = None) -> Catalogue:
    """Reads a catalogue, the starter catalogue when none is given.

    Args:
        path: a catalogue file, or a folder of them.
        own: a folder of catalogues that the user built or imported, added when it exists; where both know an entity,
            what is in `own` counts.

    Raises:
        MissingFileError: there is no such file, or no catalogue file in the folder.
        DataError: it is no valid catalogue; the message names the lines.
    """
    files = [*(_files(own) if own and own.is_dir() else ()), *_files(path or STARTER)]
    if not files:
        raise MissingFileError(f"{path} holds no catalogue (*.jsonl); make one with `converse catalog build`.")
    entities = [entity for file in files for entity in read_entities(file)]
    return Catalogue(_with_labels(unite(entities) if len(files) > 1 else entities))


def _with_labels(entities: Iterable[Entity]) -> Iterator[Entity]:
    """The entities, with the names that `labels.yaml` has in languages in which they have none."""
    for entity in entities:
        own = {language: names[entity.qid] for language, names in _labels().items() if entity.qid in names}
        yield dataclasses.replace(entity, labels={**own, **entity.labels}) if own else entity


@cache
def _labels() -> Mapping[str, Mapping[Qid, str]]:
    known: Mapping[str, Mapping[Qid, str]] = yaml.safe_load((Path(__file__).parent / "labels.yaml").read_text("utf-8"))
    return known


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES) and not file.name.startswith("."))
