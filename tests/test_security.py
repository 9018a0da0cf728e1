"""What an attacker may try (docs/security.md); more tests of it stand beside the code that they are about."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import httpx
import pytest
import yaml
from sqlalchemy.engine import URL

from bot.channels.base import Turn, UserKey
from bot.channels.privacy import AGREE, FORGET, PrivacyDesk
from bot.channels.telegram.server import health_routes, serving
from bot.channels.wording import load_channel_wordings
from bot.dialogue.manager import DialogueManager
from bot.dialogue.state import DialogueState
from bot.errors import ConfigError
from bot.records import TurnResult
from bot.storage.store import SqlStore, open_store
from bot.study.config import read_study
from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.formats import open_dataset
from data.formats.convert import convert
from data.formats.problems import ignore
from nlu.entities.linker import CatalogueLinker
from nlu.entities.words import load_words
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.bot.dialogue.doubles import SaidIntents, SaidSentiment
from tests.data.formats import small

ROOT = Path(__file__).resolve().parents[1]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANNA, EVE = UserKey("telegram", "1"), UserKey("telegram", "666")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "converse.db"))
    async with open_store(url, lambda: NOW) as opened:
        yield opened


class Bot:
    """The dialogue behind consent, with recognisers that never see an opinion."""

    def __init__(self, desk: PrivacyDesk) -> None:
        self._desk = desk
        self._number = 0

    async def __call__(self, user: UserKey, text: str = "", option: str | None = None) -> TurnResult:
        self._number += 1
        kind = "text" if option is None else "option"
        return await self._desk.handle(Turn(user, str(self._number), kind, text, NOW, option))  # type: ignore[arg-type]


@pytest.fixture
async def bot(
    store: SqlStore,
    linker: CatalogueLinker,
    recommender: Recommender,
    catalogue: Catalogue,
    domains: Mapping[str, DomainConfig],
) -> Bot:
    understander = Understander(SaidIntents(), linker, SaidSentiment(None))
    manager = DialogueManager(store, understander, recommender, catalogue, domains, clock=lambda: NOW, rng=Random(1))
    initial = DialogueState(domain_chosen=True)
    bot = Bot(PrivacyDesk(manager, store, load_channel_wordings(), initial, lambda: NOW))
    for user in (ANNA, EVE):
        await bot(user, option=AGREE)
    return bot


async def test_the_buttons_of_others_do_nothing(bot: Bot, store: SqlStore) -> None:
    asked = (await bot(ANNA, "Ghostbusters")).reply
    assert asked.options, "the opinion is asked"
    before = await store.my_data(ANNA)
    for option in asked.options:
        await bot(EVE, option.label, option.id)
    stolen = await store.my_data(EVE)
    assert stolen["preferences"] == []
    assert await store.my_data(ANNA) == before
    await bot(ANNA, asked.options[0].label, asked.options[0].id)
    assert len((await store.my_data(ANNA))["preferences"]) == 1


async def test_only_ones_own_data_is_forgotten_and_exported(bot: Bot, store: SqlStore) -> None:
    await bot(ANNA, "Titanic")
    before = await store.my_data(ANNA)
    shown = (await bot(EVE, "/export_my_data 1")).reply
    assert shown.attachment is None, "nobody else can be named"
    await bot(EVE, option=f"{FORGET}:1")
    await bot(EVE, "/forget_me 1")
    await bot(EVE, option=FORGET)
    assert await store.my_data(EVE) == {}
    assert await store.my_data(ANNA) == before


async def test_no_file_can_be_guessed_and_errors_say_nothing(unused_tcp_port: int) -> None:
    async def fails() -> Mapping[str, str]:
        raise RuntimeError("123:secret-token in /srv/private")

    routes = health_routes(fails, lambda: b"")
    async with (
        serving(routes, "127.0.0.1", unused_tcp_port),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{unused_tcp_port}", trust_env=False) as client,
    ):
        for path in ("/my_data.json", "/export/1", "/converse.db", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/."):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()) == (404, {"status": 404})
        broken = await client.get("/readyz")
    assert broken.json() == {"status": 500}
    assert "server" not in {name.casefold() for name in broken.headers}


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['touch hacked']",
        "name: !!python/object/apply:os.system ['touch hacked']",
        "name: !!python/name:os.system",
        "name: &a [*a]",
        "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)),
        "[" * 3_000,
    ],
    ids=["tag", "tag in a field", "name", "endless", "billion laughs", "deep"],
)
def test_yaml_runs_nothing_and_ends(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        read_study(text, "study.yaml")
    assert len(str(caught.value)) < 10_000
    assert list(tmp_path.iterdir()) == []


def test_yaml_is_read_by_the_safe_loader_everywhere() -> None:
    for package in ("bot", "nlu", "recommender", "data"):
        for file in (ROOT / package).rglob("*.py"):
            for call in re.findall(r"yaml\.(?:unsafe_|full_)?load(?:_all)?\([^\n]*", file.read_text(encoding="utf-8")):
                assert "Loader=loader" in call, f"{file}: {call}"
    assert load_words(), "its loader makes strings only:"
    assert yaml.load("a: !!python/name:os.system", Loader=yaml.CBaseLoader) == {"a": ""}


def test_ids_in_a_data_set_do_not_become_paths(tmp_path: Path) -> None:
    source, out = tmp_path / "in" / "deep", tmp_path / "in" / "out"
    source.mkdir(parents=True)
    dialogue = small.redial_dialogue(1) | {"conversationId": "../../../hacked"}
    (source / "train_data.jsonl").write_text(json.dumps(dialogue) + "\n")
    made = convert(open_dataset(source), "recommind", out, ignore)
    written = [path for path in tmp_path.rglob("*") if path.is_file() and source not in path.parents]
    assert written
    assert made.dialogues == 1
    assert all(path.is_relative_to(out) for path in written)


async def test_a_deep_or_long_message_ends(bot: Bot) -> None:
    for text in ("(" * 4000, "I like " + "and " * 1000, "a" * 4096, "1 " * 2000, "not " * 1000, "\u0301" * 4000):
        result = await asyncio.wait_for(bot(ANNA, text), 60)
        assert result.reply.texts
