"""Long polling that acknowledges an update only when it has been dealt with, so that no crash loses one."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from telegram import Bot, Update
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.channels.telegram.pace import seconds_to_wait
from bot.errors import BackendError, ConfigError

ALLOWED = ["message", "edited_message", "callback_query", "my_chat_member"]
LONGEST_WAIT = 30
MOST_UPDATES = 100
BUSY_PAUSE = 0.05
LONGEST_PAUSE = 30.0
CONFLICTS = 3
FINISHING_SECONDS = 20.0
UNKNOWN_TOKEN = "Telegram does not know the token: check TELEGRAM_BOT_TOKEN (from @BotFather)"  # noqa: S105

_log = logging.getLogger(__name__)

Accept = Callable[[Update], Awaitable[None]]


class Poller:
    """Fetches updates, starts to deal with each at once, and confirms them in order as they are done."""

    def __init__(self, bot: Bot, accept: Accept) -> None:
        self._bot = bot
        self._accept = accept
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._done: set[int] = set()
        self._offset = 0
        self._conflicts = 0
        self._pause = 0.5

    async def run(self, stop: asyncio.Event) -> None:
        """Polls until told to stop, then finishes what is in hand.

        Raises:
            BackendError: another program polls with the same token.
            ConfigError: Telegram does not know the token.
        """
        await self._bot.delete_webhook()
        stopping = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                fetching = asyncio.create_task(self._fetch())
                await asyncio.wait({fetching, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if not fetching.done():
                    fetching.cancel()
                    await asyncio.wait({fetching})
                    break
                await self._start(fetching.result())
        finally:
            stopping.cancel()
            await self._finish()

    async def _fetch(self) -> tuple[Update, ...]:
        """The next updates; none when Telegram cannot be reached now."""
        try:
            updates = await self._bot.get_updates(
                offset=self._offset,
                limit=MOST_UPDATES,
                timeout=0 if self._tasks else LONGEST_WAIT,
                allowed_updates=ALLOWED,
            )
        except Conflict as error:
            await self._on_conflict(error)
        except InvalidToken as error:
            raise ConfigError(UNKNOWN_TOKEN) from error
        except RetryAfter as error:
            await asyncio.sleep(seconds_to_wait(error))
        except NetworkError as error:
            _log.warning("Telegram cannot be reached (%s); trying again", type(error).__name__)
            await asyncio.sleep(self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        else:
            self._conflicts, self._pause = 0, 0.5
            return updates
        return ()

    async def _on_conflict(self, error: Conflict) -> None:
        """Waits a moment for another poller that is just ending; gives up when it stays."""
        self._conflicts += 1
        if self._conflicts >= CONFLICTS:
            raise BackendError(
                "another program receives this bot's messages (Telegram: 409 Conflict): end it, or use another token"
            ) from error
        await asyncio.sleep(1.0)

    async def _start(self, updates: tuple[Update, ...]) -> None:
        """Starts on what is new; when nothing is, and something is in hand, waits a moment for it."""
        new = [one for one in updates if one.update_id not in self._tasks and one.update_id not in self._done]
        for update in new:
            self._tasks[update.update_id] = asyncio.create_task(self._deal(update))
        if self._tasks and not new:
            await asyncio.wait(self._tasks.values(), timeout=BUSY_PAUSE, return_when=asyncio.FIRST_COMPLETED)
        self._confirm()

    async def _deal(self, update: Update) -> None:
        try:
            await self._accept(update)
        finally:
            self._done.add(update.update_id)

    def _confirm(self) -> None:
        """Moves the offset over everything that is done, up to the first update that is not."""
        for number in [number for number, task in self._tasks.items() if task.done()]:
            del self._tasks[number]
        unfinished = min(self._tasks, default=None)
        finished = [number for number in self._done if unfinished is None or number < unfinished]
        self._offset = max([self._offset, *(number + 1 for number in finished)])
        self._done.difference_update(finished)

    async def _finish(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=FINISHING_SECONDS)
        self._confirm()
        try:
            await self._bot.get_updates(offset=self._offset, limit=1, timeout=0, allowed_updates=ALLOWED)
        except TelegramError as error:
            _log.info("the last updates were not confirmed (%s); they are known when they come again", error)
