"""The client of the Rasa server: text in, coarse intents with probabilities out."""

import asyncio
import random
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

import httpx

from data.errors import BackendError
from data.sparql.pace import Backoff, Breaker
from nlu.intents.text import normalize
from nlu.memory import Memory
from nlu.model import IntentResult

__all__ = ["RasaIntentRecognizer"]

_REMEMBERED: Final = 512
"""Texts whose result is kept."""
_LONGEST: Final = 1000
"""Characters that are classified; what follows says no more about the intent."""
_MOST_AT_ONCE: Final = 8
"""Messages that are asked about at a time: Rasa takes them one by one, and a longer queue costs the pool its time."""
_PAUSE: Final = Backoff(first=2.0, cap=10.0)
"""How long a server that lets messages wait is left alone; then one message tries whether it answers again."""
_NOTHING: Final = IntentResult((("fallback", 1.0),))


class RasaIntentRecognizer:
    """Asks a Rasa server over HTTP. Connections are pooled; `aclose` ends them.

    Three messages in a row without an answer in time, and it is left alone for a while: nobody waits for it then.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 5.0,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Opens no connection yet.

        Args:
            url: of the server, such as "http://127.0.0.1:5005".
            timeout: seconds that one message may take.
            transport: replaces the network in tests.
            clock: gives seconds.
        """
        self._url = url.rstrip("/")
        self._client = httpx.AsyncClient(base_url=self._url, timeout=timeout, trust_env=False, transport=transport)
        self._places = asyncio.Semaphore(_MOST_AT_ONCE)
        self._known: Memory[str, IntentResult] = Memory(_REMEMBERED)
        self._breaker = Breaker(clock, random.Random(), pause=_PAUSE)

    async def recognize(self, text: str) -> IntentResult:
        """Coarse intents of one message, best first.

        Args:
            text: as the user wrote it. Nothing but spaces and slashes is a fallback.

        Raises:
            BackendError: the server does not answer in time or not as Rasa does.
        """
        written = normalize(text)[:_LONGEST]
        if not written:
            return _NOTHING
        known = self._known.find(written)
        if known is not None:
            return known
        result = _read(await self._parse(written), self._url)
        self._known.keep(written, result)
        return result

    async def _parse(self, text: str) -> Any:
        async with self._places:
            if not self._breaker.admits():
                raise self._failure("it left the last messages unanswered")
            return await self._ask(text)

    async def _ask(self, text: str) -> Any:
        try:
            try:
                response = await self._client.post("/model/parse", json={"text": text})
            except (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError):  # restarted in between
                response = await self._client.post("/model/parse", json={"text": text})
            self._breaker.succeeded()
            response.raise_for_status()
            return response.json()
        except (httpx.HTTPError, ValueError) as error:
            if isinstance(error, httpx.TimeoutException):
                self._breaker.failed()
            raise self._failure(str(error) or type(error).__name__) from error

    def _failure(self, reason: str) -> BackendError:
        return BackendError(
            f"Rasa at {self._url} does not understand messages at the moment ({reason}). "
            "See `converse doctor`; it is asked again with one of the next messages."
        )

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _read(answer: Any, url: str) -> IntentResult:
    """The ranking in Rasa's answer.

    Raises:
        BackendError: it holds none.
    """
    try:
        found = answer.get("intent_ranking") or [answer["intent"]]
        ranking = tuple((str(intent["name"]), float(intent["confidence"])) for intent in found if intent["name"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BackendError(f"The server at {url} answers, but not as Rasa does. Check RASA_URL.") from error
    return IntentResult(ranking) if ranking else _NOTHING
