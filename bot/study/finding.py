"""Finds the study that a command names: a file, or one that was made in the browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.clock import utc_now
from bot.config import Settings
from bot.errors import MissingFileError
from bot.storage.store import SqlStore, open_store
from bot.study.config import StudyConfig, load_study
from bot.study.designs import DesignStore
from bot.study.store import StudyStore

_ENDINGS = ("", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Opened:
    """A study with what is kept of it."""

    study: StudyConfig
    kept: StudyStore


def study_file(name: str) -> Path | None:
    """The file that a name stands for, with or without its ending; None when there is none."""
    return next((path for ending in _ENDINGS if (path := Path(name + ending)).is_file()), None)


async def find_study(store: SqlStore, name: str) -> StudyConfig:
    """The study of a name.

    Args:
        store: the database, for studies that were made in the browser.
        name: a file, with or without `.yaml`, or the name of a study.

    Raises:
        MissingFileError: there is no such study.
        ConfigError: its file is wrong.
    """
    path = study_file(name)
    if path is not None:
        return load_study(path)
    found = await DesignStore(store).find(name)
    if found is None:
        raise MissingFileError(
            f"{name}: no such study, neither as a file nor made in the browser; make one with: converse study new NAME"
        )
    return found


@asynccontextmanager
async def opened_study(settings: Settings, name: str) -> AsyncIterator[Opened]:
    """The study of a name with its part of the database. Raises as `find_study`, and StorageError."""
    async with open_store(settings.database, utc_now) as store:
        study = await find_study(store, name)
        yield Opened(study, StudyStore(store, study))
