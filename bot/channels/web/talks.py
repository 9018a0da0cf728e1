"""Takes the turns of the web channel: limits, order, log, and the news for every page that is open."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from starlette.exceptions import HTTPException

from bot.channels.base import Turn, UserKey
from bot.channels.conversation import Conversation
from bot.channels.throttle import Throttle
from bot.dialogue.state import DialogueState
from bot.logs import UserHash, log_turn
from bot.metrics import Measured, Metrics
from bot.records import TurnResult
from bot.storage.transcript import Exchange, exchanges, last_number, state_of

CHANNEL = "web"
SAID, FORM = "said/", "form/"
"""With these begin the update ids of what is said in a chat, and of what is sent by a form between two chats."""

PEEP_SECONDS = 5.0
"""An open page looks for news this often even when nobody rang: another process may have answered."""

WAIT_SECONDS = 5
"""After this long whoever sent too much may try again."""

MOST_PAGES = 8
"""Open pages of one user that are told news."""

_log = logging.getLogger(__name__)


class Kept(Protocol):
    """What is needed of the store; see `bot.storage.store.SqlStore`."""

    def reading(self) -> Any: ...
    async def consented(self, user: UserKey) -> bool: ...
    async def erase(self, user: UserKey) -> bool: ...
    async def mark_sent(self, turn: Turn) -> None: ...
    async def my_data(self, user: UserKey) -> dict[str, Any]: ...


class TooManyError(HTTPException):
    """A visitor sends more, or has more pages open, than is allowed."""

    def __init__(self) -> None:
        super().__init__(429, headers={"Retry-After": str(WAIT_SECONDS)})


class Talks:
    """What is said, and who is told."""

    def __init__(self, store: Kept, throttle: Throttle, hashed: UserHash, metrics: Metrics) -> None:
        """Takes where turns are kept, how much one user may send, what stands for users in the log, and figures."""
        self.store = store
        self._throttle = throttle
        self._hashed = hashed
        self._metrics = metrics
        self._open: dict[UserKey, set[asyncio.Event]] = {}
        self._closing = False

    async def take(self, conversation: Conversation, *turns: Turn) -> TurnResult:
        """Answers what a visitor sent, one turn or all those of a form, and tells every open page of theirs.

        Returns:
            The result of the last turn.

        Raises:
            TooManyError: the user sends too much.
            StorageError: a turn cannot be kept; nothing of it is, nor of those after it.
        """
        if not self._throttle.admits(turns[0].user):
            raise TooManyError
        for turn in turns:
            result = await self._answer(conversation, turn)
        self.ring(turns[0].user)
        return result

    async def _answer(self, conversation: Conversation, turn: Turn) -> TurnResult:
        started = time.perf_counter()
        result = await Measured(conversation, self._metrics).handle(turn)
        await self.store.mark_sent(turn)
        log_turn(_log, turn, result, time.perf_counter() - started, self._hashed)
        return result

    def ring(self, user: UserKey) -> None:
        """Tells the open pages of a user that there is news."""
        for bell in self._open.get(user, ()):
            bell.set()

    def close(self) -> None:
        """Ends what open pages wait for, so that the server can stop; they come back by themselves."""
        self._closing = True
        for user in tuple(self._open):
            self.ring(user)

    async def said(self, user: UserKey, *, before: int | None = None, most: int = 50) -> Sequence[Exchange]:
        """The latest exchanges of the present conversation, oldest first. Raises StorageError."""
        async with self.store.reading() as connection:
            begun = await last_number(connection, user, FORM)
            return await exchanges(connection, user, prefix=SAID, after=begun, before=before, most=most)

    async def one(self, turn: Turn) -> Exchange | None:
        """The exchange of a turn; None when nothing of it was kept."""
        async with self.store.reading() as connection:
            found = await exchanges(connection, turn.user, prefix=turn.update_id, most=1)
            return found[0] if found else None

    async def state(self, user: UserKey) -> DialogueState | None:
        """Where the user's conversation stands. Raises StorageError."""
        async with self.store.reading() as connection:
            return await state_of(connection, user)

    async def news(self, user: UserKey, after: int) -> AsyncIterator[Sequence[Exchange]]:
        """New exchanges as they come; nothing in between says that the page is still heard.

        Args:
            user: whose.
            after: number of the last exchange that the page knows.

        Raises:
            TooManyError: the user has too many pages open.
            StorageError: the database cannot be used.
        """
        async with self._listening(user) as bell:
            while not self._closing:
                bell.clear()
                async with self.store.reading() as connection:
                    found = await exchanges(connection, user, prefix=SAID, after=after)
                after = found[-1].number if found else after
                yield found
                with suppress(TimeoutError):
                    await asyncio.wait_for(bell.wait(), PEEP_SECONDS)

    def admit(self, user: UserKey) -> None:
        """Raises TooManyError when the user has too many pages open."""
        if len(self._open.get(user, ())) >= MOST_PAGES:
            raise TooManyError

    @asynccontextmanager
    async def _listening(self, user: UserKey) -> AsyncIterator[asyncio.Event]:
        self.admit(user)
        bell = asyncio.Event()
        self._open.setdefault(user, set()).add(bell)
        try:
            yield bell
        finally:
            self._open[user].discard(bell)
            if not self._open[user]:
                del self._open[user]
