"""Writes `docs/dialogue.md` from the tables of the dialogue: `python -m tools.dialogue_docs`."""

from pathlib import Path
from typing import get_args

from bot.dialogue.chart import ANYWHERE, OWN
from bot.dialogue.handlers import HANDLERS
from bot.dialogue.labels import EXACT
from bot.dialogue.questions import MENUS
from bot.dialogue.state import Phase, QuestionKind

TEMPLATE = Path(__file__).with_suffix("").with_name("dialogue.md.in")
PAGE = Path(__file__).parent.parent / "docs" / "dialogue.md"


def document() -> str:
    """The text of the page."""
    handlers = "\n".join(f"{number}. {handler.name}" for number, handler in enumerate(HANDLERS, 1))
    text = TEMPLATE.read_text("utf-8")
    parts = {"CHART": _chart(), "INTENTS": _intents(), "HANDLERS": handlers, "QUESTIONS": _questions()}
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _chart() -> str:
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    lines += [f"    anywhere --> {phase}: {why}" for phase, why in ANYWHERE.items()]
    lines += [f"    {phase} --> {after}: {why}" for phase, own in OWN.items() for after, why in own.items()]
    return "\n".join(lines)


def _questions() -> str:
    lines = ["| question | after a new subject |", "| --- | --- |"]
    lines += [
        f"| {kind.replace('_', ' ')} | {'dropped' if kind in MENUS else 'waits, asked once more'} |"
        for kind in get_args(QuestionKind)
    ]
    return "\n".join(lines)


def _intents() -> str:
    phases = list(Phase)
    lines = ["| coarse intent | elsewhere | " + " | ".join(phase.replace("_", " ") for phase in phases) + " |"]
    lines.append("|" + " --- |" * (len(phases) + 2))
    for coarse, row in EXACT.items():
        cells = [row.get(phase, "") for phase in phases]
        lines.append(f"| {coarse} | {row[None]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Writes the page."""
    PAGE.write_text(document(), "utf-8")


if __name__ == "__main__":
    main()
