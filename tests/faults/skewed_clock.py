"""`converse` with a clock that is wrong by as many seconds as a file says: `python skewed_clock.py FILE COMMAND…`."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import bot.clock
from bot.cli import main

skew = Path(sys.argv.pop(1))


def skewed_now() -> datetime:
    """The present moment as the wrong clock shows it."""
    return datetime.now(UTC) + timedelta(seconds=float(skew.read_text()))


bot.clock.utc_now = skewed_now
main()
