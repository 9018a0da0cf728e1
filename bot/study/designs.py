"""Studies that were made in the browser: their files are kept in the database, for every process that serves them."""

import yaml
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from bot.errors import UsageError
from bot.storage import studies as tables
from bot.storage.accounts import designs
from bot.storage.store import SqlStore
from bot.study.config import StudyConfig, read_study


class DesignStore:
    """The studies in the database."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    async def all(self) -> list[StudyConfig]:
        """Every study, in the order of their names."""
        async with self._store.reading() as connection:
            rows = await connection.execute(select(designs.c.study, designs.c.design).order_by(designs.c.study))
            return [read_study(row.design, row.study) for row in rows]

    async def find(self, name: str) -> StudyConfig | None:
        """The study of that name; None when there is none."""
        async with self._store.reading() as connection:
            rows = await connection.execute(select(designs.c.design).where(designs.c.study == name))
            row = rows.first()
            return None if row is None else read_study(row.design, name)

    async def add(self, design: str, who: str) -> StudyConfig:
        """Checks and keeps the text of a study's file.

        Args:
            design: YAML.
            who: adds it; noted in the audit.

        Raises:
            ConfigError: a field is wrong.
            UsageError: there is a study of that name.
        """
        study = read_study(design, "the study")
        row = {"study": study.name, "design": design, "added_by": who, "added_at": self._store.now()}
        note = {"study": study.name, "at": row["added_at"], "who": who, "action": "create", "detail": study.title}
        taken = UsageError(f"there is a study called {study.name!r} already; choose another name")
        if await self.find(study.name) is not None:
            raise taken
        try:
            async with self._store.writing() as connection:
                await connection.execute(insert(designs), row)
                await connection.execute(insert(tables.audit), note)
        except IntegrityError as error:
            raise taken from error
        return study


def as_yaml(study: StudyConfig) -> str:
    """The file of a study, with every field."""
    return yaml.safe_dump(study.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=100)
