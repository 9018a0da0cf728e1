"""The real parts of the bot, started once for the whole session: Rasa, Stanza, the catalogue, the recommender.

Heavy imports stand in the fixtures, so that tests that need none of these parts start at once.
"""

import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from data.domains import DomainConfig, load_domains

if TYPE_CHECKING:
    from data.catalogue import Catalogue
    from nlu.entities.linker import CatalogueLinker
    from nlu.sentiment.recognizer import StanzaSentimentRecognizer
    from nlu.understanding import Understander
    from recommender.model import Recommender


# The same inputs in every run; `make fuzz` looks for new ones.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def domains() -> Mapping[str, DomainConfig]:
    """The domains that ship."""
    return load_domains()


@pytest.fixture(scope="session")
def catalogue() -> "Catalogue":
    """The starter catalogue."""
    from data.catalogue import load_catalogue

    return load_catalogue()


@pytest.fixture(scope="session")
def recommender(catalogue: "Catalogue", domains: Mapping[str, DomainConfig]) -> "Recommender":
    """The recommender on the starter catalogue."""
    from recommender import build_recommender

    return build_recommender(catalogue, domains)


@pytest.fixture(scope="session")
def linker(catalogue: "Catalogue", domains: Mapping[str, DomainConfig]) -> "CatalogueLinker":
    """The entity linker on the starter catalogue, without look-ups."""
    from nlu.entities.linker import CatalogueLinker

    return CatalogueLinker(catalogue, domains)


@pytest.fixture(scope="session")
async def rasa_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """A real Rasa server with the shipped model; RASA_URL names one that runs already."""
    from nlu.intents.server import managed_rasa

    async with managed_rasa(tmp_path_factory.mktemp("rasa"), url=os.environ.get("RASA_URL")) as url:
        yield url


@pytest.fixture(scope="session")
def sentiment() -> "StanzaSentimentRecognizer":
    """Stanza with the shipped model."""
    from nlu.sentiment.recognizer import StanzaSentimentRecognizer

    return StanzaSentimentRecognizer()


@pytest.fixture(scope="session")
async def understander(
    rasa_url: str, linker: "CatalogueLinker", sentiment: "StanzaSentimentRecognizer"
) -> "AsyncIterator[Understander]":
    """Understands messages with the real recognisers."""
    from nlu.intents.recognizer import RasaIntentRecognizer
    from nlu.understanding import Understander

    async with RasaIntentRecognizer(rasa_url, timeout=20) as intents:
        yield Understander(intents, linker, sentiment)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).parent.parent
