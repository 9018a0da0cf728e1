"""Recommendation dialogues as turns: what was said before, and what the recommender named next."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data.errors import DataError, MissingFileError
from recommender.evaluation.walks import EdgeList

__all__ = ["KnowledgeGraph", "Turn", "Utterance", "read_knowledge", "read_test_turns", "read_training", "turns_of"]

_REFERENCE = re.compile(r"@\d+")
_YEAR = re.compile(r"\((\d{4})\)\s*$")
_RELATION_WEIGHTS = {"genre": 0.8, "star": 0.8, "director": 1.0, "writer": 0.6}


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one speaker said in a row.

    Attributes:
        seeker: whether the person who looks for a film said it.
        text: the words, without references.
        items: numbers of the films it mentions.
        entities: numbers of the other entities.
    """

    seeker: bool
    text: str
    items: tuple[int, ...] = ()
    entities: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the recommender.

    Attributes:
        dialogue: its id; figures are drawn by dialogue.
        context: what was said before.
        targets: numbers of the films that the recommender names; None for one that the graph lacks.
    """

    dialogue: str
    context: tuple[Utterance, ...]
    targets: tuple[int | None, ...]

    @property
    def mentioned(self) -> frozenset[int]:
        """Films that were mentioned before."""
        return frozenset(item for utterance in self.context for item in utterance.items)


@dataclass(frozen=True)
class KnowledgeGraph:
    """The graph that comes with the dialogues.

    Attributes:
        names: of every node.
        items: numbers of the nodes that are films.
        edges: between films and what they have.
    """

    names: tuple[str, ...]
    items: tuple[int, ...]
    edges: EdgeList
    numbers: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {name: number for number, name in enumerate(self.names)})

    def year(self, item: int) -> int | None:
        """Year in a film's name."""
        found = _YEAR.search(self.names[item])
        return int(found.group(1)) if found else None


def read_knowledge(folder: Path) -> KnowledgeGraph:
    """Reads `kg.json`, `entity2id.json`, `relation2id.json` and `item_ids.json`.

    Raises:
        MissingFileError: a file is missing.
        DataError: a file has another form.
    """
    numbers, items, graph, relations = (
        read_json(folder / f"{name}.json") for name in ("entity2id", "item_ids", "kg", "relation2id")
    )
    try:
        weights = {number: _RELATION_WEIGHTS[name] for name, number in relations.items()}
        names = [""] * len(numbers)
        for name, number in numbers.items():
            names[number] = name
        edges = EdgeList()
        for head, found in graph.items():
            for relation, tail in {(relation, tail) for relation, tail in found}:
                edges.add(int(head), tail, weights[relation])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DataError(f"{folder} holds no knowledge graph of the known form ({error!r}).") from error
    return KnowledgeGraph(tuple(names), tuple(items), edges)


def read_training(path: Path, graph: KnowledgeGraph) -> list[tuple[Utterance, ...]]:
    """Dialogues in ReDial's form with entity labels (`valid.jsonl`), in the order of their ids, which is that of time.

    What one speaker says in a row is one utterance.

    Raises:
        MissingFileError: there is no such file.
        DataError: a line has another form.
    """
    dialogues = []
    for number, line in read_lines(path):
        try:
            order = int(line["conversationId"])
            seeker = line["initiatorWorkerId"]
            parts = [
                Utterance(
                    message["senderWorkerId"] == seeker,
                    _REFERENCE.sub(" ", message["text"]),
                    _numbers(message["item"], graph),
                    _numbers(message["entity"], graph),
                )
                for message in line["messages"]
            ]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}, line {number}: {error!r}; give the published file.") from error
        dialogues.append((order, _joined(parts)))
    return [dialogue for _, dialogue in sorted(dialogues, key=lambda entry: entry[0])]


def read_test_turns(path: Path, graph: KnowledgeGraph) -> list[Turn]:
    """The turns of the iEvaLM project (`test_data_processed.jsonl`); speakers alternate, the seeker first.

    Raises:
        MissingFileError: there is no such file.
        DataError: a line has another form.
    """
    items, turns = frozenset(graph.items), []
    for number, line in read_lines(path):
        try:
            named = [known for name in line["entity"] if (known := graph.numbers.get(name)) is not None]
            context = tuple(
                place_mentions(text, place % 2 == 0, named, items, graph) for place, text in enumerate(line["context"])
            )
            targets = tuple(graph.numbers.get(name) for name in dict.fromkeys(line["rec"]))
            turns.append(Turn(str(line["dialog_id"]), context, targets))
        except (KeyError, TypeError) as error:
            raise DataError(f"{path}, line {number}: {error!r}; give the published file.") from error
    return turns


def place_mentions(
    text: str, seeker: bool, named: Sequence[int], items: frozenset[int], graph: KnowledgeGraph
) -> Utterance:
    """The utterance with those of the named entities that its text has as whole words; films leave the words."""
    low = text.lower()
    found = list(dict.fromkeys(known for known in named if _has(low, graph.names[known].lower())))
    words = low
    for known in found:
        if known in items:
            words = words.replace(graph.names[known].lower(), " ")
    films = tuple(known for known in found if known in items)
    return Utterance(seeker, words, films, tuple(known for known in found if known not in items))


def _has(text: str, name: str) -> bool:
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(name, start + 1)
    return False


def turns_of(dialogue: Sequence[Utterance], name: str) -> Iterator[Turn]:
    """The turns in which the recommender names a film."""
    for place, utterance in enumerate(dialogue):
        if not utterance.seeker and utterance.items:
            yield Turn(name, tuple(dialogue[:place]), tuple(dict.fromkeys(utterance.items)))


def read_json(path: Path) -> Any:
    """A JSON file.

    Raises:
        MissingFileError: there is no such file.
        DataError: it is no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise MissingFileError(f"{path} is missing; give the published folder with --data.") from error
    except ValueError as error:
        raise DataError(f"{path} is no JSON ({error}); give the published file.") from error


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The objects of a JSON Lines file with their line numbers.

    Raises:
        MissingFileError: there is no such file.
        DataError: a line is no JSON.
    """
    if not path.is_file():
        raise MissingFileError(f"{path} is missing; give the published folder with --data.")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise DataError(f"{path}, line {number} is no JSON ({error}); give the published file.") from error


def _numbers(names: Sequence[str], graph: KnowledgeGraph) -> tuple[int, ...]:
    return tuple(known for name in names if (known := graph.numbers.get(name)) is not None)


def _joined(parts: Sequence[Utterance]) -> tuple[Utterance, ...]:
    joined: list[Utterance] = []
    for part in parts:
        if joined and joined[-1].seeker == part.seeker:
            last = joined.pop()
            part = Utterance(
                part.seeker, f"{last.text} {part.text}", last.items + part.items, last.entities + part.entities
            )
        joined.append(part)
    return tuple(joined)
