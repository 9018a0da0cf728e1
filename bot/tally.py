"""How far counted work is, on stderr: a bar with rate and time left on a terminal, otherwise a line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Tally", "bars", "shown_bar", "shown_tally"]

EVERY_SECONDS = 10.0


class Tally(Protocol):
    """Told how far the work is."""

    def count(self, what: str, done: int, total: int) -> None:
        """Shows what is being done, how much of it is done, and how much there is (0: not known)."""
        ...


@contextmanager
def shown_tally() -> Iterator[Tally]:
    """Shows how far the work is while the context lasts."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield _Bars(progress)


class _Bars:
    """A bar for each step."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def count(self, what: str, done: int, total: int) -> None:
        """Moves the bar of this step."""
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=total or None, rate="")
        task = self._progress.tasks[self._tasks[what]]
        rate = f"{done / task.elapsed:.0f}/s" if task.elapsed else ""
        self._progress.update(task.id, completed=done, total=total or None, rate=rate)


class _Lines:
    """A line for each step at its beginning, and again every few seconds."""

    def __init__(self) -> None:
        self._steps: dict[str, tuple[float, float]] = {}

    def count(self, what: str, done: int, total: int) -> None:
        """Writes a line when the last one is long enough ago."""
        now = time.monotonic()
        begun, told = self._steps.get(what, (now, now - EVERY_SECONDS))
        if now - told < EVERY_SECONDS and done != total:
            return
        self._steps[what] = (begun, now)
        rate = done / (now - begun) if now > begun else 0.0
        left = f", {(total - done) / rate:.0f} s left" if rate and total else ""
        sys.stderr.write(f"{what}: {done}{f' of {total}' if total else ''} ({rate:.0f}/s{left})\n")
        sys.stderr.flush()


def bars() -> "Progress":
    """Bars for counted steps, on a terminal only; they go when the work is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def shown_bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar for one step, on a terminal only; gives the function that moves it on by one."""
    with bars() as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
