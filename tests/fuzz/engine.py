"""Inputs that come close to valid ones: good examples with some of their bytes changed, doubled, cut or moved."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

SEEDS = Path(__file__).parent / "seeds"
"""Inputs that once failed: one folder a target, tried first in every run."""
FOUND = Path(__file__).parents[2] / ".hypothesis" / "fuzz"
SPITEFUL = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"{", b"}", b"[", b"]", b'"', b"\\u0000", b"\\ud800", b"null",
    b"-1", b"1e999", b"NaN", b"99999999999999999999999", b"[" * 200, b'{"a":' * 200, b"\n", b"\r", b"\t", b",", b":",
    b"''", b"'; --", b"<script>", b"&#0;", b"*_`", b"../../", b"!!python/object/apply:os.system", b"&a [*a]",
    "\u202e\u0301\U0001f600".encode(),
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, examples: Sequence[bytes]) -> bytes:
    """One of the examples, changed in a few places."""
    data = bytearray(draw(st.sampled_from(examples)))
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(data)))
        end = min(len(data), place + draw(st.sampled_from([0, 1, 2, 8, 64])))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            data[place:end] = draw(st.sampled_from(SPITEFUL))
        elif kind == 1:
            data[place:end] = draw(st.binary(max_size=8))
        elif kind == 2:
            data[place:place] = data[place:end]
        else:
            del data[place:end]
    return bytes(data)


def seeds(target: str) -> list[bytes]:
    """What once failed."""
    return [path.read_bytes() for path in sorted((SEEDS / target).glob("*"))]


def fuzz(check: Callable[[bytes], None], target: str, examples: Sequence[bytes], count: int) -> None:
    """Tries what once failed, then so many new inputs; the same ones each time when they are few.

    Args:
        check: raises when an input is dealt with badly.
        target: names the folder of seeds.
        examples: good inputs.
        count: how many inputs to make.
    """
    for seed in seeds(target):
        check(seed)
    few = count < 1000

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=few,
        database=None if few else DirectoryBasedExampleDatabase(FOUND),
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate] if few else [Phase.reuse, Phase.generate, Phase.shrink],
    )
    @given(mutated(examples))
    def run(data: bytes) -> None:
        check(data)

    run()
