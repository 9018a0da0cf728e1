"""The page on the dialogue says what the code does."""

from pathlib import Path

from bot.dialogue.chart import ANYWHERE, OWN
from bot.dialogue.state import Phase
from tools.dialogue_docs import document


def test_the_page_is_up_to_date(root: Path) -> None:
    page = (root / "docs" / "dialogue.md").read_text("utf-8")
    assert page == document(), "run `python -m tools.dialogue_docs`"


def test_every_phase_is_drawn_and_can_be_reached() -> None:
    assert set(OWN) == set(Phase)
    assert set(ANYWHERE) | {after for own in OWN.values() for after in own} == set(Phase)
