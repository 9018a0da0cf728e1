"""The researchers' pages: studies to make, to watch and to finish, behind a login."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from fastapi import APIRouter

from bot.channels.web.pages import Pages
from bot.dashboard.accounts import AccountStore
from bot.dashboard.guard import Guard
from bot.dashboard.listing import form_routes, listing_routes, upload_routes
from bot.dashboard.parts import Parts
from bot.dashboard.results import results_routes
from bot.dashboard.signing import account_routes, signing_routes
from bot.dashboard.watching import participant_routes, watching_routes
from bot.export.dialogues import Lookup
from bot.storage.store import SqlStore
from bot.study.studies import Studies
from data.domains import DomainConfig
from data.model import Domain

TEMPLATES = Path(__file__).with_name("templates")
"""Folder of the templates, for `Pages`."""

_ROUTES = (
    signing_routes,
    account_routes,
    listing_routes,
    form_routes,
    upload_routes,
    watching_routes,
    participant_routes,
    results_routes,
)


def router(
    pages: Pages,
    store: SqlStore,
    studies: Studies,
    domains: Mapping[Domain, DomainConfig],
    lookup: Lookup,
    clock: Callable[[], datetime],
) -> APIRouter:
    """Everything at `/admin`.

    Args:
        pages: made with the folder TEMPLATES.
        store: the database.
        studies: those that run here; new ones join them.
        domains: the bot's.
        lookup: what the catalogue knows about an id.
        clock: gives the present moment, with time zone.
    """
    parts = Parts(pages, store, studies, domains, lookup, clock, Guard(AccountStore(store)))
    made = APIRouter()
    for routes in _ROUTES:
        made.include_router(routes(parts))
    return made
