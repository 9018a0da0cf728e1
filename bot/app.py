"""Composition root: makes the running bot out of its parts, as the settings say."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import httpx

from bot.clock import utc_now
from bot.config import Settings
from bot.dialogue.manager import DialogueManager
from bot.dialogue.scene import Policy
from bot.dialogue.state import DialogueState
from bot.errors import StorageError
from bot.likes import shared_likes
from bot.parts import catalogue_of, linker_of
from bot.storage.store import SqlStore, open_store
from data.catalogue import Catalogue
from data.domains import DomainConfig, find_domain, load_domains
from data.model import Domain
from nlu.entities.linker import CatalogueLinker
from nlu.entities.wikidata import WikidataClient
from nlu.intents.recognizer import RasaIntentRecognizer
from nlu.intents.server import managed_rasa
from nlu.sentiment.card import model_folder
from nlu.sentiment.recognizer import StanzaSentimentRecognizer
from nlu.understanding import Understander
from recommender import build_recommender
from recommender.elicitation import find_strategy
from recommender.model import Recommender
from recommender.variants import find_variant

Progress = Callable[[str, float], None]
"""Told what is being waited for, and for how many seconds already."""


@dataclass(frozen=True, slots=True)
class Bot:
    """The bot, ready to answer."""

    manager: DialogueManager
    store: SqlStore
    catalogue: Catalogue
    domains: Mapping[Domain, DomainConfig]
    rasa_url: str

    async def problems(self) -> Mapping[str, str]:
        """What does not work at the moment, by part; nothing when all does."""
        found = {}
        try:
            async with self.store.reading():
                pass
        except StorageError as error:
            found["database"] = str(error)
        try:
            async with httpx.AsyncClient(timeout=2.0, trust_env=False) as client:
                (await client.get(f"{self.rasa_url}/status")).raise_for_status()
        except httpx.HTTPError as error:
            found["rasa"] = type(error).__name__
        return found


@asynccontextmanager
async def running_bot(
    settings: Settings, progress: Progress, clock: Callable[[], datetime] = utc_now
) -> AsyncIterator[Bot]:
    """Starts everything that the bot consists of, and ends it with the context.

    While Rasa starts, the rest is loaded.

    Args:
        settings: validated ones.
        progress: told what is going on.
        clock: gives the present moment, with time zone.

    Yields:
        The bot.

    Raises:
        ConverseError: something is missing, wrong or does not start; the message says what to do.
    """
    domains = load_domains()
    find_domain(settings.domain, domains)
    find_variant(settings.variant)
    if settings.elicitation is not None:
        find_strategy(settings.elicitation)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings.database, clock))
        loading = asyncio.create_task(_load(settings, store, domains))
        rasa = managed_rasa(settings.data_dir / "rasa", url=settings.rasa_url, on_progress=progress)
        starting = asyncio.create_task(stack.enter_async_context(rasa))
        url, parts = await _both(starting, loading)
        if settings.share_likes:
            await stack.enter_async_context(shared_likes(store, parts.recommender))
        intents = RasaIntentRecognizer(url, timeout=settings.rasa_timeout)
        stack.push_async_callback(intents.aclose)
        yield Bot(_manager(settings, store, parts, intents, clock), store, parts.catalogue, domains, url)


async def _both(starting: "asyncio.Task[str]", loading: "asyncio.Task[_Parts]") -> "tuple[str, _Parts]":
    """The results of both; when one fails, the other is not waited for."""
    tasks = {starting, loading}
    await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    failed = next((task for task in tasks if not task.cancelled() and task.exception()), None)
    if failed is not None:
        failed.result()
    return starting.result(), loading.result()


def _manager(
    settings: Settings,
    store: SqlStore,
    parts: "_Parts",
    intents: RasaIntentRecognizer,
    clock: Callable[[], datetime],
) -> DialogueManager:
    return DialogueManager(
        store,
        Understander(intents, parts.linker, parts.sentiment),
        parts.recommender,
        parts.catalogue,
        parts.domains,
        clock=clock,
        rng=random.Random(settings.seed),
        policy=policy_of(settings),
        initial=initial_state(settings),
        backends=(("intents", "rasa"), ("sentiment", "stanza"), ("recommender", settings.variant)),
    )


def policy_of(settings: Settings) -> Policy:
    """What the settings say about the dialogue."""
    return Policy(
        recommendations=settings.recommendations,
        variant=settings.variant,
        elicitation=settings.elicitation,
        thin=settings.minimum_preferences,
    )


def initial_state(settings: Settings) -> DialogueState:
    """The state of a user never seen before."""
    return DialogueState(domain=settings.domain, language=settings.language, mode=settings.mode)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is loaded from files."""

    domains: Mapping[Domain, DomainConfig]
    catalogue: Catalogue
    linker: CatalogueLinker
    sentiment: StanzaSentimentRecognizer
    recommender: Recommender


async def _load(settings: Settings, store: SqlStore, domains: Mapping[Domain, DomainConfig]) -> _Parts:
    learned = await store.learned()
    folder = model_folder(settings.sentiment_model)
    sentiment = asyncio.create_task(asyncio.to_thread(StanzaSentimentRecognizer, folder))
    catalogue = await asyncio.to_thread(catalogue_of, settings)
    wikidata = WikidataClient.configured(settings.wikidata_contact, settings.wikidata_endpoint, domains, store)
    linker = await asyncio.to_thread(linker_of, settings, catalogue, domains, wikidata)
    for entity in learned:
        linker.learn(entity)
    recommender = await asyncio.to_thread(build_recommender, catalogue, domains, settings.data_dir / "graph")
    return _Parts(domains, catalogue, linker, await sentiment, recommender)
