"""Takes out of messages what may tell who wrote them: e-mail addresses, links, @handles and phone numbers."""

import re
from collections import Counter
from dataclasses import replace

from bot.records import Record

_LINK = re.compile(r"\b(?:[a-z]+://|www\.)\S+|(?<![\w@.])(?:[\w-]+\.)+[a-z]{2,}/\S+", re.IGNORECASE)
"""With a scheme, or a host with a path: "Startup.com" is a film."""
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HANDLE = re.compile(r"(?<![\w@])@\w{2,32}\b")
_PHONE = re.compile(r"(?<![\w.])(?:\+|00)?(?:\(?\d{1,4}\)?[ ./-]?){2,5}\d{2,4}(?!\w)")
_YEARS = re.compile(r"(?:(?:1[5-9]|20)\d\d[ ./-]*)+")
_DIGITS_OF_A_PHONE = range(8, 16)
_LOCAL_PHONE = re.compile(r"\d{3}-\d{4}")
_KINDS = (("link", _LINK), ("email", _EMAIL), ("handle", _HANDLE))


def redacted(record: Record) -> tuple[Record, Counter[str]]:
    """The record with its message and the answer, which may repeat it, redacted; and how much was in the message."""
    message, found = redact(record.message)
    texts = tuple(redact(text)[0] for text in record.reply.texts) if found else record.reply.texts
    return replace(record, message=message, reply=replace(record.reply, texts=texts)), found


def redact(text: str) -> tuple[str, Counter[str]]:
    """The text with what may identify a person replaced by its kind in square brackets.

    Args:
        text: what a user wrote.

    Returns:
        The redacted text, and how much of each kind ("email", "link", "handle", "phone") was taken out.
    """
    found: Counter[str] = Counter()
    for kind, pattern in _KINDS:
        text, count = pattern.subn(f"[{kind}]", text)
        found[kind] += count
    text = _PHONE.sub(lambda match: _phone(match[0], found), text)
    return text, +found


def _phone(digits: str, found: Counter[str]) -> str:
    """Numbers of eight digits or more are phone numbers, and 555-1234; years and titles such as 1984 are none."""
    is_long = sum(character.isdigit() for character in digits) in _DIGITS_OF_A_PHONE and not _YEARS.fullmatch(digits)
    if not is_long and not _LOCAL_PHONE.fullmatch(digits):
        return digits
    found["phone"] += 1
    return "[phone]"
