"""The log on stderr: text for people or JSON for machines, without names, messages or secrets."""

import hashlib
import json
import logging
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal, TextIO

from bot.channels.base import Turn, UserKey
from bot.records import TurnResult

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_NOISY = ("httpx", "httpcore", "alembic", "aiosqlite", "asyncio", "stanza", "numba")


class JsonFormatter(logging.Formatter):
    """One JSON object a line; what is passed as `extra` becomes fields of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _STANDARD},
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)


class TextFormatter(logging.Formatter):
    """A line for people, with what is passed as `extra` at its end."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - named by the standard library
        """The record's own line, kept to one line so that nobody can forge another."""
        extra = (f" {name}={value}" for name, value in vars(record).items() if name not in _STANDARD)
        line = super().formatMessage(record) + "".join(extra)
        return line.replace("\r", "\\r").replace("\n", "\\n")


class _Redacting(logging.Formatter):
    """Passes on to another formatter and takes secrets out of what it makes."""

    def __init__(self, inner: logging.Formatter, secrets: Iterable[str]) -> None:
        super().__init__()
        self._inner = inner
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        line = self._inner.format(record)
        for secret in self._secrets:
            line = line.replace(secret, "[secret]")
        return line


def configure_logs(
    level: str, form: Literal["text", "json"], secrets: Iterable[str] = (), stream: TextIO | None = None
) -> None:
    """Sends the log to stderr; libraries that log what users write speak from WARNING on only.

    Args:
        level: name of the lowest level to show.
        form: "text" or "json".
        secrets: never shown, whatever logs them.
        stream: where to, instead of stderr.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Redacting(JsonFormatter() if form == "json" else TextFormatter(), secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _NOISY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


class UserHash:
    """Stands for a user in logs: the same for all processes with the same key, and of no use without it."""

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.blake2b(key).digest()

    def __call__(self, user: UserKey) -> str:
        """Twelve hexadecimal digits for the user."""
        name = f"{user.channel}:{user.external_id}".encode("utf-8", "replace")
        return hashlib.blake2b(name, key=self._key, digest_size=6).hexdigest()


def log_turn(log: logging.Logger, turn: Turn, result: TurnResult, seconds: float, hashed: UserHash) -> None:
    """Leaves a line for an answered turn, without what was said.

    Args:
        log: of the channel.
        turn: what the user did.
        result: what it was answered with.
        seconds: how long that took.
        hashed: what stands for the user.
    """
    record = result.record
    what = {"intent": record.intent, "domain": record.domain} if record else {}
    user = hashed(turn.user)
    log.info("turn", extra={"user": user, "kind": turn.kind, "ms": round(1000 * seconds, 1), **what})
