"""The seam between the dialogue manager and the database."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from bot.channels.base import Reply, Turn
from bot.dialogue.state import DialogueState, Profile
from bot.records import Record
from data.model import Entity


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one turn leaves behind; written in one transaction.

    Attributes:
        records: usually one; none for what must not be stored (before consent).
        learned: entities found by a lookup, kept across restarts.
        forget: erase everything of this user instead of storing.
        consent: the user has just agreed (True) or withdrawn (False); None leaves it as it is.
        also: writes more in the same transaction; given the connection and the user's id.
    """

    state: DialogueState
    profile: Profile
    reply: Reply
    records: tuple[Record, ...] = ()
    learned: tuple[Entity, ...] = ()
    forget: bool = False
    consent: bool | None = None
    also: Callable[[Any, int], Awaitable[None]] | None = None


class OpenTurn(Protocol):
    """A turn in hand: the user's row is locked until the context ends; leaving it without `save` changes nothing."""

    user_id: int
    consented: bool
    state: DialogueState | None
    """None for a user never seen before."""
    profile: Profile
    repeated: Reply | None
    """The stored reply when this update was answered before; the turn then has nothing more to do."""

    async def save(self, outcome: Outcome) -> None:
        """Writes the outcome and commits. Raises StorageError."""
        ...


class Store(Protocol):
    """What the dialogue manager needs of the database; channels say themselves what they need beyond."""

    def open_turn(self, turn: Turn) -> AbstractAsyncContextManager[OpenTurn]: ...
