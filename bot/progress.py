"""What long work is waiting for, on stderr: a spinner on a terminal, otherwise a line now and then."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY_SECONDS = 10.0


@contextmanager
def shown_progress() -> Iterator[Callable[[str, float], None]]:
    """A function that is told what is being waited for, and for how many seconds already."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("Starting") as status:
            yield lambda what, seconds: status.update(f"{what} ({seconds:.0f} s)" if seconds >= 1 else what)
    else:
        yield _Lines().tell


class _Lines:
    """Writes each thing once, and again every few seconds."""

    def __init__(self) -> None:
        self._told: tuple[str, float] = ("", 0.0)

    def tell(self, what: str, seconds: float) -> None:
        last, since = self._told
        if what == last and seconds - since < EVERY_SECONDS:
            return
        self._told = (what, seconds)
        sys.stderr.write(f"{what} ({seconds:.0f} s)\n" if seconds >= 1 else f"{what}\n")
        sys.stderr.flush()
