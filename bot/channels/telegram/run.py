"""Runs the Telegram channel: makes its parts, fetches or takes updates until told to stop."""

import asyncio
import hashlib
import hmac
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from urllib.parse import urlsplit

from telegram.error import InvalidToken, TelegramError
from telegram.ext import ExtBot

from bot.channels.conversation import Conversation
from bot.channels.telegram.pace import ChatRateLimiter
from bot.channels.telegram.polling import ALLOWED, FINISHING_SECONDS, UNKNOWN_TOKEN, Poller
from bot.channels.telegram.request import PooledRequest
from bot.channels.telegram.sending import Outbox, Sender, warm_up
from bot.channels.telegram.server import Route, serving, webhook_route
from bot.channels.telegram.service import TelegramService
from bot.channels.wording import load_channel_wordings
from bot.config import Settings
from bot.errors import BackendError, ConfigError
from bot.logs import UserHash
from data.domains import load_domains

TELEGRAM = "https://api.telegram.org"
PER_SECOND = 30
"""What Telegram takes of a bot in all, unless it pays for more (https://core.telegram.org/bots/faq)."""
CONNECTIONS = 64
SECONDS = 20.0
_log = logging.getLogger(__name__)

Notify = Callable[[str], None]


def token_of(settings: Settings) -> str:
    """The bot's token. Raises ConfigError when there is none."""
    if settings.telegram_bot_token is None:
        raise ConfigError("no Telegram token: get one from @BotFather and set TELEGRAM_BOT_TOKEN")
    return settings.telegram_bot_token.get_secret_value()


async def run_telegram(
    settings: Settings,
    conversation: Conversation,
    outbox: Outbox,
    *,
    routes: list[Route],
    clock: Callable[[], datetime],
    notify: Notify,
    stop: asyncio.Event,
) -> None:
    """Answers on Telegram until told to stop.

    Args:
        settings: with the token, and how to get updates.
        conversation: what answers.
        outbox: where replies wait to be sent.
        routes: what the bot's web server offers beside webhooks.
        clock: gives the present moment, with time zone.
        notify: told when the bot is ready, for the operator.
        stop: set to end; what is in hand is finished.

    Raises:
        ConfigError: there is no token, or Telegram does not know it.
        BackendError: Telegram cannot be reached at the start, or another program polls with the same token.
        StorageError: the database cannot be used.
    """
    token = token_of(settings)
    os.environ.setdefault("PTB_TIMEDELTA", "1")  # the library's coming form of durations, and no warnings of the old
    async with AsyncExitStack() as stack:
        bot = await stack.enter_async_context(_connected(settings, token))
        service = _service(settings, bot, conversation, outbox, clock)
        await service.publish_commands(load_domains().values())
        await asyncio.to_thread(warm_up)
        stack.push_async_callback(_ended, asyncio.create_task(service.sweep(stop)), stop)
        if settings.webhook_url:
            await _take_webhooks(settings, bot, service, routes, notify, stop)
            return
        if settings.health_port is not None:
            await stack.enter_async_context(serving(routes, settings.webhook_host, settings.health_port))
        notify(f"@{bot.username} answers on Telegram")
        await Poller(bot, service.accept).run(stop)


def _service(
    settings: Settings, bot: ExtBot[None], conversation: Conversation, outbox: Outbox, clock: Callable[[], datetime]
) -> TelegramService:
    hashed = UserHash(bot.token.encode())
    return TelegramService(
        bot,
        conversation,
        Sender(bot, outbox, hashed),
        outbox,
        load_channel_wordings(),
        messages_per_minute=settings.messages_per_minute,
        hashed=hashed,
        clock=clock,
    )


@asynccontextmanager
async def _connected(settings: Settings, token: str) -> AsyncIterator[ExtBot[None]]:
    address = (settings.telegram_base_url or TELEGRAM).rstrip("/")
    try:
        bot = ExtBot(
            token,
            base_url=f"{address}/bot",
            base_file_url=f"{address}/file/bot",
            request=PooledRequest(CONNECTIONS, SECONDS),
            get_updates_request=PooledRequest(1, SECONDS),
            rate_limiter=ChatRateLimiter(messages_per_second(settings)),
        )
    except InvalidToken as error:
        raise ConfigError(UNKNOWN_TOKEN) from error
    try:
        await _introduce(bot, address)
        yield bot
    finally:
        await bot.shutdown()


def messages_per_second(settings: Settings) -> int | None:
    """How many messages to send in all: what was set, else Telegram's limit; other servers say when to wait."""
    default = None if settings.telegram_base_url else PER_SECOND
    return settings.telegram_messages_per_second or default


async def _introduce(bot: ExtBot[None], address: str) -> None:
    """Learns the bot's own name."""
    try:
        await bot.initialize()
    except InvalidToken as error:
        raise ConfigError(UNKNOWN_TOKEN) from error
    except TelegramError as error:
        raise BackendError(f"Telegram cannot be reached at {address} ({error}): check the network") from error


def webhook_secret(settings: Settings, token: str) -> str:
    """The secret of webhook calls: the one that was set, or one that all workers with the same token share."""
    if settings.webhook_secret is not None:
        return settings.webhook_secret.get_secret_value()
    return hmac.new(token.encode(), b"webhook", hashlib.sha256).hexdigest()


async def _take_webhooks(
    settings: Settings,
    bot: ExtBot[None],
    service: TelegramService,
    routes: list[Route],
    notify: Notify,
    stop: asyncio.Event,
) -> None:
    secret = webhook_secret(settings, bot.token)
    route = webhook_route(urlsplit(settings.webhook_url or "").path, bot, service.accept, secret)
    async with serving([route, *routes], settings.webhook_host, settings.webhook_port) as port:
        await bot.set_webhook(
            settings.webhook_url or "", secret_token=secret, allowed_updates=ALLOWED, max_connections=100
        )
        notify(f"@{bot.username} answers on Telegram; webhooks arrive on {settings.webhook_host} port {port}")
        await stop.wait()
        await service.finish()


async def _ended(task: "asyncio.Task[None]", stop: asyncio.Event) -> None:
    """Lets a task that heeds `stop` finish what it has begun."""
    stop.set()
    await asyncio.wait({task}, timeout=FINISHING_SECONDS)
    task.cancel()
