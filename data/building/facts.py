"""Reads a folder of Wikidata facts: the items of each domain and the values that they have."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import yaml
from pydantic import BaseModel, ConfigDict

from data.errors import DataError, MissingFileError
from data.model import Domain, PropertyId, Qid

__all__ = ["Facts", "Item", "StarterConfig", "Value", "italian_title", "read_config", "read_facts"]

_CONFIG = Path(__file__).with_name("starter.yaml")
_EXPLANATION = re.compile(r"\s+\([^)]*\)$")
_ITEMS = frozenset({"movie", "book", "song", "band"})
MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Item:
    """A line of an item file, cleaned.

    Attributes:
        mentioned: how often the released dialogues mention it.
        relations: property id to its values, as (id or None, name).
    """

    qid: Qid
    label: str
    aliases: tuple[str, ...]
    kind: str | None
    domain: Domain
    is_item: bool
    mentioned: int
    year: int | None
    ids: Mapping[str, str]
    popularity: float
    relations: Mapping[PropertyId, tuple[tuple[Qid | None, str], ...]]

    def values(self, pid: PropertyId) -> tuple[Qid, ...]:
        """Ids of its values of a property; those without id are left out."""
        return tuple(qid for qid, _ in self.relations.get(pid, ()) if qid)


@dataclass(frozen=True, slots=True)
class Value:
    """A property value with what it is used as: property id to number of uses."""

    label: str
    aliases: tuple[str, ...] = ()
    used_as: Mapping[PropertyId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of a folder."""

    items: Mapping[Domain, tuple[Item, ...]]
    values: Mapping[Qid, Value]


class StarterConfig(BaseModel):
    """What the making of the starter catalogue knows beyond the facts: `starter.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    labels: Mapping[Qid, str]
    kinds: Mapping[Qid, str]
    not_items: frozenset[Qid]
    small_words: frozenset[str]
    abbreviations: frozenset[str]
    not_a_name: re.Pattern[str]
    italian: re.Pattern[str]
    not_italian: re.Pattern[str]
    musicians: Mapping[Qid, str]
    known_otherwise: Mapping[Qid, str]


def read_config() -> StarterConfig:
    """Reads `starter.yaml`."""
    return StarterConfig.model_validate(yaml.safe_load(_CONFIG.read_text(encoding="utf-8")))


def read_facts(folder: Path, config: StarterConfig) -> Facts:
    """Reads `items_{domain}.jsonl` and `values.jsonl`.

    Raises:
        MissingFileError: a file is missing.
        DataError: a line is broken.
    """
    items = {
        domain: tuple(_item(row, domain, config) for row in _rows(folder / f"items_{domain}.jsonl"))
        for domain in ("movie", "book", "music")
    }
    values = {
        row["qid"]: Value(
            config.labels.get(row["qid"], _clean(row["label"])), _clean_all(row["aliases"], config), row["used_as"]
        )
        for row in _rows(folder / "values.jsonl")
    }
    return Facts(items, values)


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no {path}; --facts must name the folder with the facts.") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: no JSON ({error}); correct or remove the line.") from error
    return rows


def _item(row: Mapping[str, Any], domain: Domain, config: StarterConfig) -> Item:
    return Item(
        qid=row["qid"],
        label=config.labels.get(row["qid"], _EXPLANATION.sub("", _clean(row["label"]))),
        aliases=_clean_all(row["aliases"], config),
        kind=config.kinds.get(row["qid"], row["kind"]),
        domain=domain,
        is_item=(row["is_item"] or config.kinds.get(row["qid"]) in _ITEMS) and row["qid"] not in config.not_items,
        mentioned=row["mentioned"],
        year=row["year"],
        ids={name: str(value) for name, value in row["ids"].items()},
        popularity=row["popularity"] / 100,
        relations={pid: tuple((qid, _clean(name)) for qid, name in values) for pid, values in row["relations"].items()},
    )


def _clean(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).replace("\xa0", " ").replace("’", "'").split())


def _clean_all(aliases: list[str], config: StarterConfig) -> tuple[str, ...]:
    names = (alias for alias in aliases if len(alias) <= MAX_NAME and not config.not_a_name.search(alias))
    return tuple(map(_clean, names))


def italian_title(aliases: tuple[str, ...], config: StarterConfig) -> str | None:
    """The first alias that its small words show to be Italian; None when no alias does."""
    for alias in aliases:
        name = alias.casefold()
        if len(name.split()) > 1 and config.italian.search(name) and not config.not_italian.search(name):
            return alias
    return None
