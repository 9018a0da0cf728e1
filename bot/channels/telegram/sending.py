"""Sends replies: each once, whatever dies in between."""

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any, Literal, Protocol

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, InputFile, LinkPreviewOptions
from telegram.constants import ParseMode
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

from bot.channels.base import Reply, Turn, UserKey
from bot.channels.telegram.reading import chat_of
from bot.channels.telegram.rendering import Keyboard, Part, render, without_picture
from bot.errors import StorageError
from bot.logs import UserHash
from recommender.sketch import Sketch

ATTEMPTS = 5
FIRST_PAUSE = 0.5
RENEW_SECONDS = 3.0
WAITS = 25
"""How often a reply looks whether the earlier ones are sent: about twenty seconds."""
NOTING_PAUSES = (0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds between tries to note what was sent; together less than a claim lasts."""
MOST_PICTURES = 5_000
MOST_AT_ONCE = 20

_log = logging.getLogger(__name__)


class Outbox(Protocol):
    """What the store keeps of replies; see `bot.storage.store.SqlStore`."""

    async def claim(self, turn: Turn) -> int | Literal["wait"] | None: ...
    async def mark_part(self, turn: Turn, parts: int) -> None: ...
    async def mark_sent(self, turn: Turn) -> None: ...
    async def release(self, turn: Turn) -> None: ...
    async def mark_blocked(self, user: UserKey, *, blocked: bool) -> None: ...
    async def my_data(self, user: UserKey) -> dict[str, Any]: ...
    def unsent(self, channel: str) -> AsyncIterator[tuple[Turn, Reply]]: ...


class Sender:
    """Sends the messages of a reply one by one, and notes each, so that another process can go on after a crash."""

    def __init__(self, bot: Bot, outbox: Outbox, hashed: UserHash) -> None:
        self._bot = bot
        self._outbox = outbox
        self._hashed = hashed
        self._pictures: OrderedDict[str, str] = OrderedDict()

    async def deliver(self, turn: Turn, reply: Reply, *, patient: bool = True) -> None:
        """Sends what is not sent yet of a reply, unless another process is at it.

        It comes after all earlier replies to the user; a patient sender waits for them, another leaves it for later.

        What cannot be sent now is left to be sent later; what can never be sent is logged.

        Raises:
            StorageError: the database cannot be used; the reply is sent later.
        """
        done = await self._claim(turn, patient=patient)
        if done is None:
            return
        try:
            async with self._claimed(turn, done) as progress:
                parts = render(reply)
                for number, part in enumerate(parts[done:], done + 1):
                    await self._send(turn, part)
                    if number < len(parts):
                        await progress(number)
        except Forbidden:
            _log.info("a user blocked the bot", extra={"user": self._hashed(turn.user)})
            await self._outbox.mark_blocked(turn.user, blocked=True)
        except BadRequest as error:
            _log.error("a reply cannot be sent: %s", error, extra={"user": self._hashed(turn.user)})
        except TelegramError as error:
            _log.warning("a reply is sent later: %s", type(error).__name__, extra={"user": self._hashed(turn.user)})
            await self._outbox.release(turn)
            return
        await _insist(lambda: self._outbox.mark_sent(turn))

    async def _claim(self, turn: Turn, *, patient: bool) -> int | None:
        """How many messages are sent already; None when the reply is not to be sent here and now."""
        pause = 0.02
        for _ in range(WAITS if patient else 1):
            done = await self._outbox.claim(turn)
            if done != "wait":
                return done
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1.0)
        return None

    async def recover(self, channel: str) -> None:
        """Sends what was committed but not sent: each user's in order, users in parallel. Raises StorageError."""
        waiting: dict[UserKey, list[tuple[Turn, Reply]]] = {}
        async for turn, reply in self._outbox.unsent(channel):
            waiting.setdefault(turn.user, []).append((turn, reply))
        places = asyncio.Semaphore(MOST_AT_ONCE)
        await asyncio.gather(*(self._deliver_all(unsent, places) for unsent in waiting.values()))

    async def _deliver_all(self, unsent: list[tuple[Turn, Reply]], places: asyncio.Semaphore) -> None:
        async with places:
            for turn, reply in unsent:
                await self.deliver(turn, reply, patient=False)

    @asynccontextmanager
    async def _claimed(self, turn: Turn, done: int) -> AsyncIterator[Any]:
        """Renews the claim while a reply is being sent, however long Telegram makes it wait."""
        sent = done

        async def progress(parts: int) -> None:
            nonlocal sent
            sent = parts
            await _insist(lambda: self._outbox.mark_part(turn, parts))

        async def renew() -> None:
            while True:
                await asyncio.sleep(RENEW_SECONDS)
                with suppress(StorageError):
                    await self._outbox.mark_part(turn, sent)

        renewing = asyncio.create_task(renew())
        try:
            yield progress
        finally:
            renewing.cancel()
            with suppress(asyncio.CancelledError):
                await renewing

    async def _send(self, turn: Turn, part: Part) -> None:
        """Sends one message; tries again when Telegram or the network fails for a moment."""
        pause = FIRST_PAUSE
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await self._send_once(turn, part)
            except (BadRequest, Forbidden, RetryAfter):
                raise
            except NetworkError:
                if attempt == ATTEMPTS:
                    raise
                await asyncio.sleep(pause)
                pause *= 2
            else:
                return

    async def _send_once(self, turn: Turn, part: Part) -> None:
        chat = chat_of(turn)
        if part.attachment:
            await self._send_data(turn.user)
        elif part.sketch:
            await self._send_drawing(chat, part.sketch)
        elif part.image:
            await self._send_picture(chat, part, part.image)
        else:
            await self._send_text(chat, part)

    async def _send_drawing(self, chat: int, sketch: Sketch) -> None:
        """Sends why an item is recommended as a picture; the texts say it too, so that it may fail."""
        content = await asyncio.to_thread(_drawn, sketch)
        try:
            await self._bot.send_photo(chat, InputFile(content, filename="why.png"))
        except BadRequest as error:
            _log.warning("a drawing cannot be sent: %s", error)

    async def _send_data(self, user: UserKey) -> None:
        """Sends what is stored of a user to themselves, even when they asked for it in a group."""
        data = json.dumps(await self._outbox.my_data(user), indent=2, ensure_ascii=False)
        await self._bot.send_document(int(user.external_id), InputFile(data.encode("utf-8"), filename="my_data.json"))

    async def _send_text(self, chat: int, part: Part) -> None:
        await self._bot.send_message(
            chat,
            part.text,
            parse_mode=ParseMode.HTML,
            reply_markup=_markup(part.keyboard),
            link_preview_options=LinkPreviewOptions(is_disabled=part.image is None),
        )

    async def _send_picture(self, chat: int, part: Part, image: str) -> None:
        """Sends a picture, by Telegram's own id when it has it already; as text when Telegram cannot fetch it."""
        try:
            message = await self._bot.send_photo(
                chat,
                self._pictures.get(image, image),
                caption=part.text or None,
                parse_mode=ParseMode.HTML,
                reply_markup=_markup(part.keyboard),
            )
        except BadRequest as error:
            _log.warning("a picture cannot be sent: %s", error)
            self._pictures.pop(image, None)
            await self._send_text(chat, without_picture(part))
            return
        self._pictures[image] = message.photo[-1].file_id
        while len(self._pictures) > MOST_PICTURES:
            self._pictures.popitem(last=False)


async def _insist(action: Callable[[], Awaitable[None]]) -> None:
    """Notes what was sent; waits for a database that is away for a moment, lest it be sent again.

    Raises:
        StorageError: it stays away.
    """
    for pause in NOTING_PAUSES:
        try:
            await action()
        except StorageError as error:
            _log.warning("what was sent is noted later: %s", error)
            await asyncio.sleep(pause)
        else:
            return
    await action()


@cache
def warm_up() -> None:
    """Draws something once, so that nobody waits for the drawing library to be loaded."""
    _drawn(Sketch("", ()))


def _drawn(sketch: Sketch) -> bytes:
    from recommender.plot import draw

    return draw(sketch, "png")


def _markup(keyboard: Keyboard) -> InlineKeyboardMarkup | None:
    if not keyboard:
        return None
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(option.label, callback_data=option.id) for option in row] for row in keyboard]
    )
