import asyncio

from bot.dashboard.pacing import Paced


class Work:
    """Takes so many seconds of its own clock, and counts how often it was done."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.now, self.done = seconds, 0.0, 0

    def timer(self) -> float:
        return self.now

    async def do(self) -> int:
        await asyncio.sleep(0)
        self.now += self.seconds
        self.done += 1
        return self.done


async def test_what_costs_much_is_made_seldom_however_many_ask() -> None:
    work = Work(1.0)
    paced: Paced[str, int] = Paced(0.05, work.timer)
    assert await asyncio.gather(*(paced.get("a", work.do) for _ in range(5))) == [1] * 5
    work.now += 19.9
    assert await paced.get("a", work.do) == 1
    work.now += 0.1
    assert await paced.get("a", work.do) == 2


async def test_what_costs_nothing_is_always_made_anew() -> None:
    work = Work(0.0)
    paced: Paced[str, int] = Paced(0.05, work.timer)
    assert [await paced.get("a", work.do) for _ in range(3)] == [1, 2, 3]


async def test_keys_are_kept_apart_and_all_forgotten_at_once() -> None:
    work = Work(1.0)
    paced: Paced[str, int] = Paced(0.05, work.timer)
    assert [await paced.get(key, work.do) for key in "abab"] == [1, 2, 1, 2]
    paced.forget()
    assert [await paced.get(key, work.do) for key in "ab"] == [3, 4]
