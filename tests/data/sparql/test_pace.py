import random

import pytest

from data.sparql.endpoint import EndpointError
from data.sparql.pace import Backoff, Breaker, RateLimit


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_burst_passes_and_then_the_rate_counts(clock: Clock) -> None:
    rate = RateLimit(2.0, 3, clock)
    for _ in range(3):
        assert rate.wait() == 0
        rate.take()
    assert rate.wait() == pytest.approx(0.5)
    clock.now += 0.5
    assert rate.wait() == 0
    rate.take()
    assert rate.wait() == pytest.approx(0.5)
    clock.now += 60
    assert rate.wait() == 0


def test_delays_grow_to_the_cap_and_vary() -> None:
    backoff = Backoff(first=1, cap=8)
    rng = random.Random(1)
    for failures, whole in ((1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (5000, 8)):
        delays = {backoff.delay(failures, rng) for _ in range(20)}
        assert len(delays) > 10
        assert all(whole / 2 <= delay <= whole for delay in delays)


def test_the_breaker_opens_after_failures_in_a_row(clock: Clock) -> None:
    breaker = Breaker(clock, random.Random(1), failures=3, pause=Backoff(first=10, cap=100))
    for _ in range(2):
        breaker.failed(EndpointError("x"))
    breaker.succeeded()
    for _ in range(2):
        breaker.failed(EndpointError("x"))
        assert not breaker.is_open
    breaker.failed(EndpointError("x"))
    assert breaker.is_open
    clock.now += 10
    assert not breaker.is_open
    breaker.failed(EndpointError("x"))
    clock.now += 9.9
    assert breaker.is_open
    clock.now += 10.2
    assert not breaker.is_open
    breaker.succeeded()
    breaker.failed(EndpointError("x"))
    assert not breaker.is_open


def test_a_wish_to_wait_is_honoured_at_once(clock: Clock) -> None:
    breaker = Breaker(clock, random.Random(1))
    breaker.failed(EndpointError("slow down", status=429, retry_after=40))
    clock.now += 39
    assert breaker.is_open
    clock.now += 1
    assert not breaker.is_open


def test_who_is_forbidden_stays_away_for_long(clock: Clock) -> None:
    breaker = Breaker(clock, random.Random(1), pause=Backoff(first=10, cap=1000))
    breaker.failed(EndpointError("forbidden", status=403, retryable=False))
    clock.now += 79
    assert breaker.is_open
