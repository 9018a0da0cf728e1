"""What a Telegram update says, as a turn of a user in a chat; None for what is not meant for the bot."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from telegram import CallbackQuery, InlineKeyboardMarkup, Message, MessageEntity, Update, User
from telegram.constants import ChatMemberStatus, ChatType

from bot.channels.base import Turn, UserKey

CHANNEL = "telegram"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A turn with where to answer it.

    Attributes:
        chat: id of the chat.
        query: id of a pressed button's query, to be answered first.
    """

    turn: Turn
    chat: int
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Membership:
    """A user blocked the bot, or came back."""

    user: UserKey
    blocked: bool


def read_update(update: Update, me: User, clock: Callable[[], datetime]) -> Incoming | Membership | None:
    """Reads one update.

    Args:
        update: as Telegram sent it.
        me: the bot's own account.
        clock: gives the present moment, with time zone.

    Returns:
        What it says; None when it is not meant for the bot.
    """
    if update.callback_query:
        return _pressed(update, update.callback_query, clock())
    if member := update.my_chat_member:
        if member.chat.type != ChatType.PRIVATE:
            return None
        blocked = member.new_chat_member.status == ChatMemberStatus.BANNED
        return Membership(UserKey(CHANNEL, str(member.from_user.id)), blocked)
    message = update.message or update.edited_message
    return _written(update, message, me, clock()) if message else None


def chat_of(turn: Turn) -> int:
    """The chat that a turn is answered in: a group's id stands in the update id, a private chat's is the user's."""
    _, _, group = turn.update_id.partition("@")
    return int(group or turn.user.external_id)


def _pressed(update: Update, query: CallbackQuery, now: datetime) -> Incoming | None:
    chat = query.message.chat if query.message else None
    if query.data is None or chat is None:
        return None
    is_private = chat.type == ChatType.PRIVATE
    turn = Turn(
        user=UserKey(CHANNEL, str(query.from_user.id)),
        update_id=_update_id(update, None if is_private else chat.id),
        kind="option",
        text=_label(query),
        received_at=now,
        option=query.data,
        language=_language(query.from_user),
    )
    return Incoming(turn, chat.id, query.id)


def _label(query: CallbackQuery) -> str:
    """What stood on the pressed button; nothing when the message is too old for Telegram to know."""
    markup = query.message.reply_markup if isinstance(query.message, Message) else None
    rows = markup.inline_keyboard if isinstance(markup, InlineKeyboardMarkup) else ()
    return next((button.text for row in rows for button in row if button.callback_data == query.data), "")


def _written(update: Update, message: Message, me: User, now: datetime) -> Incoming | None:
    sender = message.from_user
    if sender is None or sender.is_bot:
        return None
    text = message.text if message.text is not None else message.caption
    is_private = message.chat.type == ChatType.PRIVATE
    if not is_private:
        if text is None or not _is_addressed(message, me):
            return None
        text = _without_name(text, me)
    if text is None and message.effective_attachment is None:
        return None
    if text is not None:
        text = _plain_command(text, me)
        if text is None:
            return None
    turn = Turn(
        user=UserKey(CHANNEL, str(sender.id)),
        update_id=_update_id(update, None if is_private else message.chat.id),
        kind="media" if text is None else "text",
        text=text or "",
        received_at=now,
        language=_language(sender),
    )
    return Incoming(turn, message.chat.id)


def _is_addressed(message: Message, me: User) -> bool:
    """In a group: a command, an answer to one of the bot's messages, or one that names the bot."""
    replied = message.reply_to_message
    if replied is not None and replied.from_user is not None and replied.from_user.id == me.id:
        return True
    kinds: list[str | None] = [MessageEntity.BOT_COMMAND, MessageEntity.MENTION]
    named = message.parse_entities(kinds) if message.text else message.parse_caption_entities(kinds)
    return any(
        entity.type == MessageEntity.BOT_COMMAND or part.casefold() == me.name.casefold()
        for entity, part in named.items()
    )


def _without_name(text: str, me: User) -> str:
    return re.sub(rf"(?<!\S){re.escape(me.name)}\b[,:]?\s*", "", text, flags=re.IGNORECASE).strip()


def _plain_command(text: str, me: User) -> str | None:
    """`/help@our_bot` as `/help`; None for a command to another bot."""
    match = re.match(r"(/\w+)@(\w+)", text)
    if match is None:
        return text
    return match[1] + text[match.end() :] if f"@{match[2]}".casefold() == me.name.casefold() else None


def _update_id(update: Update, group: int | None) -> str:
    return str(update.update_id) if group is None else f"{update.update_id}@{group}"


def _language(user: User) -> str | None:
    return user.language_code[:2].lower() if user.language_code else None
