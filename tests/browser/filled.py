"""A study with simulated participants for the pictures of the researchers' pages."""

from datetime import timedelta
from pathlib import Path
from random import Random

from bot.app import running_bot
from bot.clock import utc_now
from bot.config import load_settings
from bot.dashboard.accounts import AccountStore
from bot.storage.store import open_store
from bot.study.config import load_study
from bot.study.running import study_desk
from bot.study.simulate import SimulatedClock, simulate
from tests.browser.conftest import STUDY

NAME, PASSWORD = "olga", "correct horse battery"
GROUPS = 5
"""Groups of participants, each some days after the one before."""


async def fill(folder: Path, rasa_url: str, participants: int) -> None:
    """Makes an account, and lets people take part over several days; some of the last group have not finished yet.

    Args:
        folder: data folder of the server.
        rasa_url: where Rasa answers.
        participants: how many.
    """
    settings = load_settings(data_dir=folder, rasa_url=rasa_url, seed=1)
    clock = SimulatedClock(utc_now() - timedelta(days=6))
    async with running_bot(settings, lambda *_: None) as bot, open_store(settings.database, clock) as store:
        desk = study_desk(load_study(STUDY), settings, store, bot.manager, bot.manager, clock)
        draw = Random(1)
        for group in range(GROUPS):
            turns = 9 if group == GROUPS - 1 else 250
            await simulate(desk, bot.catalogue, clock, participants // GROUPS, seed=group, most_turns=turns)
            clock.think(draw.uniform(0.5, 1.3) * 24 * 3600)
        await AccountStore(store).add(NAME, "owner", PASSWORD, "setup")
