"""The store as the dialogue manager sees it while a participant does a task."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from bot.channels.base import Reply, Turn
from bot.storage.base import OpenTurn, Outcome
from bot.study.assignment import Plan
from bot.study.journey import Step
from bot.study.store import Participant

if TYPE_CHECKING:
    from bot.study.desk import StudyDesk


class TaskStore:
    """The store as the dialogue manager sees it in a task: what it saves is completed by the study."""

    def __init__(self, desk: "StudyDesk", participant: Participant, plan: Plan, step: Step, *, by_page: bool) -> None:
        self._desk = desk
        self._by_page = by_page
        self._case = (participant, plan, step)
        self.said: Reply | None = None

    @asynccontextmanager
    async def open_turn(self, turn: Turn) -> AsyncIterator[OpenTurn]:
        """The turn, whose saving is completed."""
        async with self._desk.opened(turn, self._case[0]) as opened:
            yield _TaskTurn(opened, self)

    async def complete(self, outcome: Outcome) -> Outcome:
        """The outcome with the study's part."""
        completed = await self._desk.after_task(*self._case, outcome, by_page=self._by_page)
        self.said = completed.reply
        return completed


class _TaskTurn:
    """A turn in hand whose outcome is completed before it is saved."""

    def __init__(self, opened: OpenTurn, store: TaskStore) -> None:
        self._opened = opened
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened, name)

    async def save(self, outcome: Outcome) -> None:
        """Completes and writes the outcome."""
        await self._opened.save(await self._store.complete(outcome))
