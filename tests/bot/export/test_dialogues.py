from pathlib import Path

import pytest

from bot.export.dialogues import to_dialogues, write_dialogues
from data.formats import WRITERS
from data.formats.problems import Problem
from tests.bot.export.test_converse import written


def test_a_dialogue_for_each_user_and_domain_with_both_sides() -> None:
    found = to_dialogues(written())
    assert {domain: [dialogue.id for dialogue in dialogues] for domain, dialogues in found.items()} == {
        "movie": ["movie-1", "movie-2"],
        "music": ["music-2"],
    }
    first = found["movie"][0]
    assert [(utterance.role, utterance.text) for utterance in first.utterances[:3]] == [
        ("seeker", "I like Heat"),
        ("recommender", "Noted."),
        ("recommender", "Which <one>?"),
    ]
    assert [mention.qid for mention in first.utterances[0].mentions] == ["Q42198"]


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_every_format_can_be_written_and_read_again(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    made = write_dialogues(to_dialogues(written()), writer, tmp_path)
    assert len(made) == 2
    files = [file for path in made for file in ([path] if path.is_file() else sorted(path.iterdir()))]
    assert files
    assert all(file.stat().st_size for file in files)
    if name == "dialoguekit":
        return
    problems: list[Problem] = []
    read = [dialogue for file in files for dialogue in writer.dialogues(file, problems.append)]  # type: ignore[attr-defined]
    texts = [utterance.text for dialogue in read for utterance in dialogue.utterances]
    assert "I like Heat" in texts
