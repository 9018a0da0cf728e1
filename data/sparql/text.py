"""Values that go into a query. Everything does so through this module: no text can change a query."""

import re
from collections.abc import Iterable

from data.errors import UsageError

__all__ = ["entities", "literal", "properties"]

_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}
_LANGUAGE = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8})*")
_QID = re.compile(r"Q[1-9][0-9]{0,11}")
_PROPERTY = re.compile(r"P[1-9][0-9]{0,7}")


def literal(text: str, language: str | None = None) -> str:
    r"""A string as SPARQL literal, quotes included.

    SPARQL replaces `\uXXXX` before it reads the query, so a `u` that follows a backslash is written as such a sequence
    itself, in the long form that no digit after it can lengthen: whichever way an engine reads the backslashes, the
    text stays inside its quotes.

    Args:
        text: anything; half of a surrogate pair, which no query can carry, becomes U+FFFD, and NUL does too.
        language: a language tag to add, such as "en".

    Raises:
        UsageError: the language is no language tag.
    """
    whole = (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
    parts: list[str] = []
    for before, character in zip(" " + whole, whole, strict=False):
        if before == "\\" and character in "uU":
            parts.append(f"\\U{ord(character):08X}")
        else:
            parts.append(_ESCAPES.get(character, character))
    quoted = f'"{"".join(parts)}"'
    if language is None:
        return quoted
    if not _LANGUAGE.fullmatch(language):
        raise UsageError(f"{language!r} is no language tag; write one such as en or pt-br.")
    return f"{quoted}@{language}"


def entities(qids: Iterable[str], separator: str = " ") -> str:
    """Item ids for a `VALUES` block or, with separator ", ", for `IN`: `wd:Q1 wd:Q2`.

    Raises:
        UsageError: an id is no Wikidata item id.
    """
    return separator.join(f"wd:{_checked(_QID, qid)}" for qid in qids)


def properties(pids: Iterable[str]) -> str:
    """Property ids for a `VALUES` block: `wdt:P1 wdt:P2`.

    Raises:
        UsageError: an id is no Wikidata property id.
    """
    return " ".join(f"wdt:{_checked(_PROPERTY, pid)}" for pid in pids)


def _checked(pattern: re.Pattern[str], identifier: str) -> str:
    if not pattern.fullmatch(identifier):
        raise UsageError(f"{identifier!r} is no Wikidata id; ids look like Q47703 and P57.")
    return identifier
