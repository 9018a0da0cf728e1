"""Asking an endpoint for much: again and again with growing pauses, but not for ever."""

import logging
import random
import time
from collections.abc import Callable, Sequence

from data.sparql.endpoint import Binding, Endpoint, EndpointError
from data.sparql.pace import Backoff, RateLimit

__all__ = ["PatientEndpoint"]

_log = logging.getLogger(__name__)
PAUSES = Backoff(first=2.0, cap=120.0)


class PatientEndpoint:
    """An endpoint that is asked one query at a time, politely, and again when it fails.

    A batch that is too much for the endpoint is halved until it is not.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        deadline: float = 65.0,
        attempts: int = 6,
        longest_wait: float = 600.0,
        per_second: float = 1.0,
        backoff: Backoff = PAUSES,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: random.Random | None = None,
    ) -> None:
        """Makes it.

        Args:
            endpoint: where to ask.
            deadline: seconds for one answer (the query service itself gives up after 60).
            attempts: tries of one query.
            longest_wait: seconds that the endpoint may ask to wait; more ends the work.
            per_second: queries a second.
            backoff: pauses between tries.
            sleep: waits so many seconds.
            clock: seconds, monotonic.
            rng: for the jitter.
        """
        self._endpoint = endpoint
        self._deadline = deadline
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._rate = RateLimit(per_second, 1, clock)
        self._backoff = backoff
        self._sleep = sleep
        self._rng = rng or random.Random()

    @property
    def url(self) -> str:
        """Where it asks."""
        return self._endpoint.url

    def select(self, query: str) -> Sequence[Binding]:
        """Sends a query until it is answered.

        Raises:
            EndpointError: the last failure, when no try is left or a try is of no use.
        """
        attempt = 1
        while True:
            self._sleep(self._rate.wait())
            self._rate.take()
            try:
                return self._endpoint.select(query, self._deadline)
            except EndpointError as error:
                wait = max(self._backoff.delay(attempt, self._rng), error.retry_after or 0.0)
                if not error.retryable or attempt == self._attempts or wait > self._longest_wait:
                    raise
                _log.info("%s Trying again in %.0f s.", error, wait)
                self._sleep(wait)
                attempt += 1

    def select_batch(self, ids: Sequence[str], query: Callable[[Sequence[str]], str]) -> list[Binding]:
        """Rows for a batch of ids; a batch that fails is asked for in halves.

        Args:
            ids: what to ask for.
            query: makes the query for some of them.

        Raises:
            EndpointError: not even one id at a time is answered, or asking again is of no use.
        """
        try:
            return list(self.select(query(ids)))
        except EndpointError as error:
            if len(ids) <= 1 or not error.retryable or error.status == 429:
                raise
            half = len(ids) // 2
            return [*self.select_batch(ids[:half], query), *self.select_batch(ids[half:], query)]
