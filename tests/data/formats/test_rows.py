import json
from pathlib import Path

import pytest

from data.errors import DataError, MissingFileError
from data.formats.rows import load_rows
from tests.data.formats import small


def test_all_files_of_a_folder_with_their_domains(tmp_path: Path) -> None:
    small.converse(tmp_path)
    (tmp_path / "music").mkdir()
    rows = [small.converse_row(1, userID="mid.7", contexts="", extra=1), small.converse_row(1, events="suggestion")]
    (tmp_path / "music" / "messages_mixed.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(rows).encode())
    (tmp_path / "notes.json").write_text("[]")
    found = load_rows(tmp_path)
    assert [(file.name, file.domain, len(file.rows)) for file in found] == [
        ("movie/messages_nl.json", "movie", 2),
        ("music/messages_mixed.json", "music", 2),
    ]
    assert found[1].rows[0]["userID"] == "mid.7"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "expected a JSON list"),
        ('[{"userID": 1}]', "row 1 has no message, intent"),
        ('[{"recognizedObjects": ', "not JSON"),
        ("[]", "hold no rows"),
        (json.dumps([small.converse_row(), small.converse_row(message=5)]), "row 2: message must be text"),
        (json.dumps([small.converse_row(userID=[1])]), "row 1: userID must be"),
    ],
)
def test_what_cannot_be_used_is_named_with_the_remedy(content: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "movie" / "messages_nl.json"
    path.parent.mkdir()
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=words) as caught:
        load_rows(tmp_path)
    assert "converse dataset validate" in str(caught.value)


@pytest.mark.parametrize("name", ["", "nowhere"])
def test_a_folder_without_files_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="messages_nl"):
        load_rows(tmp_path / name)
