"""Splits of an export by user: nobody's messages are in two parts."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.errors import UsageError

PARTS = ("train", "valid", "test")


@dataclass(frozen=True, slots=True)
class Splits:
    """Shares of the users, in percent, for training, validation and test.

    Attributes:
        seed: of the draw; the same users and seed give the same parts.
    """

    shares: tuple[int, int, int]
    seed: int = 1

    @classmethod
    def parsed(cls, text: str, seed: int) -> "Splits":
        """From a text such as "80/10/10".

        Raises:
            UsageError: it is no three shares that make 100.
        """
        shares = tuple(int(part) for part in text.split("/") if part.isdecimal() and part.isascii())
        if len(shares) != len(PARTS) or len(text.split("/")) != len(PARTS) or sum(shares) != 100:
            raise UsageError(f"--splits {text}: give three shares of the users that make 100, such as 80/10/10")
        return cls((shares[0], shares[1], shares[2]), seed)

    def assign(self, users: Iterable[int]) -> Mapping[str, frozenset[int]]:
        """Draws the users of each part; sizes differ from the shares by less than one user.

        Args:
            users: their ids, in any order.
        """
        drawn = sorted(set(users))
        random.Random(self.seed).shuffle(drawn)
        first, second = (round(len(drawn) * sum(self.shares[:end]) / 100) for end in (1, 2))
        bounds = ((0, first), (first, second), (second, len(drawn)))
        return {name: frozenset(drawn[start:end]) for name, (start, end) in zip(PARTS, bounds, strict=True)}
