import pytest

from bot.tally import shown_tally


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_is_written_now_and_then_with_rate_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("bot.tally.time.monotonic", clock)
    with shown_tally() as tally:
        tally.count("items", 0, 100)
        for second in range(1, 21):
            clock.now = float(second)
            tally.count("items", second * 2, 100)
        clock.now = 50.0
        tally.count("items", 100, 100)
        tally.count("lines", 7, 0)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "items: 0 of 100 (0/s)",
        "items: 20 of 100 (2/s, 40 s left)",
        "items: 40 of 100 (2/s, 30 s left)",
        "items: 100 of 100 (2/s, 0 s left)",
        "lines: 7 (0/s)",
    ]
