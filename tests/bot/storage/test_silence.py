"""Database errors name no parameter: what people wrote never reaches a log by way of an exception."""

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from bot.storage.engine import open_engine


async def test_an_error_does_not_quote_what_was_written(database: URL) -> None:
    engine = open_engine(database)
    with pytest.raises(SQLAlchemyError) as caught:
        async with engine.connect() as connection:
            await connection.execute(text("INSERT INTO nowhere VALUES (:words)"), {"words": "my secret taste"})
    await engine.dispose()
    assert "secret" not in str(caught.value)
