"""All studies that run: each turn goes to the desk of the study in which the user takes part, or to everyone else's."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from sqlalchemy import Select, select

from bot.channels.base import Turn, UserKey
from bot.channels.conversation import Conversation
from bot.channels.privacy import wish_of
from bot.records import TurnResult
from bot.storage.schema import users
from bot.storage.statements import is_named_user, key_of
from bot.storage.store import SqlStore
from bot.storage.studies import participants
from bot.study.config import StudyConfig
from bot.study.designs import DesignStore
from bot.study.desk import StudyDesk


class Studies:
    """The desks of all studies, those from files and those made in the browser."""

    def __init__(
        self,
        studies: Iterable[StudyConfig],
        make: Callable[[StudyConfig], StudyDesk],
        store: SqlStore,
        otherwise: Conversation,
    ) -> None:
        """Takes the parts.

        Args:
            studies: from files; they win over those of the same name in the database.
            make: makes the desk of a study. Raises ConfigError for a level that the bot does not know.
            store: the database.
            otherwise: answers whoever takes part in no study, and what participants want of their data.
        """
        self._make = make
        self._store = store
        self._otherwise = otherwise
        self._designs = DesignStore(store)
        self._desks = {study.name: make(study) for study in studies}

    def __iter__(self) -> Iterator[StudyDesk]:
        """The desks known so far, by name."""
        return iter([self._desks[name] for name in sorted(self._desks)])

    async def desk(self, name: str) -> StudyDesk | None:
        """The desk of a study; None when there is no such study. Raises StorageError."""
        if name not in self._desks and (study := await self._designs.find(name)) is not None:
            self.add(study)
        return self._desks.get(name)

    def add(self, study: StudyConfig) -> StudyDesk:
        """Lets a new study begin. Raises ConfigError for a level that the bot does not know."""
        return self._desks.setdefault(study.name, self._make(study))

    async def refresh(self) -> None:
        """Takes up studies that other processes have added. Raises StorageError."""
        for study in await self._designs.all():
            if study.name not in self._desks:
                self.add(study)

    async def handle(self, turn: Turn) -> TurnResult:
        """Answers a turn. Raises StorageError when it cannot be kept."""
        if wish_of(turn) is not None:
            return await self._otherwise.handle(turn)
        name = _invited_to(turn)
        desk = await self.desk(name) if name else None
        if desk is None and (name := await self._taking_part(turn.user)):
            desk = await self.desk(name)
        return await (desk or self._otherwise).handle(turn)

    async def _taking_part(self, user: UserKey) -> str | None:
        """The study in which a user takes part; of several the one that is not finished, the last one first."""
        row = await self._store.first(_taken_part_in(), key_of(user))
        return None if row is None else str(row.study)


@cache
def _taken_part_in() -> Select[Any]:
    return (
        select(participants.c.study)
        .join(users, users.c.id == participants.c.user_id)
        .where(is_named_user())
        .order_by(participants.c.finished_at.is_not(None), participants.c.started_at.desc())
    )


def _invited_to(turn: Turn) -> str | None:
    """The study whose link or consent form a turn comes by."""
    parts = turn.text.split()
    if turn.option and turn.option.startswith("study:") and turn.option.count(":") == 2:
        return turn.option.split(":")[1]
    return parts[1].split("__")[0] if len(parts) == 2 and parts[0] == "/start" else None
