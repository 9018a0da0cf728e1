"""How the fault tests talk with the real bot, and read what it has kept."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import URL

from bot.channels.telegram.rendering import render
from bot.channels.wording import load_channel_wordings
from bot.clock import utc_now
from bot.storage import schema
from bot.storage.codec import reply_from
from bot.storage.store import SqlStore, open_store
from tests.telegram_rules import Message, parse_html
from tests.telegram_server import TelegramServer

APOLOGY = load_channel_wordings()["en"].says["failed"]
PATIENCE = 600.0


async def agree(server: TelegramServer, user: int) -> None:
    """Talks to the bot up to the welcome."""
    await server.say(user, "/start")
    (question,) = await server.answers(user, 1, PATIENCE)
    await server.press(user, question, "I agree")
    await server.answers(user, 2, PATIENCE)
    await server.idle(PATIENCE)


async def ask(server: TelegramServer, user: int, text: str) -> list[Message]:
    """What the bot answers to a message."""
    before = len(of_user(server, user))
    await server.say(user, text)
    await server.answers(user, before + 1, PATIENCE)
    await server.idle(PATIENCE)
    return of_user(server, user)[before:]


async def press(server: TelegramServer, user: int, message: Message, label: str) -> list[Message]:
    """What the bot answers to a button."""
    before = len(of_user(server, user))
    await server.press(user, message, label)
    await server.answers(user, before + 1, PATIENCE)
    await server.idle(PATIENCE)
    return of_user(server, user)[before:]


def of_user(server: TelegramServer, user: int) -> list[Message]:
    return [message for message in server.messages if message.chat == user]


async def kept(url: URL, user: int, *tables: str) -> list[list[dict[str, Any]]]:
    """The rows of a user in some tables, in order of writing."""
    async with open_store(url, utc_now) as store:
        return [await _rows(store, user, table) for table in tables]


async def _rows(store: SqlStore, user: int, name: str) -> list[dict[str, Any]]:
    table = schema.metadata.tables[name]
    owner = select(schema.users.c.id).where(schema.users.c.external_id == str(user)).scalar_subquery()
    order = table.c.id if "id" in table.c else table.c.position
    async with store.reading() as connection:
        rows = await connection.execute(select(table).where(table.c.user_id == owner).order_by(order))
        return [dict(row) for row in rows.mappings()]


async def expected_messages(url: URL, user: int) -> list[str]:
    """What a user must have got, in order: every message of every stored reply."""
    (updates,) = await kept(url, user, "updates")
    replies = [reply_from(row["reply"]) for row in updates]
    return [parse_html(part.text)[0] for reply in replies if reply.texts for part in render(reply)]


def first_missing(expected: list[str], arrived: list[str]) -> str | None:
    """The first expected message that did not arrive in its place; there may be more in between."""
    rest = iter(arrived)
    return next((text for text in expected if text not in rest), None)
