"""What happens with each Telegram update: read, answered in order of its user, sent."""

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, Protocol

from telegram import Bot, BotCommand, Update
from telegram.constants import ChatAction
from telegram.error import TelegramError

from bot.channels.base import Reply, Turn, UserKey
from bot.channels.conversation import Conversation
from bot.channels.telegram.polling import FINISHING_SECONDS
from bot.channels.telegram.reading import CHANNEL, Incoming, Membership, read_update
from bot.channels.telegram.sending import Sender
from bot.channels.throttle import Throttle
from bot.channels.wording import FALLBACK, ChannelWording, wording_in
from bot.errors import StorageError
from bot.logs import UserHash, log_turn
from bot.storage.locks import UserLocks
from data.domains import DomainConfig

SWEEP_SECONDS = 5.0
TYPING_AFTER = 0.4
"""Seconds after which somebody who waits is shown that an answer is being written; most answers are there by then."""
CROWDED = 50
"""Turns in hand above which nobody is told that an answer is being written: it would only put it off."""
TYPING_LASTS = 4.5
"""Seconds after which Telegram is told again; it shows it for five."""

_log = logging.getLogger(__name__)


class Blocklist(Protocol):
    """Where it is noted who blocked the bot."""

    async def mark_blocked(self, user: UserKey, *, blocked: bool) -> None: ...


class TelegramService:
    """Takes updates one by one, from wherever they come; users in parallel, each user's in order."""

    def __init__(
        self,
        bot: Bot,
        conversation: Conversation,
        sender: Sender,
        blocklist: Blocklist,
        wordings: Mapping[str, ChannelWording],
        *,
        messages_per_minute: int,
        hashed: UserHash,
        clock: Callable[[], datetime],
    ) -> None:
        """Takes the parts; `messages_per_minute` is what one user may send."""
        self._bot = bot
        self._conversation = conversation
        self._sender = sender
        self._blocklist = blocklist
        self._wordings = wordings
        self._hashed = hashed
        self._clock = clock
        self._users = UserLocks()
        self._busy: set[asyncio.Task[Any]] = set()
        self._throttle = Throttle(messages_per_minute)

    async def accept(self, update: Update) -> None:
        """Does everything that an update asks for; what fails is logged and answered with an apology."""
        task = asyncio.current_task()
        if task is not None:
            self._busy.add(task)
            task.add_done_callback(self._busy.discard)
        try:
            read = read_update(update, self._bot.bot, self._clock)
            if isinstance(read, Incoming):
                await self._take(read)
            elif isinstance(read, Membership):
                await self._blocklist.mark_blocked(read.user, blocked=read.blocked)
        except Exception:  # one broken update must not end the bot
            _log.exception("an update failed", extra={"update": update.update_id})

    async def _take(self, incoming: Incoming) -> None:
        """Answers in order of the user's messages, unless there are too many of them."""
        user = incoming.turn.user
        if self._throttle.admits(user):
            async with self._users.hold(user):
                await self._answer(incoming)
        elif self._throttle.should_warn(user):
            await self._say(incoming, "slow_down")

    async def _answer(self, incoming: Incoming) -> None:
        turn = incoming.turn
        try:
            await self._acknowledge(incoming)
            started = time.perf_counter()
            async with self._typing(incoming.chat):
                result = await self._conversation.handle(turn)
            log_turn(_log, turn, result, time.perf_counter() - started, self._hashed)
        except Exception:  # the user is told, whatever it was
            _log.exception("a turn failed", extra={"user": self._hashed(turn.user)})
            await self._say(incoming, "failed")
            return
        await self._deliver(turn, result.reply)

    async def _deliver(self, turn: Turn, reply: Reply) -> None:
        """Sends what is kept by now; what fails is no reason for an apology, since the sweep sends it."""
        try:
            await self._sender.deliver(turn, reply)
        except StorageError as error:
            _log.warning("a reply is sent later: %s", error, extra={"user": self._hashed(turn.user)})

    async def _acknowledge(self, incoming: Incoming) -> None:
        """Lets Telegram know that a button was pressed; too late for old ones, which does no harm."""
        if incoming.query is not None:
            with suppress(TelegramError):
                await self._bot.answer_callback_query(incoming.query)

    @asynccontextmanager
    async def _typing(self, chat: int) -> AsyncIterator[None]:
        """Shows that an answer is being written while it takes long."""
        showing = asyncio.create_task(self._show_typing(chat))
        try:
            yield
        finally:
            showing.cancel()

    async def _show_typing(self, chat: int) -> None:
        await asyncio.sleep(TYPING_AFTER)
        if len(self._busy) > CROWDED:
            return
        with suppress(TelegramError):
            while True:
                await self._bot.send_chat_action(chat, ChatAction.TYPING)
                await asyncio.sleep(TYPING_LASTS)

    async def _say(self, incoming: Incoming, key: str) -> None:
        """Says something that is not part of the conversation and is not kept."""
        wording = wording_in(incoming.turn.language, self._wordings)
        with suppress(TelegramError):
            await self._bot.send_message(incoming.chat, wording.says[key])

    async def finish(self) -> None:
        """Waits until every update in hand is done, but not for ever."""
        if self._busy:
            await asyncio.wait(self._busy, timeout=FINISHING_SECONDS)

    async def sweep(self, stop: asyncio.Event) -> None:
        """Sends, until told to stop, what was committed but not sent by a process that died."""
        while not stop.is_set():
            try:
                await self._sender.recover(CHANNEL)
            except StorageError as error:
                _log.error("%s", error)
            except Exception:  # one broken reply must not end the sending of others
                _log.exception("what was not sent could not be sent")
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), SWEEP_SECONDS)

    async def publish_commands(self, domains: Iterable[DomainConfig]) -> None:
        """Tells Telegram the menu of commands in each language. Raises TelegramError."""
        for language, wording in sorted(self._wordings.items()):
            commands = list(_menu(language, wording, tuple(domains)))
            await self._bot.set_my_commands(commands, language_code=None if language == FALLBACK else language)


def _menu(language: str, wording: ChannelWording, domains: Sequence[DomainConfig]) -> Iterator[BotCommand]:
    """The commands in one language, with one for each domain ("/movies")."""
    for name, text in wording.commands.items():
        if name != "domain":
            yield BotCommand(name, text)
            continue
        for domain in domains:
            label = domain.label(FALLBACK).casefold()
            command = label if re.fullmatch(r"[a-z0-9_]{1,32}", label) else domain.name
            yield BotCommand(command, text.format(domain=domain.label(language)))
