"""Settings of the running bot: from the environment, overridden by command-line options, validated once at start."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from bot.dialogue.state import InteractionMode
from bot.errors import ConfigError

PREFIX = "CONVERSE_"
MOST_DAYS = 36_500
"""The longest retention period: a hundred years; a few thousand would reach back before the calendar begins."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Hosts to which a proxy on this machine may pass webhooks on without encryption."""
DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


def _default_data_dir() -> Path:
    return platformdirs.user_data_path("converse", appauthor=False)


class Settings(BaseSettings):
    """What can be set. A field `x` is read from `CONVERSE_X`; the aliases are the names other tools use too.

    Attributes:
        data_dir: folder of the database and of everything a user creates.
        database_url: SQLAlchemy or plain URL of SQLite or PostgreSQL; None for SQLite in the data folder.
        rasa_url: a running Rasa server; None starts one and stops it with the bot.
        rasa_timeout: seconds that one message may take in Rasa.
        telegram_bot_token: from @BotFather.
        telegram_base_url: a Bot API server other than Telegram's own.
        telegram_messages_per_second: what is sent in all; None for Telegram's own limit, or for none on another server.
        webhook_url: public https address for webhooks; None for long polling.
        webhook_secret: token that Telegram sends along with each webhook call.
        webhook_host: address that the webhook server listens on.
        webhook_port: port that the webhook server listens on.
        web_host: address that the web pages are served on.
        web_port: port that the web pages are served on.
        health_port: port for health and metrics with long polling and the web pages; None serves none.
        wikidata_endpoint: SPARQL endpoint for titles that the catalogue does not know.
        wikidata_contact: e-mail or URL for the User-Agent that Wikidata asks for; None turns look-ups off.
        domain: domain of a new conversation.
        language: language of a new conversation when the channel does not tell.
        mode: interaction type of a new conversation.
        catalogue: a catalogue file or folder instead of the one that ships.
        sentiment_model: "default", "small", or the folder of another sentiment model.
        variant: name of the recommender variant.
        elicitation: strategy that picks items to rate for new users; None asks for none.
        share_likes: whether what consenting users like also counts for others, as edges of the item graph.
        minimum_preferences: preferences below which a profile counts as thin.
        recommendations: items in one list.
        seed: of everything drawn at random; None for a different one each run.
        messages_per_minute: what one user may send before being asked to slow down.
        retention_days: age at which `converse user purge` deletes conversations; None keeps them until erased.
        log_level: of the log on stderr.
        log_format: "text" for people, "json" for machines.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, populate_by_name=True
    )

    data_dir: Path = Field(default_factory=_default_data_dir)
    database_url: str | None = None
    rasa_url: str | None = Field(None, validation_alias=AliasChoices("RASA_URL", "CONVERSE_RASA_URL"))
    rasa_timeout: Annotated[float, Field(gt=0)] = 2.0
    telegram_bot_token: SecretStr | None = Field(
        None, validation_alias=AliasChoices("TELEGRAM_BOT_TOKEN", "CONVERSE_TELEGRAM_BOT_TOKEN")
    )
    telegram_base_url: str | None = Field(
        None, validation_alias=AliasChoices("TELEGRAM_BASE_URL", "CONVERSE_TELEGRAM_BASE_URL")
    )
    telegram_messages_per_second: Annotated[int, Field(ge=1)] | None = None
    webhook_url: str | None = None
    webhook_secret: SecretStr | None = None
    webhook_host: str = "127.0.0.1"
    webhook_port: Annotated[int, Field(ge=0, le=65535)] = 8443
    web_host: str = "127.0.0.1"
    web_port: Annotated[int, Field(ge=0, le=65535)] = 8000
    health_port: Annotated[int, Field(ge=0, le=65535)] | None = None
    wikidata_endpoint: str = "https://query.wikidata.org/sparql"
    wikidata_contact: str | None = None
    domain: str = "movie"
    language: str = "en"
    mode: InteractionMode = "mixed"
    catalogue: Path | None = None
    sentiment_model: str = "default"
    variant: str = "ppr"
    elicitation: str | None = None
    share_likes: bool = False
    minimum_preferences: Annotated[int, Field(ge=0)] = 3
    recommendations: Annotated[int, Field(ge=1, le=20)] = 5
    seed: int | None = None
    messages_per_minute: Annotated[int, Field(ge=1)] = 60
    retention_days: Annotated[int, Field(ge=1, le=MOST_DAYS)] | None = None
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    log_format: Literal["text", "json"] = "text"

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str | None) -> str | None:
        if value is not None:
            _database(value)
        return value

    @field_validator("language")
    @classmethod
    def _known_language(cls, value: str) -> str:
        from bot.dialogue.wording import load_wordings  # only where one is given: reading them takes time

        known = sorted(load_wordings())
        if value not in known:
            raise ValueError(f"{value!r} is not spoken; choose one of {', '.join(known)}")
        return value

    @field_validator("telegram_base_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value is not None:
            _host(value, ("http", "https"))
        return value

    @field_validator("webhook_url")
    @classmethod
    def _public_address(cls, value: str | None) -> str | None:
        if value is not None and _host(value, ("http", "https")) not in LOOPBACK:
            _host(value, ("https",))
        return value

    @property
    def database(self) -> URL:
        """URL of the database with the driver that the store uses."""
        if self.database_url is None:
            return URL.create("sqlite+aiosqlite", database=str(self.data_dir / "converse.db"))
        return _database(self.database_url)


def _host(text: str, schemes: Sequence[str]) -> str:
    """The host of a web address. Raises ValueError when it is none, or begins with another scheme."""
    problem = f"is no address that can be used; write {schemes[-1]}://HOST or {schemes[-1]}://HOST:PORT/PATH"
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ValueError(problem) from None
    if parts.scheme not in schemes or not parts.hostname:
        raise ValueError(problem)
    return parts.hostname


def _database(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        raise ValueError("is no database URL; write sqlite:///FILE or postgresql://USER@HOST/NAME") from None
    backend = url.get_backend_name()
    if backend not in DRIVERS:
        raise ValueError(f"{backend!r} is not supported; use sqlite or postgresql")
    if backend == "sqlite" and not url.database:
        raise ValueError("names no file; write sqlite:///FILE")
    return url.set(drivername=DRIVERS[backend])


def load_settings(**overrides: Any) -> Settings:
    """Settings from the environment and the command line.

    Args:
        overrides: values that win over the environment; those that are None are left out.

    Returns:
        Validated settings.

    Raises:
        ConfigError: a `CONVERSE_` variable that does not exist, or a value that is impossible.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    unknown = sorted(name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in known)
    if unknown:
        raise ConfigError(
            f"unknown setting {', '.join(unknown)} in the environment; known are {', '.join(sorted(known))}"
        )
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        raise ConfigError(_explain(error)) from error


def _explain(error: ValidationError) -> str:
    """One line for each wrong setting, without echoing its value (it may be a secret)."""
    return "; ".join(
        f"setting {'.'.join(str(part) for part in item['loc'])}: {item['msg'].removeprefix('Value error, ')}"
        for item in error.errors(include_url=False, include_input=False)
    )
