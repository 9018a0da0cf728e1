from pathlib import Path

import pytest

from bot.config import load_settings
from bot.errors import ConfigError


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RASA_URL", "TELEGRAM_BOT_TOKEN", "TELEGRAM_BASE_URL", "CONVERSE_DATA_DIR", "CONVERSE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_database_is_sqlite_in_the_data_folder_by_default(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    assert settings.database.drivername == "sqlite+aiosqlite"
    assert settings.database.database == str(tmp_path / "converse.db")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_urls_get_the_async_driver(scheme: str) -> None:
    url = load_settings(database_url=f"{scheme}://anna:secret@db/converse").database
    assert (url.drivername, url.host, url.database) == ("postgresql+psycopg", "db", "converse")


def test_environment_is_read_and_the_command_line_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVERSE_DATA_DIR", str(tmp_path / "env"))
    monkeypatch.setenv("RASA_URL", "http://rasa:5005")
    assert load_settings().data_dir == tmp_path / "env"
    assert load_settings(data_dir=tmp_path / "cli").data_dir == tmp_path / "cli"
    assert load_settings().rasa_url == "http://rasa:5005"
    assert load_settings(rasa_url="http://other:1").rasa_url == "http://other:1"


def test_empty_variable_means_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RASA_URL", "")
    assert load_settings().rasa_url is None


def test_unknown_setting_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERSE_MOOD", "good")
    with pytest.raises(ConfigError, match=r"CONVERSE_MOOD.*known are .*CONVERSE_MODE"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CONVERSE_MODE", "shout", "setting mode"),
        ("CONVERSE_WEBHOOK_PORT", "123456", "setting webhook_port"),
        ("CONVERSE_DATABASE_URL", "mysql://host/name", "'mysql' is not supported"),
        ("CONVERSE_DATABASE_URL", "nonsense", "no database URL"),
        ("CONVERSE_DATABASE_URL", "sqlite://", "names no file"),
        ("CONVERSE_LANGUAGE", "xx", "setting language: 'xx' is not spoken; choose one of en, it"),
        ("CONVERSE_WEBHOOK_URL", "http://bot.example.org/x", "write https://HOST"),
        ("CONVERSE_WEBHOOK_URL", "https://", "write https://HOST"),
        ("TELEGRAM_BASE_URL", "nonsense", "no address that can be used"),
        ("TELEGRAM_BASE_URL", "http://host:port", "no address that can be used"),
    ],
)
def test_impossible_value_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=message) as caught:
        load_settings()
    assert "\n" not in str(caught.value)


def test_secrets_are_not_shown() -> None:
    settings = load_settings(telegram_bot_token="123:very-secret")
    assert "very-secret" not in repr(settings)


@pytest.mark.parametrize("url", ["https://bot.example.org/x", "http://127.0.0.1:8443/x", "http://localhost/x"])
def test_webhooks_come_over_https_or_from_this_machine(url: str) -> None:
    assert load_settings(webhook_url=url).webhook_url == url
