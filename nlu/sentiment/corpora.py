"""Opinions that people wrote: ReDial's answers, ConveRSE's signs and review snippets, read where they lie.

Nothing of them is kept in the project. Their labels are noisy (a ReDial answer covers the whole conversation, the
sentence at hand may say nothing), so `nlu.sentiment.training` keeps only those that a first model does not contradict.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml
from rapidfuzz import fuzz

from data.catalogue.catalogue import Catalogue
from data.errors import DataError, MissingFileError
from data.formats.converse import split
from data.formats.rows import load_rows
from nlu.model import Span
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import mask, normalised, words

_MOVIE = re.compile(r"@(\d+)")
_LIKED = {0: "-", 1: "+"}
_MATCH = 88
_WORD = re.compile(r"\w+(?:'\w+)*")
_STRONG, _FAINT = 1.2, 0.25
_SHORT = 16
_PATTERNS = Path(__file__).with_name("corpora.yaml")


@dataclass(frozen=True, slots=True)
class Opinion:
    """A text with what it names, and what its writer thinks of each.

    Attributes:
        targets: character spans; none when the opinion is on the whole.
        signs: one per target ("+", "-", "0" for none, "?" for unknown); a single one without targets.
        group: writer or conversation, so that splits keep them apart.
        source: name of the data set.
    """

    text: str
    targets: tuple[Span, ...]
    signs: tuple[str, ...]
    group: str
    source: str

    def instances(self) -> Iterator[Instance]:
        """One masked example per known sign."""
        if not self.targets:
            yield Instance(tuple(mask(self.text, (), None)), self.signs[0])
        for index in range(len(self.targets)):
            if self.signs[index] != "?":
                yield Instance(tuple(mask(self.text, self.targets, index)), self.signs[index])


def left_out(files: Iterable[Path]) -> frozenset[str]:
    """Normalised texts of case files, which training must not see.

    Raises:
        MissingFileError: when a file is not there.
        DataError: when a line has no text.
    """
    found = set()
    for path in files:
        for number, case in _json_lines(path):
            if not isinstance(case.get("text"), str):
                raise DataError(f'{path}, line {number}: expected an object with "text".')
            found.add(normalised(case["text"]))
    return frozenset(found)


def redial(paths: Iterable[Path]) -> Iterator[Opinion]:
    """Messages of ReDial dialogues that mention films, with the seeker's answers as signs."""
    for path in paths:
        for _, dialogue in _json_lines(path):
            answers = {**(dialogue.get("respondentQuestions") or {}), **(dialogue.get("initiatorQuestions") or {})}
            for message in dialogue.get("messages") or ():
                opinion = _redial_message(message, answers, f"redial-{dialogue.get('conversationId')}")
                if opinion is not None:
                    yield opinion


def _redial_message(message: dict[str, Any], answers: dict[str, dict[str, int]], group: str) -> Opinion | None:
    text = str(message.get("text") or "")
    found = list(_MOVIE.finditer(text))
    if not found:
        return None
    signs = tuple(_LIKED.get(answers.get(match[1], {}).get("liked", 2), "?") for match in found)
    return Opinion(text, tuple(Span(*match.span()) for match in found), signs, group, "redial")


def converse(folder: Path, catalogue: Catalogue) -> Iterator[Opinion]:
    """Preferences of the released ConveRSE conversations whose objects are found in the text.

    Args:
        folder: with `{domain}/messages_{nl,mixed}.json`.
        catalogue: knows the names of the objects.

    Raises:
        MissingFileError: there is no such file below the folder.
        DataError: a file cannot be read.
    """
    for file in load_rows(folder, ("message", "intent", "recognizedObjects", "userID")):
        for row in file.rows:
            if "preference" not in row["intent"]:
                continue
            opinion = _converse_row(row, catalogue, f"converse-{file.domain}-{row['userID']}")
            if opinion is not None:
                yield opinion


