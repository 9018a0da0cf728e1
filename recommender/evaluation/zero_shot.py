"""The test turns of He et al. 2023 (ReDial and INSPIRED), joined with the knowledge graph by the films' titles."""

import csv
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from data.errors import DataError, MissingFileError
from recommender.evaluation.conversations import KnowledgeGraph, Turn, Utterance, place_mentions, read_json, read_lines

__all__ = ["ZeroShot", "read_zero_shot"]

_MODELS = {"GPT-4": "gpt-4.summary.csv", "GPT-3.5": "gpt-3.5-turbo.summary.csv"}
_YEAR = re.compile(r"(\d{4})")
_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")


@dataclass(frozen=True, slots=True)
class ZeroShot:
    """The turns and what they may choose from.

    Attributes:
        turns: with the numbers of the knowledge graph; a target that it lacks is None.
        items: numbers of the films that are candidates there.
        summaries: by model and row ("all", "recommendation") the recalls that were published.
    """

    turns: tuple[Turn, ...]
    items: frozenset[int]
    summaries: Mapping[str, Mapping[str, Mapping[str, float]]]

    def outside(self, graph: KnowledgeGraph) -> frozenset[int]:
        """Films of the knowledge graph that are no candidates."""
        return frozenset(graph.items) - self.items

    def covered(self) -> float:
        """Share of the targets that the knowledge graph has."""
        targets = [target for turn in self.turns for target in turn.targets]
        return round(sum(target is not None for target in targets) / max(len(targets), 1), 4)


def read_zero_shot(folder: Path, graph: KnowledgeGraph) -> ZeroShot:
    """Reads one of the folders `redial` and `inspired`.

    Raises:
        MissingFileError: a file is missing.
        DataError: a file has another form.
    """
    resources = {number: uri for uri, number in read_json(folder / "entity2id.json").items()}
    lines = [line for _, line in read_lines(folder / "test.jsonl")]
    titles = _Titles(graph)
    try:
        spoken = {
            number: name
            for line in lines
            if len(line["entity"]) == len(line["entity_name"])
            for number, name in zip(line["entity"], line["entity_name"], strict=True)
        }
        candidates = read_json(folder / "item_ids.json")
        known = {number: titles.find(spoken.get(number, ""), resources[number]) for number in candidates}
        others = _entity_names(graph)
        turns = tuple(_turn(line, known, others, graph) for line in lines)
    except (KeyError, TypeError) as error:
        raise DataError(f"{folder} holds no such test turns ({error!r}); give the published folder.") from error
    items = frozenset(item for item in known.values() if item is not None)
    return ZeroShot(turns, items, {name: _summary(folder / file) for name, file in _MODELS.items()})


class _Titles:
    """Finds a film of the knowledge graph by its title, and by its year when one is told."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._by_title: dict[str, dict[int | None, int]] = defaultdict(dict)
        for item in graph.items:
            self._by_title[_fold(graph.names[item])].setdefault(graph.year(item), item)

    def find(self, spoken: str, resource: str) -> int | None:
        """The film with this name in the dialogues, or with this DBpedia resource."""
        article = unquote(resource.rsplit("/", 1)[-1].rstrip(">")).replace("_", " ")
        for name in (spoken, article):
            year = _YEAR.search(name[-14:])
            found = self._by_title.get(_fold(name)) if name else None
            if found and year and (item := _nearest(found, int(year.group()))) is not None:
                return item
            if found and not year:
                return max(found.items(), key=lambda entry: entry[0] or 0)[1]
        return None


def _nearest(found: Mapping[int | None, int], year: int) -> int | None:
    return next((found[known] for known in (year, year - 1, year + 1, None) if known in found), None)


def _fold(name: str) -> str:
    plain = unicodedata.normalize("NFKD", _QUALIFIER.sub("", name)).encode("ascii", "ignore").decode().lower()
    return "".join(letter for letter in plain if letter.isalnum())


def _turn(
    line: Mapping[str, object], known: Mapping[int, int | None], others: Mapping[str, int], graph: KnowledgeGraph
) -> Turn:
    texts, before, targets = line["context"], line["prev_entity"], line["rec"]
    if not (isinstance(texts, list) and isinstance(before, list) and isinstance(targets, list)):
        raise TypeError("context, prev_entity and rec must be lists")
    named = [item for number in before if (item := known.get(number)) is not None]
    context = list(_context(texts, named, others, graph))
    missed = tuple(item for item in named if not any(item in said.items for said in context))
    if missed:
        context.append(Utterance(seeker=True, text="", items=missed))
    return Turn(str(line["dialog_id"]), tuple(context), tuple(known.get(target) for target in dict.fromkeys(targets)))


def _context(
    texts: Sequence[str], named: Sequence[int], others: Mapping[str, int], graph: KnowledgeGraph
) -> Iterator[Utterance]:
    items = frozenset(graph.items)
    for place, text in enumerate(texts):
        words = re.findall(r"[a-z][a-z.'-]+(?: [a-z][a-z.'-]+)?", text.lower())
        found = [number for word in words for part in (word, *word.split()) if (number := others.get(part)) is not None]
        yield place_mentions(text, place % 2 == 0, [*named, *found], items, graph)


def _entity_names(graph: KnowledgeGraph) -> Mapping[str, int]:
    items = frozenset(graph.items)
    return {name.lower(): number for number, name in enumerate(graph.names) if number not in items and len(name) > 3}


def _summary(path: Path) -> dict[str, dict[str, float]]:
    if not path.is_file():
        raise MissingFileError(f"{path} is missing; give the published folder with --data.")
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["condition"]: row for row in csv.DictReader(file)}
    return {
        name: {f"recall@{cut}": round(float(rows[name][f"recall@{cut}_mean"]), 4) for cut in (1, 10)}
        for name in ("recommendation", "all")
    }
