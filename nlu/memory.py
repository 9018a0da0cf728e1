"""Results that are kept for as long as there is room: people say the same things all the time."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["Memory"]

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Memory(Generic[_Key, _Value]):
    """The results that were used last, by what they are the results of. Safe for use by several threads."""

    def __init__(self, size: int) -> None:
        """Takes how many results to keep."""
        self._size = size
        self._kept: OrderedDict[_Key, _Value] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: _Key) -> _Value | None:
        """The result for a key; None when there is none."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def keep(self, key: _Key, value: _Value) -> None:
        """Keeps a result, in place of the one not used for longest when there are too many."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
