import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.channels.base import Reply, Turn, UserKey
from bot.dialogue.state import DialogueState, Preference, Profile
from bot.errors import StorageError
from bot.likes import shared_likes
from bot.storage.base import Outcome
from bot.storage.store import SqlStore, open_store
from recommender.model import ElicitationRequest, Reason, Request, Result

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Follower:
    """A recommender that only remembers whose likes it was given."""

    def __init__(self) -> None:
        self.given: list[Mapping[int, Sequence[str]]] = []

    def follow(self, likes: Mapping[int, Sequence[str]]) -> None:
        self.given.append(likes)

    def recommend(self, request: Request) -> Result:
        raise NotImplementedError

    def explain(self, request: Request, qid: str) -> tuple[Reason, ...]:
        raise NotImplementedError

    def elicit(self, request: ElicitationRequest) -> tuple[str, ...]:
        raise NotImplementedError

    def learn(self, entity: object) -> None:
        raise NotImplementedError


async def likes(store: SqlStore, name: str, *qids: str, consent: bool | None) -> UserKey:
    user = UserKey("telegram", name)
    said = (*(Preference(qid, "+", "movie") for qid in qids), Preference("Q99", "-", "movie"))
    async with store.open_turn(Turn(user, "1", "text", "hi", NOW)) as opened:
        await opened.save(Outcome(DialogueState(), Profile(preferences=said), Reply(()), consent=consent))
    return user


async def until(follower: Follower, times: int) -> None:
    for _ in range(500):
        if len(follower.given) >= times:
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"the likes were read {len(follower.given)} times, not {times}")


async def test_only_likes_of_consenting_users_count_and_erasing_takes_them_out_at_once(tmp_path: Path) -> None:
    async with open_store(make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db"), lambda: NOW) as store:
        anna = await likes(store, "anna", "Q1", "Q2", consent=True)
        await likes(store, "ben", "Q3", "Q4", consent=True)
        await likes(store, "carla", "Q5", "Q6", consent=None)
        follower = Follower()
        async with shared_likes(store, follower, pause=600):
            assert sorted(follower.given[-1].values()) == [["Q1", "Q2"], ["Q3", "Q4"]]
            await store.erase(anna)
            assert list(follower.given[-1].values()) == [["Q3", "Q4"]]


async def test_what_another_process_erases_is_gone_after_the_pause(tmp_path: Path) -> None:
    url = make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db")
    async with open_store(url, lambda: NOW) as store, open_store(url, lambda: NOW) as other:
        anna = await likes(store, "anna", "Q1", "Q2", consent=True)
        follower = Follower()
        async with shared_likes(store, follower, pause=0.02):
            await other.erase(anna)
            await until(follower, len(follower.given) + 2)
            assert follower.given[-1] == {}


async def test_a_database_that_fails_for_a_while_changes_nothing(tmp_path: Path) -> None:
    async with open_store(make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db"), lambda: NOW) as store:
        await likes(store, "anna", "Q1", "Q2", consent=True)
        follower, reading, failures = Follower(), store.likes, iter([False, True, True])

        async def sometimes() -> dict[int, list[str]]:
            if next(failures, False):
                raise StorageError("the database is away")
            return await reading()

        store.likes = sometimes  # type: ignore[method-assign]
        async with shared_likes(store, follower, pause=0.02):
            await until(follower, 2)
        assert follower.given[0] == follower.given[1]