def _converse_row(row: dict[str, Any], catalogue: Catalogue, group: str) -> Opinion | None:
    text = row["message"]
    objects = [part for part in split(row["recognizedObjects"]) if part.endswith(("+", "-"))]
    reference = _pattern("reference").search(text)
    if len(objects) == 1 and reference and len(words(text)) <= 8:
        return Opinion(text, (Span(*reference.span()),), (objects[0][-1],), group, "converse")
    spans: list[Span] = []
    signs: list[str] = []
    for part in objects[:6]:
        span = _named(text, part[:-1], catalogue)
        if span and all(span.end <= other.start or span.start >= other.end for other in spans):
            spans.append(span)
            signs.append(part[-1])
    bare = len(spans) == 1 and len(words(text[: spans[0].start] + text[spans[0].end :])) == 0
    return Opinion(text, tuple(spans), tuple(signs), group, "converse") if spans and not bare else None


def _named(text: str, qid: str, catalogue: Catalogue) -> Span | None:
    """Where the text names the entity, small misspellings allowed."""
    entity = catalogue.get(qid)
    if entity is None:
        return None
    best, where = 0.0, None
    for name in (entity.label, *entity.aliases, *entity.labels.values()):
        if len(name) < 3 or len(name) > len(text) + 2:
            continue
        found = fuzz.partial_ratio_alignment(name.lower(), text.lower(), score_cutoff=_MATCH)
        if found and found.score > best:
            best, where = found.score, _whole_words(text, found.dest_start, found.dest_end)
    return where


def _whole_words(text: str, start: int, end: int) -> Span | None:
    """The words of which at least half lie within the characters [start, end)."""
    inside = [
        word
        for word in _WORD.finditer(text)
        if 2 * (min(word.end(), end) - max(word.start(), start)) >= word.end() - word.start()
    ]
    return Span(inside[0].start(), inside[-1].end()) if inside else None


def snippets(paths: Sequence[Path]) -> Iterator[Opinion]:
    """Review sentences rated from -4 to 4, one "id, rating, text" a line: the form of VADER's published ratings.

    Raises:
        MissingFileError: when a file is not there.
        DataError: when a line has no rating.
    """
    for path in paths:
        if not path.is_file():
            raise MissingFileError(f"{path} is missing: name a file of rated sentences, or leave the option out.")
        for place, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            number, rating, text = [*line.split("\t", 2), "", ""][:3]
            score = _rating(rating, path, place)
            if _FAINT < abs(score) < _STRONG or not 3 <= len(words(text)) <= 40:
                continue
            sign = "0" if abs(score) <= _FAINT else "+" if score > 0 else "-"
            yield Opinion(text, (), (sign,), f"{path.name}-{number.split('_')[0]}", "snippets")


def _rating(text: str, path: Path, line: int) -> float:
    try:
        return float(text or 0)
    except ValueError as error:
        raise DataError(f"{path}, line {line}: expected id, rating and text, with tabs between them.") from error


def rated_clauses(opinions: Iterable[Opinion]) -> dict[str, list[str]]:
    """Short rated sentences as clauses for the grammar: by sign, with X where they name what they are about."""
    clauses: dict[str, list[str]] = {"+": [], "-": []}
    for opinion in opinions:
        text = opinion.text.rstrip(" .")
        if opinion.targets or opinion.signs[0] not in clauses or len(words(text)) > _SHORT or re.search(r"\bX\b", text):
            continue
        clause, named = _pattern("subject").subn("X", text, count=1)
        clauses[opinion.signs[0]].append(clause if named else f"X: {text}")
    return clauses


@functools.cache
def _pattern(name: str) -> re.Pattern[str]:
    """A pattern of `corpora.yaml`, whatever the capitals."""
    return re.compile(yaml.safe_load(_PATTERNS.read_text(encoding="utf-8"))[name], re.IGNORECASE)


def _json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if not path.is_file():
        raise MissingFileError(f"{path} is missing: check the path.")
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: not JSON ({error}).") from error
        if not isinstance(value, dict):
            raise DataError(f"{path}, line {number}: expected a JSON object.")
        yield number, value
