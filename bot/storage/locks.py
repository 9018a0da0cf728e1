"""One turn at a time for each user, in this process and among all processes on one SQLite file."""

import asyncio
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from bot.channels.base import UserKey
from bot.errors import StorageError

WAIT_SECONDS = 30.0
LONGEST_PAUSE = 0.02


def lock_number(name: str) -> int:
    """A positive 62-bit number for a name: the byte, or the advisory lock, that stands for it."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()) >> 2


class UserLocks:
    """First come, first served among the tasks of this process."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[UserKey, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hold(self, user: UserKey) -> AsyncIterator[None]:
        """Holds the user's lock."""
        lock = self._locks.setdefault(user, asyncio.Lock())
        async with lock:
            yield


class FileLocks:
    """Locks among processes: one byte of a file beside the database stands for one name.

    The system frees them when a process dies, so no turn is ever locked out by a crash.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def close(self) -> None:
        """Frees all locks of this process."""
        os.close(self._file)

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[None]:
        """Holds the lock of a name. Raises StorageError when another process keeps it too long."""
        place = lock_number(name)
        await self._take(place)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)

    async def _take(self, place: int) -> None:
        pause = 0.001
        deadline = asyncio.get_running_loop().time() + WAIT_SECONDS
        while True:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except BlockingIOError:
                if asyncio.get_running_loop().time() > deadline:
                    raise StorageError(f"another process keeps {self._path} locked: end it, then try again") from None
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                return
