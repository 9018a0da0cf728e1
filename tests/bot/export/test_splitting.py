import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.export.splitting import Splits


@pytest.mark.parametrize("text", ["80/10", "80/10/20", "a/b/c", "80/10/10/0", "-10/100/10", "", "80 10 10", "²0/40/40"])
def test_shares_that_make_no_hundred_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"such as 80/10/10"):
        Splits.parsed(text, 1)


@given(st.sets(st.integers(1, 10**9), max_size=60), st.integers(0, 9))
def test_everybody_is_in_one_part_and_sizes_fit(users: set[int], seed: int) -> None:
    parts = Splits.parsed("80/10/10", seed).assign(users)
    assert sorted(user for part in parts.values() for user in part) == sorted(users)
    for name, share in zip(("train", "valid", "test"), (0.8, 0.1, 0.1), strict=True):
        assert abs(len(parts[name]) - share * len(users)) <= 1
    assert Splits.parsed("80/10/10", seed).assign(sorted(users, reverse=True)) == parts


def test_the_seed_decides_who_is_where() -> None:
    draws = {Splits((50, 0, 50), seed).assign(range(20))["train"] for seed in range(5)}
    assert len(draws) == 5
