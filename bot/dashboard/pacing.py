"""Values that are made anew only as often as their cost allows."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from nlu.memory import Memory

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")

_SHARE = 0.05
_MOST = 32


@dataclass(frozen=True, slots=True)
class _Made(Generic[_Value]):
    value: _Value
    fresh_until: float


class Paced(Generic[_Key, _Value]):
    """Keeps values so long that making them takes no more than a share of the time, however many ask for them.

    What is made in 10 ms is at most 0.2 seconds old, what takes a second at most 20 seconds.
    """

    def __init__(self, share: float = _SHARE, timer: Callable[[], float] = time.monotonic) -> None:
        """Takes the share of the time, and what gives seconds."""
        self._share = share
        self._timer = timer
        self._making = asyncio.Lock()
        self.forget()

    async def get(self, key: _Key, make: Callable[[], Awaitable[_Value]]) -> _Value:
        """The value of a key, made when there is none or it is too old; one at a time."""
        async with self._making:
            began = self._timer()
            made = self._kept.find(key)
            if made is None or made.fresh_until <= began:
                value = await make()
                ended = self._timer()
                made = _Made(value, ended + (ended - began) / self._share)
                self._kept.keep(key, made)
            return made.value

    def forget(self) -> None:
        """Everything is made anew: what it is made of has been changed by hand."""
        self._kept: Memory[_Key, _Made[_Value]] = Memory(_MOST)
