"""A fourth domain is one YAML file: titles are linked, recommended and explained without a line of code."""

from datetime import UTC, datetime
from pathlib import Path
from random import Random

from sqlalchemy import make_url

from bot.channels.base import Turn, UserKey
from bot.dialogue.manager import DialogueManager
from bot.dialogue.state import DialogueState
from bot.storage.store import open_store
from data.catalogue import Catalogue
from data.domains import load_domains
from data.model import Entity
from nlu.entities.linker import CatalogueLinker
from nlu.understanding import Understander
from recommender import build_recommender
from tests.bot.dialogue.doubles import SaidIntents, SaidSentiment

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GAMES = """
name: game
labels: {en: games, it: giochi}
nouns: {en: [game, video game], it: [gioco]}
kinds: [game]
classes: {Q7889: game}
properties:
  P178: {labels: {en: developer, it: sviluppatore}, values: company, weight: 0.9}
  P136: {labels: {en: genre, it: genere}, values: genre, weight: 0.8}
"""


def game(number: int, label: str, studio: str, genre: str) -> Entity:
    relations = {"P178": (studio,), "P136": (genre,)}
    return Entity(f"Q{number}", label, "game", "game", 2000 + number % 20, 0.5, relations=relations)


CATALOGUE = [
    game(101, "Lantern Keep", "Q1", "Q3"),
    game(102, "Lantern Keep: Ashes", "Q1", "Q3"),
    game(103, "Brickfall", "Q2", "Q4"),
    game(104, "Tidewalker", "Q2", "Q4"),
    Entity("Q1", "Copper Owl", "company"),
    Entity("Q2", "Plain Stone", "company"),
    Entity("Q3", "stealth game", "genre"),
    Entity("Q4", "puzzle game", "genre"),
]


async def test_a_conversation_about_games(tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_text(GAMES, encoding="utf-8")
    domains, catalogue, intents = load_domains(tmp_path), Catalogue(CATALOGUE), SaidIntents()
    async with open_store(make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db"), lambda: NOW) as store:
        manager = DialogueManager(
            store,
            Understander(intents, CatalogueLinker(catalogue, domains), SaidSentiment()),
            build_recommender(catalogue, domains),
            catalogue,
            domains,
            clock=lambda: NOW,
            rng=Random(0),
            initial=DialogueState(domain="game"),
        )

        async def say(text: str, coarse: str) -> str:
            intents.coarse = coarse
            result = await manager.handle(Turn(UserKey("console", "anna"), text, "text", text, NOW))
            assert result.record is not None
            assert result.record.domain == "game"
            return "\n".join(result.reply.texts)

        assert "Brickfall" in await say("I like Brickfall", "preference")
        assert "Tidewalker" in await say("recommend me a game", "request_recommendation")
        assert "Plain Stone" in await say("why?", "why")
        assert "developer" in await say("who is the developer?", "details")
