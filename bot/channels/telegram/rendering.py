"""A reply as Telegram messages, within Telegram's limits (https://core.telegram.org/bots/api)."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.channels.base import Link, Option, Reply
from recommender.sketch import Sketch

LONGEST_TEXT = 4096
LONGEST_CAPTION = 1024
LONGEST_DATA = 64
MOST_BUTTONS = 100
ROW_WIDTH = 36
ROW_LENGTH = 3

Keyboard = tuple[tuple[Option, ...], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One message to send.

    Attributes:
        text: HTML; the caption of a picture. Empty for a picture without caption or a file.
        image: address of the picture.
        keyboard: rows of buttons.
        attachment: what file goes along.
        sketch: a drawing to make and send.
    """

    text: str = ""
    image: str | None = None
    keyboard: Keyboard = ()
    attachment: str | None = None
    sketch: Sketch | None = None


def render(reply: Reply) -> tuple[Part, ...]:
    """The messages of a reply, in order; the last text carries the picture, the links and the buttons.

    Args:
        reply: what the bot answers.

    Returns:
        At least one part. The same reply always gives the same parts, so that sending can go on after a crash.
    """
    *before, last = reply.texts or ("",)
    parts = [Part(sketch=reply.sketch)] if reply.sketch else []
    parts += [Part(chunk) for text in before for chunk in _pieces(text, (), LONGEST_TEXT)]
    caption = _pieces(last, reply.links, LONGEST_CAPTION)
    if reply.image and len(caption) <= 1:
        parts.append(Part("".join(caption), reply.image))
    else:
        if reply.image:
            parts.append(Part("", reply.image))
        parts += [Part(chunk) for chunk in _pieces(last, reply.links, LONGEST_TEXT)]
    if reply.options and parts:
        parts[-1] = replace(parts[-1], keyboard=_keyboard(reply.options))
    if reply.attachment:
        parts.append(Part(attachment=reply.attachment))
    return tuple(parts)


def without_picture(part: Part) -> Part:
    """The same message as text, with the address of the picture that could not be sent."""
    return replace(part, image=None, text=f"{part.text}\n{escape(part.image or '')}".strip())


def escape(text: str) -> str:
    """Text as HTML that shows exactly this text: the one place where text meets markup."""
    return html.escape(text, quote=True)


def _pieces(text: str, links: Sequence[Link], longest: int) -> list[str]:
    """The text in HTML, cut to pieces that are short enough; the links stand below the last one."""
    pieces = [escape(piece) for piece in split(text, longest) if piece.strip()]
    width = length(text) if len(pieces) == 1 else longest
    for link in links:
        shown = f'<a href="{escape(link.url)}">{escape(link.label)}</a>' if link.is_web else escape(link.label)
        width += 1 + length(link.label)
        if pieces and width <= longest:
            pieces[-1] += f"\n{shown}"
        else:
            pieces.append(shown)
            width = length(link.label)
    return pieces


def length(text: str) -> int:
    """Length as Telegram counts it: in UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def split(text: str, longest: int) -> list[str]:
    """Cuts a text on line boundaries; a line that is too long, between words; a word that is too long, anywhere.

    Args:
        text: what to cut.
        longest: most UTF-16 code units in a piece.

    Returns:
        The pieces in order.
    """
    pieces: list[str] = []
    for line in text.split("\n"):
        fitted = f"{pieces[-1]}\n{line}" if pieces else line
        if pieces and length(fitted) <= longest:
            pieces[-1] = fitted
        else:
            pieces += _cut_line(line, longest)
    return pieces


def _cut_line(line: str, longest: int) -> Iterator[str]:
    while length(line) > longest:
        end = _fitting(line, longest)
        space = line.rfind(" ", 0, end)
        cut = space if space > 0 else end
        yield line[:cut]
        line = line[cut:].lstrip(" ")
    yield line


def _fitting(line: str, longest: int) -> int:
    """How many characters of the line fit."""
    used = 0
    for index, character in enumerate(line):
        used += length(character)
        if used > longest:
            return index
    return len(line)


def _keyboard(options: Sequence[Option]) -> Keyboard:
    """Rows of buttons: short labels share a row."""
    rows: list[list[Option]] = []
    width = ROW_WIDTH + 1
    for option in options[:MOST_BUTTONS]:
        data = len(option.id.encode("utf-8"))
        if not 1 <= data <= LONGEST_DATA:
            raise ValueError(f"option id {option.id!r} has {data} bytes; Telegram takes 1 to {LONGEST_DATA}")
        width += length(option.label)
        if width <= ROW_WIDTH and len(rows[-1]) < ROW_LENGTH:
            rows[-1].append(option)
        else:
            rows.append([option])
            width = length(option.label)
    return tuple(tuple(row) for row in rows)
