"""Chat in a terminal, or with a script: lines in, rich text or JSON out."""

import asyncio
import hashlib
import json
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol, TextIO

from rich.console import Console
from rich.text import Text

from bot.channels.base import Option, Reply, Turn, UserKey
from bot.channels.conversation import Conversation
from bot.records import TurnResult

CHANNEL = "console"
_CHUNK = 65536


class Sent(Protocol):
    """Where it is noted that a reply was shown; see `bot.storage.store.SqlStore`."""

    async def mark_sent(self, turn: Turn) -> None: ...


class Screen(Protocol):
    """Where replies go."""

    def show(self, line: str, result: TurnResult, elapsed_ms: float) -> None:
        """Shows what a line of the user was answered with."""
        ...


async def chat(
    conversation: Conversation,
    sent: Sent,
    lines: AsyncIterator[str],
    screen: Screen,
    user: UserKey,
    *,
    session: str,
    clock: Callable[[], datetime],
) -> None:
    """Talks until the lines end.

    Args:
        conversation: what answers.
        sent: where it is noted that a reply was shown.
        lines: the user's messages.
        screen: where the replies go.
        user: who writes.
        session: tells the updates of this run from those of others.
        clock: gives the present moment, with time zone.

    Raises:
        StorageError: a turn cannot be kept.
    """
    options: tuple[Option, ...] = ()
    number = 0
    async for line in lines:
        number += 1
        started = perf_counter()
        turn = _turn(line, options, user, f"{session}:{number}", clock())
        result = await conversation.handle(turn)
        screen.show(line, result, 1000 * (perf_counter() - started))
        await sent.mark_sent(turn)
        options = result.reply.options


def _turn(line: str, options: tuple[Option, ...], user: UserKey, update_id: str, now: datetime) -> Turn:
    """The turn of a line: a pressed option when it is the number or the label of one on offer."""
    option = find_option(line, options)
    if option is None:
        return Turn(user, update_id, "text", line, now)
    return Turn(user, update_id, "option", line, now, option.id)


def find_option(line: str, options: tuple[Option, ...]) -> Option | None:
    """The option that a line names by its number (from 1) or its label."""
    wanted = line.strip().casefold()
    for number, option in enumerate(options, 1):
        if wanted in {str(number), option.label.casefold()}:
            return option
    return None


class RichScreen:
    """Replies as coloured text with numbered options."""

    def __init__(self, console: Console, *, echo: bool) -> None:
        """Takes where to write, and whether to repeat the user's lines (they are not on the screen when piped)."""
        self._console = console
        self._echo = echo

    def show(self, line: str, result: TurnResult, _elapsed_ms: float) -> None:
        """Shows the user's line, if wanted, and the reply."""
        if self._echo:
            self._console.print(Text(f"> {line}", style="bold"), soft_wrap=True)
        self.say(result.reply)

    def say(self, reply: Reply) -> None:
        """Shows a reply."""
        for text in reply.texts:
            self._console.print(Text(text), soft_wrap=not self._console.is_terminal)
        if reply.image:
            self._console.print(Text(reply.image, style="dim"), soft_wrap=True)
        for link in reply.links:
            self._console.print(Text(f"{link.label}: {link.url}", style="cyan"), soft_wrap=True)
        said = reply.texts[-1].splitlines() if reply.texts else []
        listed = [f"{number}. {option.label}" for number, option in enumerate(reply.options, 1)]
        for item in (item for item in listed if item not in said):
            self._console.print(Text(f"  {item}", style="green"), soft_wrap=True)
        self._console.print()


class JsonScreen:
    """One JSON object a line for each turn, and nothing else."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def show(self, line: str, result: TurnResult, elapsed_ms: float) -> None:
        """Writes the turn."""
        self._out.write(json.dumps(turn_json(line, result, elapsed_ms)) + "\n")
        self._out.flush()


def turn_json(line: str, result: TurnResult, elapsed_ms: float) -> dict[str, Any]:
    """The documented JSON form of one turn.

    Args:
        line: what the user wrote.
        result: what the bot made of it.
        elapsed_ms: how long that took.

    Returns:
        Data for `json.dumps`.
    """
    record = result.record
    if record is None:
        raise ValueError("the turn left no record")
    return {
        "message": line,
        "intent": record.intent,
        "coarse_intent": record.coarse_intent,
        "confidence": round(record.confidence, 4),
        "contexts": list(record.contexts),
        "events": list(record.events),
        "recognized_objects": [qid + polarity for qid, polarity in record.recognized_objects],
        "domain": record.domain,
        "interaction_type": record.interaction_type,
        "reply": {
            "texts": list(result.reply.texts),
            "options": [asdict(option) for option in result.reply.options],
            "image": result.reply.image,
            "links": [asdict(link) for link in result.reply.links],
        },
        "recommended": record.recommended,
        "recommendation_list": list(record.recommendation_list),
        "pagerank_cycle": record.pagerank_cycle,
        "number_recommendation_list": record.number_recommendation_list,
        "elapsed_ms": round(elapsed_ms, 1),
    }


def history_of(data_dir: Path, name: str) -> Path:
    """The file that keeps what a named user typed; it goes when the user is erased."""
    return data_dir / "typed" / hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).hexdigest()


async def typed_lines(history: Path | None) -> AsyncIterator[str]:
    """Lines typed at the terminal, with editing and history, until Ctrl-D or Ctrl-C.

    Args:
        history: file that keeps what was typed from run to run; None to keep it in memory.

    Yields:
        One line at a time.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.formatted_text import FormattedText
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    prompt = FormattedText([("bold", "> ")])
    session: PromptSession[str] = PromptSession(history=FileHistory(str(history)) if history else InMemoryHistory())
    while True:
        try:
            line = await session.prompt_async(prompt)
        except (EOFError, KeyboardInterrupt):
            return
        yield line


async def piped_lines(file: int = 0) -> AsyncIterator[str]:
    """Lines of a pipe or file; bytes that are no UTF-8 become U+FFFD.

    A thread reads them, so that waiting for a line never keeps the bot from ending.

    Args:
        file: descriptor to read from.

    Yields:
        One line at a time, without its line end.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()

    def put(line: str | None) -> None:
        with suppress(RuntimeError):  # the bot has ended while a line was awaited
            loop.call_soon_threadsafe(queue.put_nowait, line)

    threading.Thread(target=_read, args=(file, put), name="stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line


def _read(file: int, put: Callable[[str | None], None]) -> None:
    rest = b""
    while chunk := os.read(file, _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            put(_decoded(line))
    if rest:
        put(_decoded(rest))
    put(None)


def _decoded(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
