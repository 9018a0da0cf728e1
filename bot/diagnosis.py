"""What is installed, what is active, what is missing and how to get it: the checks behind `converse doctor`."""

import hashlib
import importlib.metadata
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx
from sqlalchemy import text
from sqlalchemy.engine import URL

from bot.config import Settings
from bot.errors import ConverseError
from bot.storage.engine import explained, open_engine, shown_url

__all__ = ["Check", "diagnose"]

State = Literal["ok", "off", "missing"]

_LIBRARIES = ("stanza", "torch", "networkx", "numba", "sqlalchemy", "python-telegram-bot", "SPARQLWrapper", "pydantic")
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the installation.

    Attributes:
        part: its name.
        state: "ok"; "off": it can be had but is not in use; "missing": it should work and does not.
        detail: what was found: versions, models, places.
        remedy: what to do when it is off or missing.
        required: the bot cannot run while it is missing.
    """

    part: str
    state: State
    detail: str
    remedy: str | None = None
    required: bool = True


async def diagnose(settings: Settings) -> tuple[Check, ...]:
    """Looks at everything that the bot is made of, changing nothing.

    Args:
        settings: those the bot would run with.

    Returns:
        One check for each part.
    """
    return (
        _python(),
        _libraries(),
        _guarded("domains", lambda: _domains(settings)),
        _guarded("catalogue", lambda: _catalogue(settings)),
        _guarded("intents", _intent_model),
        _guarded("sentiment", lambda: _sentiment_model(settings)),
        await _rasa(settings),
        _data_folder(settings.data_dir),
        await _database(settings.database),
        _telegram(settings),
        _wikidata(settings),
    )


def _guarded(part: str, check: Callable[[], Check]) -> Check:
    """The check, or what its own error says."""
    try:
        return check()
    except ConverseError as error:
        return Check(part, "missing", str(error), "put the file right, or restore it with `git checkout -- data`")


def _python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Check("python", "ok", f"Python {version} in {sys.prefix}")


def _libraries() -> Check:
    found = {name: _version(name) for name in ("converse-bot", *_LIBRARIES)}
    missing = [name for name, version in found.items() if version is None]
    if missing:
        return Check("libraries", "missing", f"not installed: {', '.join(missing)}", "run `make setup`")
    return Check("libraries", "ok", ", ".join(f"{name} {version}" for name, version in found.items()))


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _domains(settings: Settings) -> Check:
    from data.domains import load_domains

    known = sorted(load_domains())
    if settings.domain not in known:
        return Check("domains", "missing", f"there is no domain {settings.domain!r}", f"use one of {', '.join(known)}")
    return Check("domains", "ok", f"{', '.join(known)}; chats begin with {settings.domain}")


def _catalogue(settings: Settings) -> Check:
    from bot.parts import catalogue_of
    from data.catalogue import STARTER
    from data.catalogue.summary import summarise

    summary = summarise(catalogue_of(settings))
    items = ", ".join(f"{count} {domain}" for domain, count in sorted(summary.items.items()))
    name = "starter catalogue" if settings.catalogue is None else str(settings.catalogue)
    return Check("catalogue", "ok", f"{name} ({settings.catalogue or STARTER}): {summary.entities} entities; {items}")


def _intent_model() -> Check:
    """The intent model, compared with the sha256 that its model card names."""
    from nlu.intents.server import default_model

    folder = default_model()
    files = sorted(folder.glob("*.tar.gz"), key=lambda file: file.stat().st_mtime)
    if not files:
        remedy = "restore it with `git checkout -- data/models`, or train it with `converse train intents`"
        return Check("intents", "missing", f"no model in {folder}", remedy)
    file = files[-1]
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    try:
        card = json.loads((folder / "model_card.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        card = {}
    about = (
        f"{card.get('backend')}, {card.get('pipeline')}" if card.get("sha256") == digest else "not in its model card"
    )
    return Check("intents", "ok", f"{file} ({about}; {file.stat().st_size / 1e6:.1f} MB, sha256 {digest[:12]}…)")


def _sentiment_model(settings: Settings) -> Check:
    """The sentiment model that the bot loads; its card vouches for its files."""
    from nlu.sentiment.card import ModelCard, model_folder

    folder = model_folder(settings.sentiment_model)
    card = ModelCard.load(folder)
    size = sum((folder / name).stat().st_size for name in card.files) / 1e6
    return Check("sentiment", "ok", f"{card.name} for Stanza ({folder}; {size:.1f} MB, made on {card.made_on})")


async def _rasa(settings: Settings) -> Check:
    """Rasa itself: a server that somebody else runs, or the environment in which the bot starts its own."""
    from nlu.intents.server import default_python

    if settings.rasa_url is not None:
        return await _foreign_rasa(settings.rasa_url)
    python = default_python()
    installed = list(python.parent.parent.glob("lib/python*/site-packages/rasa-[0-9]*.dist-info"))
    if not python.exists() or not installed:
        remedy = "run `make setup`, or set RASA_URL to the address of a Rasa server"
        return Check("rasa", "missing", f"Rasa's environment {python.parent.parent} is not complete", remedy)
    version = installed[0].name.removeprefix("rasa-").removesuffix(".dist-info")
    running = any(_runs(state) for state in (settings.data_dir / "rasa").glob("*/state.json"))
    state = "a server runs and will be shared" if running else "a local server starts with the bot"
    return Check("rasa", "ok", f"Rasa {version} in {python.parent.parent}; {state}")


def _runs(state: Path) -> bool:
    """Whether the server that left this state file still runs."""
    try:
        os.kill(json.loads(state.read_text(encoding="utf-8"))["pid"], 0)
    except (OSError, ValueError, KeyError):
        return False
    return True


async def _foreign_rasa(url: str) -> Check:
    try:
        async with httpx.AsyncClient(timeout=_SECONDS) as client:
            response = await client.get(f"{url.rstrip('/')}/status")
            model = response.raise_for_status().json().get("model_file")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        remedy = "start it, correct RASA_URL, or unset it so that the bot starts a local one"
        return Check("rasa", "missing", f"no Rasa with a model answers at {url} ({error})", remedy)
    return Check("rasa", "ok", f"server at {url} with model {model}")


def _data_folder(folder: Path) -> Check:
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        remedy = "choose another folder with --data-dir or CONVERSE_DATA_DIR"
        return Check("data folder", "missing", f"{folder} cannot be written", remedy)
    return Check("data folder", "ok", str(folder) if folder.exists() else f"{folder} (made at first use)")


async def _database(url: URL) -> Check:
    try:
        revision = _sqlite_revision(url) if url.get_backend_name() == "sqlite" else await _revision(url)
    except ConverseError as error:
        return Check("database", "missing", str(error), "see the message")
    state = f"revision {revision}" if revision else "tables are made at first use"
    return Check("database", "ok", f"{url.get_backend_name()} {shown_url(url)} ({state})")


def _sqlite_revision(url: URL) -> str | None:
    """The revision of a database file, which is neither made nor changed."""
    file = Path(str(url.database)).absolute()
    if not file.exists():
        return None
    with explained(url), closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        try:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'alembic_version'").fetchall()
            rows = connection.execute("SELECT version_num FROM alembic_version").fetchall() if tables else []
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
    return str(rows[0][0]) if rows else None


async def _revision(url: URL) -> str | None:
    engine = open_engine(url)
    try:
        with explained(url):
            async with engine.connect() as connection:
                known = await connection.scalar(text("SELECT to_regclass('alembic_version')"))
                found = await connection.scalar(text("SELECT version_num FROM alembic_version")) if known else None
        return None if found is None else str(found)
    finally:
        await engine.dispose()


def _telegram(settings: Settings) -> Check:
    if settings.telegram_bot_token is None:
        remedy = "get a token from @BotFather and set TELEGRAM_BOT_TOKEN"
        return Check("telegram", "off", "no bot token", remedy, required=False)
    way = f"webhook {settings.webhook_url}" if settings.webhook_url else "long polling"
    return Check("telegram", "ok", f"token set, {way}", required=False)


def _wikidata(settings: Settings) -> Check:
    if settings.wikidata_contact is None:
        remedy = "set CONVERSE_WIKIDATA_CONTACT to your e-mail address or a URL: Wikidata asks for it"
        return Check("wikidata", "off", "titles that the catalogue lacks are not looked up", remedy, required=False)
    return Check("wikidata", "ok", f"look-ups at {settings.wikidata_endpoint}", required=False)
