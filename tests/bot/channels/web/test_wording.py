"""What the pages say is in the wording files, all of it and nothing else."""

import re
from pathlib import Path

from bot.channels.web import pages
from bot.channels.web.wording import load_page_wordings

FOLDER = Path(pages.__file__).parent
MADE = re.compile(r"error_\d+(_title)?|sample_\d")


def keys_in_use() -> set[str]:
    templates = "".join(path.read_text("utf-8") for path in (FOLDER / "templates").glob("*.html"))
    code = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.py"))
    said = re.findall(r"\bt\(\s*['\"](\w+)['\"]", templates)
    passed = re.findall(r"heading=\"(\w+)\", texts=\(\"(\w+)\",\)", code)
    return {*said, *(key for pair in passed for key in pair), "language_name"}


def test_every_text_that_pages_ask_for_exists_in_every_language() -> None:
    for language, texts in load_page_wordings().items():
        missing = sorted(keys_in_use() - set(texts.keys()))
        assert missing == [], language


def test_no_text_is_left_over() -> None:
    known = set(load_page_wordings()["en"].keys())
    assert sorted(key for key in known - keys_in_use() if not MADE.fullmatch(key)) == []


def test_every_status_that_is_explained_has_a_text() -> None:
    known = set(load_page_wordings()["en"].keys())
    for status in (400, 403, 404, 413, 429, 500):
        assert {f"error_{status}", f"error_{status}_title"} <= known
