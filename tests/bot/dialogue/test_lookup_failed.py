"""With Wikidata down the chat goes on, and says once that it could not look a title up."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from sqlalchemy import make_url

from bot.channels.base import Turn, UserKey
from bot.dialogue.manager import DialogueManager
from bot.dialogue.wording import load_wordings
from bot.storage.store import open_store
from data.catalogue import Catalogue
from data.domains import DomainConfig
from nlu.entities.linker import CatalogueLinker
from nlu.entities.wikidata import WikidataClient
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.bot.dialogue.doubles import SaidIntents, SaidSentiment

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOBODY = "http://127.0.0.1:9/sparql"


async def test_a_failed_look_up_is_told_once(
    tmp_path: Path, catalogue: Catalogue, domains: Mapping[str, DomainConfig], recommender: Recommender
) -> None:
    told = load_wordings()["en"].says["lookup_failed"]
    linker = CatalogueLinker(catalogue, domains, wikidata=WikidataClient.configured("ann@example.org", NOBODY, domains))
    async with open_store(make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db"), lambda: NOW) as store:
        manager = DialogueManager(
            store,
            Understander(SaidIntents(), linker, SaidSentiment()),
            recommender,
            catalogue,
            domains,
            clock=lambda: NOW,
            rng=Random(0),
        )

        async def say(text: str, user: str = "anna") -> bool:
            reply = (await manager.handle(Turn(UserKey("console", user), f"{user} {text}", "text", text, NOW))).reply
            return any(words in text for words in told for text in reply.texts)

        assert [await say(text) for text in ("I like Titanic", "I like Zorblax", "I like Qwertzon")] == [
            False,
            True,
            False,
        ]
        assert await say("I like Zorblax", "ben")
