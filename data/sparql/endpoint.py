"""One query to an endpoint: sent by SPARQLWrapper, answered within a deadline, its answer checked."""

import http.client
import time
import urllib.error
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson
from SPARQLWrapper import GET, JSON, POST, SPARQLExceptions, SPARQLWrapper

from data.errors import BackendError

__all__ = ["Binding", "Endpoint", "EndpointError", "user_agent"]

Binding = Mapping[str, str]
"""One row: variable to value (an IRI or a text); unbound variables are absent."""

LONGEST_GET = 1500
"""Queries of more characters are sent by POST."""
LARGEST_ANSWER = 64 * 1024 * 1024
_CHUNK = 64 * 1024
_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})


class EndpointError(BackendError):
    """A query that got no usable answer.

    Attributes:
        status: HTTP status, None without an HTTP answer.
        retry_after: seconds that the endpoint asked to wait.
        retryable: whether the same query may succeed later.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None, retryable: bool = True
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        self.retryable = retryable


def user_agent(contact: str) -> str:
    """A User-Agent as Wikimedia's policy wants it: what this is, and how to reach who runs it."""
    printable = "".join(character for character in contact if character.isascii() and character.isprintable())
    return f"converse-bot/0.1 (conversational recommender; {printable.strip()}) SPARQLWrapper/2.0"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A SPARQL endpoint.

    Attributes:
        url: its address.
        agent: the User-Agent, see `user_agent`.
        clock: seconds, monotonic.
        now: the time of day, for a `Retry-After` that is a date.
    """

    url: str
    agent: str
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def select(self, query: str, deadline: float) -> Sequence[Binding]:
        """Sends a SELECT query and waits for its rows.

        SPARQLWrapper's time-out counts each read of the socket: a server that trickles would outlive it, so the answer
        is read in pieces against the deadline.

        Args:
            query: complete, with its prefixes.
            deadline: seconds until the answer must be here.

        Returns:
            The rows.

        Raises:
            EndpointError: no answer, not in time, or not a whole and valid one.
        """
        ends = self.clock() + deadline
        wrapper = SPARQLWrapper(self.url, returnFormat=JSON, agent=self.agent)
        wrapper.setQuery(query)
        wrapper.setMethod(GET if len(query) <= LONGEST_GET else POST)
        wrapper.setTimeout(max(1, int(deadline)))
        try:
            response = wrapper.query().response
            with response:
                body = self._read(response, ends)
        except urllib.error.HTTPError as error:
            raise self._refused(error) from error
        except SPARQLExceptions.SPARQLWrapperException as error:
            internal = isinstance(error, SPARQLExceptions.EndPointInternalError)
            status = 500 if internal else None
            raise EndpointError(
                f"{self.url} refused the query: {error.msg}", status=status, retryable=internal
            ) from error
        except TimeoutError as error:
            raise EndpointError(f"{self.url} did not answer within {deadline:g} seconds.") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise EndpointError(f"{self.url} cannot be reached ({error}); check the network.") from error
        return _rows(body, self.url)

    def _read(self, response: Any, ends: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if self.clock() > ends:
                raise TimeoutError
            if size > LARGEST_ANSWER:
                raise EndpointError(f"{self.url} answered with more than {LARGEST_ANSWER} bytes.", retryable=False)
        return b"".join(parts)

    def _refused(self, error: urllib.error.HTTPError) -> EndpointError:
        with error:
            wait = _retry_after(error.headers.get("Retry-After"), self.now())
        reason = {403: "forbids the query", 429: "asks to slow down"}.get(error.code, "refused the query")
        return EndpointError(
            f"{self.url} {reason} (HTTP {error.code}); try again later.",
            status=error.code,
            retry_after=wait,
            retryable=error.code in _RETRYABLE,
        )


def _retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds to wait: the header holds seconds or a date."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, (parsedate_to_datetime(header).astimezone(UTC) - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _rows(body: bytes, url: str) -> Sequence[Binding]:
    """Rows of an answer in SPARQL 1.1 JSON; a server that breaks off writes its error into a started answer."""
    try:
        document = orjson.loads(body)
        bindings = document["results"]["bindings"]
        variables = document["head"]["vars"]
        rows = [{name: _text(cell) for name, cell in row.items()} for row in bindings]
        if not isinstance(variables, list) or not all(set(row) <= set(variables) for row in rows):
            raise TypeError("rows have other variables than the head")
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise EndpointError(f"{url} sent a broken answer ({error}); it may be overloaded, try again later.") from error
    return rows


def _text(cell: Any) -> str:
    value = cell["value"]
    if not isinstance(value, str) or cell["type"] not in {"uri", "literal", "bnode", "typed-literal"}:
        raise TypeError("a cell is no SPARQL value")
    return value
