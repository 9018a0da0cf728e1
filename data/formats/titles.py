"""Titles that datasets know, whatever file they stand in: for mapping them to the catalogue."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from data.errors import DataError, MissingFileError
from data.formats import open_dataset
from data.formats.jsontext import read_document
from data.formats.problems import Report

ENTITIES, ITEMS = "entity2id.json", "item_ids.json"
"""The tables of recommender test sets: name of an entity to its number, and the numbers of those that are items."""

_DBPEDIA = re.compile(r"^<?https?://dbpedia\.org/resource/(?P<name>.+?)>?$")
_EXPLANATION = re.compile(r"\s*\((?P<year>(?:18|19|20)\d\d)?[^()]*\)$")


def titles_of(source: Path, report: Report) -> Mapping[str, str]:
    """The entities of a dataset or table, by the dataset's own id, with their titles.

    Args:
        source: a dataset with dialogues; a table of titles (`id2name.json`, `entity2id.json`); or a folder with the
            tables `entity2id.json` and `item_ids.json`, of which only the items count.
        report: told of what cannot be read.

    Returns:
        Id to "Title (year)", or to "Title".

    Raises:
        MissingFileError: there is nothing there.
        DataError: it is neither.
    """
    if not source.exists():
        raise MissingFileError(f"{source}: no such file or folder")
    if (source / ENTITIES).is_file():
        return _items(source, report)
    table = read_document(source, lambda _: None) if source.suffix == ".json" else None
    if isinstance(table, dict) and table and all(isinstance(value, str | int) for value in table.values()):
        return _from_table(table)
    dataset = open_dataset(source)
    return {
        label.entity: label.name or ""
        for path, kind in dataset.files.items()
        if kind == "dialogues"
        for dialogue in dataset.format.dialogues(path, report)
        for label in dialogue.entities
    }


def _items(folder: Path, report: Report) -> Mapping[str, str]:
    table = read_document(folder / ENTITIES, report)
    listed = read_document(folder / ITEMS, report) if (folder / ITEMS).is_file() else None
    if not isinstance(table, dict):
        raise DataError(f"{folder / ENTITIES}: expected an object of names and numbers")
    items = set(map(str, listed)) if isinstance(listed, list) else None
    return _from_table({name: key for name, key in table.items() if items is None or str(key) in items})


def _from_table(table: Mapping[str, Any]) -> Mapping[str, str]:
    """A table in either direction: the side that looks like ids is the ids."""
    named = all(re.fullmatch(r"tt\d+|\d+", key) for key in table)
    pairs = table.items() if named else ((key, name) for name, key in table.items())
    return {str(key): _title(str(name)) for key, name in pairs}


def _title(name: str) -> str:
    """Of an address such as <http://dbpedia.org/resource/Hoffa_(1992_film)> "Hoffa (1992)"; other names as they are."""
    found = _DBPEDIA.match(name)
    if not found:
        return name
    words = unquote(found["name"]).replace("_", " ")
    explained = _EXPLANATION.search(words)
    if not explained:
        return words
    year = f" ({explained['year']})" if explained["year"] else ""
    return words[: explained.start()] + year
