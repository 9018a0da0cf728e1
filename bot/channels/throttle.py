"""How much each user may send."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST_USERS = 10_000


class Throttle:
    """How much each user may send: a bucket that empties evenly. Who overfills it is warned once."""

    def __init__(self, per_minute: int, timer: Callable[[], float] = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._timer = timer
        self._levels: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        self._warned: set[Hashable] = set()

    def admits(self, user: Hashable) -> bool:
        """Counts a message, and tells whether it is not one too many."""
        now = self._timer()
        level, since = self._levels.get(user, (0.0, now))
        level = max(0.0, level - (now - since) * self._capacity / 60)
        if level + 1 > self._capacity:
            return False
        self._levels[user] = (level + 1, now)
        self._levels.move_to_end(user)
        self._warned.discard(user)
        while len(self._levels) > MOST_USERS:
            self._warned.discard(self._levels.popitem(last=False)[0])
        return True

    def should_warn(self, user: Hashable) -> bool:
        """Whether the user has not been warned since the last message that was admitted."""
        new = user not in self._warned
        self._warned.add(user)
        return new
