"""Recognisers that say what a test wants, for tests of what the dialogue makes of it."""

from dataclasses import dataclass

from data.model import Polarity
from nlu.model import IntentResult, Span


@dataclass(slots=True)
class SaidIntents:
    """An intent recogniser that a test tells what to answer."""

    coarse: str = "preference"

    async def recognize(self, text: str) -> IntentResult:
        return IntentResult(((self.coarse, 0.9), ("chitchat", 0.05)))


@dataclass(slots=True)
class SaidSentiment:
    """A sentiment recogniser that a test tells what to answer."""

    polarity: Polarity | None = "+"

    def polarities(self, text: str, targets: tuple[Span, ...]) -> tuple[Polarity | None, ...]:
        return (self.polarity,) * len(targets)

    def overall(self, text: str) -> Polarity | None:
        return self.polarity
