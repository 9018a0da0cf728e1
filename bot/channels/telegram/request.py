"""HTTP for the Bot API: as `telegram.request.HTTPXRequest`, with a pool whose cost does not grow with its queue."""

from typing import Any

import aiohttp
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

__all__ = ["PooledRequest"]


class PooledRequest(BaseRequest):
    """Makes requests over connections that are kept open; proxies are taken from the environment."""

    def __init__(self, connections: int, seconds: float) -> None:
        """Takes the most connections at a time, and for how long to wait: for a connection, to connect, for data."""
        self._connections = connections
        self._seconds = seconds
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float | None:
        """Seconds to wait for data."""
        return self._seconds

    async def initialize(self) -> None:
        """Opens the pool. It may be opened again after a shutdown."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections),
                headers={"User-Agent": self.USER_AGENT},
                trust_env=True,
            )

    async def shutdown(self) -> None:
        """Closes all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002 - aiohttp knows none
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Makes a request; see `telegram.request.BaseRequest.do_request`.

        Raises:
            TimedOut: no connection, or no answer, in time.
            NetworkError: the connection failed.
        """
        if self._session is None:
            raise RuntimeError("this request is not initialized")
        timeout = aiohttp.ClientTimeout(
            connect=self._given(pool_timeout),
            sock_connect=self._given(connect_timeout),
            sock_read=self._given(read_timeout),
        )
        try:
            async with self._session.request(method, url, data=_body(request_data), timeout=timeout) as response:
                return response.status, await response.read()
        except TimeoutError as error:
            raise TimedOut from error
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(f"{type(error).__name__}: {error}") from error

    def _given(self, seconds: Any) -> float | None:
        wanted: float | None = self._seconds if seconds is self.DEFAULT_NONE else seconds
        return wanted


def _body(data: RequestData | None) -> Any:
    """The parameters as a form, with files as parts of their own."""
    if data is None:
        return None
    if not data.contains_files:
        return data.json_parameters
    form = aiohttp.FormData(data.json_parameters)
    for name, (filename, content, kind) in (data.multipart_data or {}).items():
        form.add_field(name, content, filename=filename, content_type=kind)
    return form
