"""Reading tables: CSV and TSV, with a mapping that says what the columns are."""

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.domains import DomainConfig
from data.errors import ConfigError, DataError, MissingFileError
from data.model import PropertyId, Qid
from data.sparql.reader import Draft

__all__ = ["TableMapping", "load_mapping", "read_table"]

_VALUE = re.compile(r"(?P<qid>Q[1-9][0-9]{0,11})?\s*(?P<name>.*)", re.DOTALL)
SHOWN_PROBLEMS = 20
Delimiter = Literal[",", ";", "\t", "|"]


class TableMapping(BaseModel):
    """What the columns of a table are; the values are names of columns.

    Attributes:
        id: the item's Wikidata id.
        label: its name.
        year: the year it was made.
        aliases: other names, separated by `separator`.
        labels: names in other languages, by language code.
        properties: values by property id: each `Q42 Name`, `Q42`, or a name without id, which can only be shown.
        ids: external ids by the name that the catalogue gives them ("imdb").
        kind: the kind that every item is; by default the first of the domain.
        separator: between the values of a cell.
        delimiter: between the columns; by the file's ending when None.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    label: str
    year: str | None = None
    aliases: str | None = None
    labels: Mapping[str, str] = Field(default_factory=dict)
    properties: Mapping[PropertyId, str] = Field(default_factory=dict)
    ids: Mapping[str, str] = Field(default_factory=dict)
    kind: str | None = None
    separator: str = "|"
    delimiter: Delimiter | None = None

    def columns(self) -> list[str]:
        """Every column that the mapping names."""
        single = (self.id, self.label, self.year, self.aliases)
        many = (*self.labels.values(), *self.properties.values(), *self.ids.values())
        return [column for column in (*single, *many) if column is not None]


def load_mapping(path: Path) -> TableMapping:
    """Reads a mapping from YAML.

    Raises:
        MissingFileError: there is no such file.
        ConfigError: it is broken.
    """
    try:
        return TableMapping.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no mapping {path}; docs/catalogue.md shows one.") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValidationError) as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}; docs/catalogue.md shows a mapping.") from error


def read_table(path: Path, mapping: TableMapping, config: DomainConfig) -> dict[Qid, Draft]:
    """Drafts of the items in a table and of the values that it names.

    Raises:
        MissingFileError: there is no such file.
        ConfigError: the mapping names a property that the domain does not have, or a kind.
        DataError: a column is missing, or rows are broken; the message names the lines.
    """
    if unknown := set(mapping.properties) - set(config.properties):
        raise ConfigError(f"The domain {config.name} has no {', '.join(sorted(unknown))}; correct the mapping.")
    top = _class_of(mapping.kind or config.kinds[0], config)
    drafts: dict[Qid, Draft] = {}
    problems: list[str] = []
    for line, row in _rows(path, mapping):
        try:
            _read_row(drafts, row, mapping, config, top)
        except ValueError as error:
            problems.append(f"line {line}: {error}")
    if problems:
        more = f"; and {len(problems) - SHOWN_PROBLEMS} more" if len(problems) > SHOWN_PROBLEMS else ""
        raise DataError(f"{path}: {'; '.join(problems[:SHOWN_PROBLEMS])}{more}. Correct or remove these rows.")
    return drafts


def _class_of(kind: str, config: DomainConfig) -> tuple[str, Qid]:
    for field, known in (("classes", config.classes), ("occupations", config.occupations)):
        for qid, made in known.items():
            if made == kind:
                return field, qid
    raise ConfigError(f"The domain {config.name} has no kind {kind!r}; choose one of {', '.join(config.kinds)}.")


def _rows(path: Path, mapping: TableMapping) -> Iterator[tuple[int, Mapping[str, str]]]:
    delimiter = mapping.delimiter or ("\t" if path.suffix == ".tsv" else ",")
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, delimiter=delimiter, restval="")
            missing = [column for column in mapping.columns() if column not in (reader.fieldnames or ())]
            if missing:
                raise DataError(f"{path} has no column {', '.join(missing)}; correct the mapping or the first line.")
            for row in reader:
                yield reader.line_num, row
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no table {path}; give the path of a CSV or TSV file.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} is no table in UTF-8 ({error}); save it as UTF-8.") from error


def _read_row(
    drafts: dict[Qid, Draft], row: Mapping[str, str], mapping: TableMapping, config: DomainConfig, top: tuple[str, Qid]
) -> None:
    qid = row[mapping.id].strip()
    if not re.fullmatch(r"Q[1-9][0-9]{0,11}", qid):
        raise ValueError(f"{qid!r} is no Wikidata item id")
    if not row[mapping.label].strip():
        raise ValueError(f"{qid} has no name")
    draft = drafts.setdefault(qid, Draft())
    draft.labels["en"] = row[mapping.label].strip()
    draft.labels.update({code: row[column].strip() for code, column in mapping.labels.items() if row[column].strip()})
    (draft.classes if top[0] == "classes" else draft.occupations).add(top[1])
    if mapping.aliases:
        draft.aliases.update(dict.fromkeys(_cells(row[mapping.aliases], mapping.separator)))
    if mapping.year and row[mapping.year].strip():
        draft.years["P577"] = int(row[mapping.year])
    draft.ids.update({name: row[column].strip() for name, column in mapping.ids.items() if row[column].strip()})
    for pid, column in mapping.properties.items():
        for cell in _cells(row[column], mapping.separator):
            _read_value(drafts, draft, pid, cell, config.properties[pid].values)


def _read_value(drafts: dict[Qid, Draft], draft: Draft, pid: PropertyId, cell: str, kind: str) -> None:
    match = _VALUE.fullmatch(cell)
    assert match is not None
    qid, name = match.group("qid"), match.group("name").strip()
    if qid is None:
        draft.facts.setdefault(pid, {})[name] = None
        return
    draft.relations.setdefault(pid, {})[qid] = None
    value = drafts.setdefault(qid, Draft())
    value.kind = value.kind or kind
    if name:
        value.labels.setdefault("en", name)


def _cells(cell: str, separator: str) -> list[str]:
    return [part.strip() for part in cell.split(separator) if part.strip()]
