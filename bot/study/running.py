"""Makes the desk of a study out of a running bot."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import get_args

from bot.app import Bot
from bot.channels.conversation import Conversation
from bot.clock import utc_now
from bot.config import Settings
from bot.dialogue.manager import DialogueManager
from bot.dialogue.scene import Policy
from bot.dialogue.state import DialogueState, InteractionMode, Profile
from bot.dialogue.wording import load_wordings
from bot.errors import ConfigError
from bot.storage.store import SqlStore
from bot.study.assignment import Condition
from bot.study.config import FactorName, StudyConfig
from bot.study.desk import StudyDesk
from bot.study.store import StudyStore
from bot.study.studies import Studies
from bot.study.task_store import TaskStore
from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.model import Domain
from recommender import VARIANTS
from recommender.elicitation import STRATEGIES
from recommender.model import Recommender, Request

_LISTED = 5


class CatalogueScribe:
    """Makes the lists of battles with the bot's recommender."""

    def __init__(self, store: StudyStore, catalogue: Catalogue, recommender: Recommender) -> None:
        self._store = store
        self._catalogue = catalogue
        self._recommender = recommender

    async def battle_list(self, variant: str, profile: Profile, domain: str) -> Sequence[str]:
        """Labels with years of what a variant recommends for a profile."""
        liked = tuple(one.qid for one in profile.preferences if one.polarity == "+")
        disliked = tuple(one.qid for one in profile.preferences if one.polarity == "-")
        known = frozenset((*liked, *disliked, *(one.qid for one in profile.shown)))
        found = self._recommender.recommend(Request(domain, liked, disliked, known, n=_LISTED, variant=variant))
        return [self._titled(item.qid) for item in found.items]

    async def pair_counts(self) -> Sequence[tuple[str, str, int]]:
        """How often each pair was compared."""
        async with self._store.sql.reading() as connection:
            return await self._store.pairs(connection)

    def label(self, qid: str) -> str:
        """Name of an entity."""
        return self._catalogue.label(qid)

    def _titled(self, qid: str) -> str:
        entity = self._catalogue.get(qid)
        return entity.titled if entity else self._catalogue.label(qid)


def study_desk(
    study: StudyConfig,
    settings: Settings,
    store: SqlStore,
    manager: DialogueManager,
    otherwise: Conversation,
    clock: Callable[[], datetime],
) -> StudyDesk:
    """The desk of a study.

    Args:
        study: the study.
        settings: of the bot; the study's factors override them.
        store: the database.
        manager: the bot's; what it knows and understands serves the study too.
        otherwise: answers whoever does not take part.
        clock: gives the present moment.

    Raises:
        ConfigError: a factor has a level that the bot does not know.
    """
    know = manager.know
    check_levels(study, know.domains)

    def changed(condition: Condition, kept: TaskStore) -> DialogueManager:
        return DialogueManager(
            kept,
            manager.understander,
            know.recommender,
            know.catalogue,
            know.domains,
            clock=clock,
            rng=random.Random(settings.seed),
            policy=policy_in(know.policy, condition),
            initial=state_in(settings, condition, settings.language),
        )

    scribe = CatalogueScribe(StudyStore(store, study), know.catalogue, know.recommender)
    return StudyDesk(study, store, otherwise, changed, partial(state_in, settings), scribe, clock)


def with_studies(studies: Sequence[StudyConfig], settings: Settings, bot: Bot, otherwise: Conversation) -> Studies:
    """What answers turns when studies run: the desks of these and of those made in the browser, and everyone else's.

    Args:
        studies: the studies, checked.
        settings: of the bot.
        bot: the running bot.
        otherwise: answers whoever does not take part in any.

    Raises:
        ConfigError: a factor has a level that the bot does not know.
    """

    def make(study: StudyConfig) -> StudyDesk:
        return study_desk(study, settings, bot.store, bot.manager, otherwise, utc_now)

    return Studies(studies, make, bot.store, otherwise)


def policy_in(policy: Policy, condition: Condition) -> Policy:
    """The policy as a condition changes it."""
    elicitation = condition.get("elicitation", policy.elicitation)
    return replace(
        policy,
        variant=str(condition.get("variant", policy.variant)),
        elicitation=None if elicitation in (None, "none") else str(elicitation),
        explanations=bool(condition.get("explanations", policy.explanations)),
        fixed_mode=condition.get("mode") is not None,
    )


def state_in(settings: Settings, condition: Condition, language: str) -> DialogueState:
    """The state in which a condition begins."""
    mode = condition.get("mode", settings.mode)
    return DialogueState(
        domain=str(condition.get("domain", settings.domain)),
        language=str(condition.get("language", language)),
        mode=mode,  # type: ignore[arg-type]  # checked by check_levels
        domain_chosen=condition.get("domain") is not None,
    )


def known_levels(domains: Mapping[Domain, DomainConfig]) -> Mapping[FactorName, tuple[str | bool, ...]]:
    """What each factor can be set to.

    Args:
        domains: all of them.
    """
    return {
        "mode": get_args(InteractionMode),
        "domain": tuple(domains),
        "variant": tuple(VARIANTS),
        "elicitation": tuple(STRATEGIES),
        "explanations": (True, False),
        "language": tuple(load_wordings()),
    }


def check_levels(study: StudyConfig, domains: Mapping[Domain, DomainConfig]) -> None:
    """Raises ConfigError for a level that the bot does not know."""
    known = known_levels(domains)
    for name, factor in study.factors.items():
        for level in factor.levels:
            if level not in known[name]:
                raise ConfigError(f"factors.{name}: {level!r} is none of {_named(known[name])}")
    for variant in study.battles.variants if study.battles else ():
        if variant not in known["variant"]:
            raise ConfigError(f"battles.variants: {variant!r} is none of {_named(known['variant'])}")
    for language in study.languages:
        if language not in known["language"]:
            raise ConfigError(f"languages: {language!r} is none of {_named(known['language'])}")


def _named(levels: Iterable[str | bool]) -> str:
    return ", ".join(str(level).lower() if isinstance(level, bool) else level for level in levels)
