"""Makes the web site out of a running bot."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import FastAPI

from bot import dashboard
from bot.app import Bot, initial_state
from bot.channels.privacy import PrivacyDesk
from bot.channels.throttle import Throttle
from bot.channels.web.app import create_app
from bot.channels.web.chat import FILTERS
from bot.channels.web.front import Front
from bot.channels.web.pages import Pages
from bot.channels.web.studies import StudyPages
from bot.channels.web.talks import Talks
from bot.channels.wording import load_channel_wordings
from bot.clock import utc_now
from bot.config import Settings
from bot.logs import UserHash
from bot.metrics import Metrics
from bot.study.config import StudyConfig
from bot.study.running import with_studies

SHARING = 20
"""So many visitors may share one address of the network and all write as much as they are allowed."""


@dataclass(frozen=True, slots=True)
class Site:
    """The application, and what is told when it ends."""

    app: FastAPI
    talks: Talks


def build_site(settings: Settings, bot: Bot, studies: Sequence[StudyConfig], metrics: Metrics) -> Site:
    """The site.

    Args:
        settings: of the bot.
        bot: the running bot.
        studies: from files; those made in the browser join them.
        metrics: count the turns.

    Raises:
        ConfigError: a study has a level that the bot does not know.
    """
    pages = Pages(dashboard.TEMPLATES)
    pages.filters.update(FILTERS)
    talks = Talks(bot.store, Throttle(settings.messages_per_minute), UserHash(secrets.token_bytes(32)), metrics)
    desk = PrivacyDesk(bot.manager, bot.store, load_channel_wordings(), initial_state(settings), utc_now)
    running = with_studies(studies, settings, bot, desk)
    routers = (
        Front(pages, talks, desk, bot.domains, utc_now).router(),
        StudyPages(pages, talks, running, utc_now).router(),
        dashboard.router(pages, bot.store, running, bot.domains, bot.catalogue.get, utc_now),
    )
    throttle = Throttle(SHARING * settings.messages_per_minute)
    return Site(create_app(pages, bot.problems, throttle, *routers), talks)
