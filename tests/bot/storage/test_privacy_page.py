import re
from pathlib import Path

from bot.storage import studies

PAGE = Path(__file__).parents[3] / "docs" / "privacy.md"


def test_the_page_on_privacy_names_every_column() -> None:
    rows = re.findall(r"^\| (\w+) \| ((?:`\w+`(?:, )?)+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {table: re.findall(r"`(\w+)`", columns) for table, columns in rows}
    for name, table in studies.participants.metadata.tables.items():
        assert set(documented[name]) >= {column.name for column in table.columns}, name
