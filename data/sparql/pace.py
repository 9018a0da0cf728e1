"""When a query may be sent: at a steady rate, later after failures, and not at all while an endpoint is down."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from data.sparql.endpoint import EndpointError

__all__ = ["Backoff", "Breaker", "RateLimit"]


class RateLimit:
    """At most so many queries a second in the long run, and a few at once."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float]) -> None:
        self._gap = 1 / per_second
        self._ahead = (burst - 1) * self._gap
        self._clock = clock
        self._due = clock()

    def wait(self) -> float:
        """Seconds until the next query may be sent."""
        return max(0.0, self._due - self._ahead - self._clock())

    def take(self) -> None:
        """Counts one query, sent now."""
        self._due = max(self._due, self._clock()) + self._gap


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential delays with jitter and a cap ("full jitter": anything between half the delay and all of it)."""

    first: float = 0.25
    cap: float = 60.0

    def delay(self, failures: int, rng: random.Random) -> float:
        """Seconds to wait after so many failures in a row, one or more."""
        whole = min(self.cap, self.first * 2.0 ** min(failures - 1, 32))
        return whole * rng.uniform(0.5, 1.0)


class Breaker:
    """A circuit breaker: open (no queries) after failures in a row, or as long as the endpoint asks to wait.

    After the pause one query is let through: its success closes the breaker, its failure opens it for longer. Who
    sends one query at a time may look at `is_open`, others ask whether it `admits` theirs.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        rng: random.Random,
        failures: int = 3,
        pause: Backoff = Backoff(first=30.0, cap=600.0),
    ) -> None:
        self._clock = clock
        self._rng = rng
        self._allowed = failures
        self._pause = pause
        self._failures = 0
        self._until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether queries are held back at the moment."""
        return self._clock() < self._until

    def admits(self) -> bool:
        """Whether a query may be sent now. After the pause only one may, and no other before the next pause is over."""
        if self.is_open:
            return False
        if self._failures >= self._allowed:
            self._until = self._clock() + self._pause.first
        return True

    def succeeded(self) -> None:
        """Closes it."""
        self._failures = 0
        self._until = 0.0

    def failed(self, error: EndpointError | None = None) -> None:
        """Counts a failure. A wish to wait is honoured at once, and so is a refusal that no retry can help."""
        self._failures += 1
        beyond = self._failures - self._allowed + 1
        if error and error.status == 403:
            beyond = max(beyond, 5)
        pause = self._pause.delay(beyond, self._rng) if beyond > 0 else 0.0
        wish = error.retry_after if error else None
        self._until = max(self._until, self._clock() + max(pause, wish or 0.0))
