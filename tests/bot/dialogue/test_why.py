from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from sqlalchemy import make_url

from bot.channels.base import Reply, Turn, UserKey
from bot.dialogue.manager import DialogueManager
from bot.storage.store import open_store
from data.catalogue import Catalogue
from data.domains import DomainConfig
from nlu.entities.linker import CatalogueLinker
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.bot.dialogue.doubles import SaidIntents, SaidSentiment

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANNA = UserKey("console", "anna")


async def test_asking_why_gives_a_sketch_of_the_reasons_that_the_text_names(
    tmp_path: Path,
    catalogue: Catalogue,
    domains: Mapping[str, DomainConfig],
    linker: CatalogueLinker,
    recommender: Recommender,
) -> None:
    intents = SaidIntents()
    async with open_store(make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db"), lambda: NOW) as store:
        manager = DialogueManager(
            store,
            Understander(intents, linker, SaidSentiment()),
            recommender,
            catalogue,
            domains,
            clock=lambda: NOW,
            rng=Random(0),
        )

        async def say(text: str, coarse: str) -> Reply:
            intents.coarse = coarse
            return (await manager.handle(Turn(ANNA, text, "text", text, NOW))).reply

        await say("I like The Godfather", "preference")
        shown = await say("recommend me a movie", "request_recommendation")
        told = await say("why?", "why")
    assert shown.sketch is None
    assert told.sketch is not None
    text = " ".join(told.texts)
    assert told.sketch.item in text
    assert told.sketch.branches[0].value in text
    assert any("The Godfather" in name for branch in told.sketch.branches for name in (branch.value, *branch.liked))
