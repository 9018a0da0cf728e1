"""The seam between channels and what answers them."""

from typing import Protocol

from bot.channels.base import Turn
from bot.records import TurnResult


class Conversation(Protocol):
    """What answers a turn: the dialogue manager, or something that stands before it."""

    async def handle(self, turn: Turn) -> TurnResult:
        """Raises StorageError when the turn cannot be kept."""
        ...
