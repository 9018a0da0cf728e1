"""What consenting users like, joined in the recommender's graph and kept as the database has it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from bot.errors import StorageError
from data.model import Qid
from recommender.model import Recommender

__all__ = ["shared_likes"]

EVERY_SECONDS = 60.0
"""How long another process may go on with likes that were erased or have changed."""

_log = logging.getLogger(__name__)


class Likes(Protocol):
    """What the store keeps of likes; see `bot.storage.store.SqlStore`."""

    async def likes(self) -> Mapping[int, Sequence[Qid]]: ...

    def after_erasing(self, action: Callable[[], Awaitable[None]]) -> None: ...


@asynccontextmanager
async def shared_likes(store: Likes, recommender: Recommender, pause: float = EVERY_SECONDS) -> AsyncIterator[None]:
    """Keeps the likes of consenting users in the recommender's graph while the context lasts.

    They are read again at intervals, and at once when this process erases somebody.

    Args:
        store: where the likes are.
        recommender: whose graph joins them.
        pause: seconds between two readings.

    Raises:
        StorageError: the likes cannot be read at the start; later, they stay as they are until they can.
    """

    async def read() -> None:
        await asyncio.to_thread(recommender.follow, await store.likes())

    async def read_again() -> None:
        try:
            await read()
        except StorageError as error:
            _log.warning("the likes of users cannot be read: %s", error)

    async def keep() -> None:
        while True:
            await asyncio.sleep(pause)
            await read_again()

    await read()
    store.after_erasing(read_again)
    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
