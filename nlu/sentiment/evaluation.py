"""How often the polarity of a mention is right, on cases with the spans given."""

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from data.errors import DataError, MissingFileError
from data.model import Polarity
from nlu.model import SentimentRecognizer, Span

_EXPECTED = 'an object with "text" and "entities" of "start", "end" and "polarity"'


@dataclass(frozen=True, slots=True)
class Case:
    """One message with the spans that are named in it and the polarity that readers see."""

    text: str
    spans: tuple[Span, ...]
    polarities: tuple[Polarity | None, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case with what the recogniser said, and how long it took in milliseconds."""

    case: Case
    given: tuple[Polarity | None, ...]
    elapsed: float

    @property
    def pairs(self) -> list[tuple[Polarity | None, Polarity | None]]:
        """Expected and given polarity of every mention."""
        return list(zip(self.case.polarities, self.given, strict=True))


@dataclass(frozen=True, slots=True)
class Tally:
    """Right and wrong answers; a mention without a polarity of its own is counted apart."""

    expected: list[Polarity] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, expected: Polarity, given: Polarity | None) -> None:
        """Counts one mention; no polarity given is wrong."""
        self.expected.append(expected)
        self.right.append(expected == given)

    @property
    def accuracy(self) -> float:
        """Share of right answers."""
        return sum(self.right) / len(self.right) if self.right else 0.0

    @property
    def balanced(self) -> float:
        """Mean of the shares of right answers among liked and among disliked mentions."""
        shares = []
        for sign in ("+", "-"):
            right = [right for expected, right in zip(self.expected, self.right, strict=True) if expected == sign]
            if right:
                shares.append(sum(right) / len(right))
        return statistics.fmean(shares) if shares else 0.0


def read_cases(path: Path) -> list[Case]:
    """Cases of a JSON Lines file.

    Raises:
        MissingFileError: when the file is not there.
        DataError: when a line is not such a case.
    """
    if not path.is_file():
        raise MissingFileError(f"{path} is missing: name a file of cases, one JSON object a line.")
    cases = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            cases.append(_case(orjson.loads(line)))
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}, line {number}: expected {_EXPECTED} ({error}).") from error
    if not cases:
        raise DataError(f"{path} has no cases: expected one JSON object a line.")
    return cases


def _case(value: Mapping[str, Any]) -> Case:
    text, entities = value["text"], value["entities"]
    spans = tuple(Span(int(entity["start"]), int(entity["end"])) for entity in entities)
    if not isinstance(text, str) or any(not 0 <= span.start < span.end <= len(text) for span in spans):
        raise ValueError("a span lies outside the text")
    polarities = tuple(entity["polarity"] for entity in entities)
    if any(polarity not in ("+", "-", None) for polarity in polarities):
        raise ValueError('a polarity is "+", "-" or null')
    return Case(text, spans, polarities, str(value.get("category", "")))


def run(recognizer: SentimentRecognizer, cases: Sequence[Case]) -> list[Outcome]:
    """Asks for the polarities of every case."""
    outcomes = []
    recognizer.polarities(cases[0].text, cases[0].spans)
    for case in cases:
        start = time.perf_counter()
        given = recognizer.polarities(case.text, case.spans)
        outcomes.append(Outcome(case, given, (time.perf_counter() - start) * 1000))
    return outcomes


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The measures of `converse evaluate sentiment`."""
    total = Tally()
    by_category: defaultdict[str, Tally] = defaultdict(Tally)
    exact: list[bool] = []
    unstated: list[bool] = []
    for outcome in outcomes:
        signed = [(expected, given) for expected, given in outcome.pairs if expected is not None]
        for expected, given in signed:
            total.add(expected, given)
            by_category[outcome.case.category].add(expected, given)
        if signed:
            exact.append(all(expected == given for expected, given in signed))
        unstated += [given is None for expected, given in outcome.pairs if expected is None]
    return {
        "n": len(total.right),
        "accuracy": round(total.accuracy, 4),
        "balanced_accuracy": round(total.balanced, 4),
        "sentences_exact": round(statistics.fmean(exact), 4) if exact else 0.0,
        "by_category": {
            name: {"n": len(tally.right), "accuracy": round(tally.accuracy, 4)}
            for name, tally in sorted(by_category.items())
        },
        "confusion": _confusion(outcomes),
        "without_polarity": {"n": len(unstated), "none_given": sum(unstated)},
        "ms_median": round(statistics.median(outcome.elapsed for outcome in outcomes), 2),
    }


def _confusion(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    """How often each answer was given, by what readers see; "none" is no polarity."""
    counts = Counter(pair for outcome in outcomes for pair in outcome.pairs)
    names: dict[Polarity | None, str] = {"+": "+", "-": "-", None: "none"}
    return {names[expected]: {names[given]: counts[expected, given] for given in names} for expected in names}


def wrong(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The mentions whose polarity was missed, for reading."""
    return [
        {
            "text": outcome.case.text,
            "mention": outcome.case.text[span.start : span.end],
            "expected": expected,
            "given": given,
            "category": outcome.case.category,
        }
        for outcome in outcomes
        for span, (expected, given) in zip(outcome.case.spans, outcome.pairs, strict=True)
        if expected is not None and expected != given
    ]
