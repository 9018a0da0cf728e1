"""The client of the Rasa server: text in, coarse intents with probabilities out."""

from collections import OrderedDict
from types import TracebackType
from typing import Any, Final, Self

import httpx

from data.errors import BackendError
from nlu.intents.text import normalize
from nlu.model import IntentResult

__all__ = ["RasaIntentRecognizer"]

_REMEMBERED: Final = 512
"""Texts whose result is kept; people say "yes" and "I like it" all the time."""
_LONGEST: Final = 1000
"""Characters that are classified; what follows says no more about the intent."""
_NOTHING: Final = IntentResult((("fallback", 1.0),))


class RasaIntentRecognizer:
    """Asks a Rasa server over HTTP. Connections are pooled; `aclose` ends them."""

    def __init__(self, url: str, *, timeout: float = 5.0, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """Opens no connection yet.

        Args:
            url: of the server, such as "http://127.0.0.1:5005".
            timeout: seconds that one message may take.
            transport: replaces the network in tests.
        """
        self._url = url.rstrip("/")
        self._client = httpx.AsyncClient(base_url=self._url, timeout=timeout, trust_env=False, transport=transport)
        self._known: OrderedDict[str, IntentResult] = OrderedDict()

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
        if written in self._known:
            self._known.move_to_end(written)
            return self._known[written]
        result = _read(await self._parse(written), self._url)
        self._known[written] = result
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return result

    async def _parse(self, text: str) -> Any:
        try:
            try:
                response = await self._client.post("/model/parse", json={"text": text})
            except (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError):  # restarted in between
                response = await self._client.post("/model/parse", json={"text": text})
            response.raise_for_status()
            return response.json()
        except (httpx.HTTPError, ValueError) as error:
            reason = str(error) or type(error).__name__
            raise BackendError(
                f"Rasa at {self._url} does not understand messages at the moment ({reason}). "
                "See `converse doctor`; it is asked again with the next message."
            ) from error

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
