import io
import json
import logging
from collections.abc import Iterator

import pytest

from bot.channels.base import UserKey
from bot.logs import UserHash, configure_logs


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    kept, level = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:], root.level = kept, level


def test_json_lines_with_fields(stream: io.StringIO) -> None:
    configure_logs("INFO", "json", stream=stream)
    logging.getLogger("bot").info("turn %s", "done", extra={"user": "ab12", "stage": "send"})
    entry = json.loads(stream.getvalue())
    assert (entry["event"], entry["level"], entry["user"], entry["stage"]) == ("turn done", "info", "ab12", "send")


@pytest.mark.parametrize("form", ["text", "json"])
def test_nobody_can_forge_a_line(stream: io.StringIO, form: str) -> None:
    configure_logs("INFO", form, stream=stream)  # type: ignore[arg-type]
    logging.getLogger("bot").warning("title %s", "x\n12:00:00 ERROR forged\r\nmore", extra={"q": "a\nb"})
    assert stream.getvalue().count("\n") == 1


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_are_taken_out_even_of_tracebacks(stream: io.StringIO, form: str) -> None:
    configure_logs("INFO", form, ["123:very-secret"], stream)  # type: ignore[arg-type]
    try:
        raise ValueError("https://api.telegram.org/bot123:very-secret/getMe")
    except ValueError:
        logging.getLogger("bot").exception("call to 123:very-secret failed")
    assert "very-secret" not in stream.getvalue()
    assert stream.getvalue().count("[secret]") >= 2


def test_libraries_that_log_what_users_write_are_quiet(stream: io.StringIO) -> None:
    configure_logs("DEBUG", "text", stream=stream)
    logging.getLogger("httpx").info("POST ... text=secret love letter")
    logging.getLogger("aiosqlite").debug("executing ...")
    assert stream.getvalue() == ""


def test_a_user_has_one_hash_with_one_key_and_another_with_another() -> None:
    first, again, other = UserHash(b"key"), UserHash(b"key"), UserHash(b"other")
    user = UserKey("telegram", "123456")
    assert first(user) == again(user)
    assert len({first(user), other(user), first(UserKey("web", "123456"))}) == 3
    assert "123456" not in first(user)
