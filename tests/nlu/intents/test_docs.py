"""`docs/labels.md` says what the code does."""

from pathlib import Path

from bot.dialogue import labels
from nlu.intents.rules import rules


def test_every_label_and_rule_is_documented(root: Path) -> None:
    text = (root / "docs" / "labels.md").read_text(encoding="utf-8")
    for exact, coarse in labels.COARSE.items():
        assert f"| `{exact}` | {coarse} |" in text
    for coarse, row in labels.EXACT.items():
        entries = "; ".join(f"{phase.value}: `{exact}`" for phase, exact in row.items() if phase is not None)
        assert f"| {coarse} | `{row[None]}` | {entries} |" in text
    for rule in (rule for part in rules().values() for rule in part):
        recorded, words = (pattern.replace("|", "\\|") for pattern in (rule.labels, rule.words))
        assert f"| {rule.name} | `{recorded}` | `{words}` | " in text
