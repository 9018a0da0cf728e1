import re
from pathlib import Path

from bot.clock import utc_now
from bot.config import Settings
from bot.storage import studies
from bot.storage.store import open_store

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "privacy.md"


def test_the_page_on_privacy_names_every_column() -> None:
    rows = re.findall(r"^\| (\w+) \| ((?:`\w+`(?:, )?)+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {table: re.findall(r"`(\w+)`", columns) for table, columns in rows}
    for name, table in studies.participants.metadata.tables.items():
        assert set(documented[name]) >= {column.name for column in table.columns}, name


async def test_the_page_on_privacy_names_every_file_of_the_data_folder(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "bot").rglob("*.py")]
    named = {name for source in sources for name in re.findall(r'data_dir / "([^"]+)"', source)}
    async with open_store(Settings(data_dir=tmp_path).database, utc_now) as store, store.reading():
        made = {path.name for path in tmp_path.iterdir()}
    assert "rasa" in named
    assert "converse.db.lock" in made
    assert [name for name in sorted(named | made) if f"`{name}`" not in text and f"`{name}/`" not in text] == []
