"""Dialogues of any content survive being written and read again, in every format."""

import json
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.formats import FORMATS, literals
from data.formats.model import Dialogue, Mention, Participant, Utterance
from data.formats.problems import Problem, ignore
from data.formats.rankings import bradley_terry, elo
from data.formats.tocheck import recompute
from tests.data.formats import small

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=60)
TIME = st.integers(1_000_000_000, 2_000_000_000).map(lambda seconds: seconds * 1000)


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    start = draw(TIME)
    said = draw(st.lists(st.tuples(st.sampled_from(["seeker", "recommender"]), TEXT), min_size=1, max_size=6))
    polarity = st.sampled_from(["+", "-"])
    mention = st.builds(lambda number, sign: Mention(qid=f"Q{number}", polarity=sign), st.integers(1, 10**8), polarity)
    return Dialogue(
        id=draw(st.text(string.ascii_letters + string.digits, min_size=1, max_size=12)),
        domain="movie",
        participants=(Participant("11", "seeker"), Participant("22", "recommender")),
        utterances=tuple(
            Utterance(
                str(number), role, text, at=start + number * 1000, mentions=tuple(draw(st.lists(mention, max_size=2)))
            )
            for number, (role, text) in enumerate(said)
        ),
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(dialogue=dialogues(), name=st.sampled_from(sorted(FORMATS)))
def test_what_was_said_comes_back(dialogue: Dialogue, name: str, tmp_path: Path) -> None:
    made = FORMATS[name]
    target = tmp_path / ("folder" if made.one_file_each else f"messages_nl{made.suffix}")
    if target.is_dir():
        for old in target.iterdir():
            old.unlink()
    made.write_dialogues(target, [dialogue])
    path = next(target.iterdir()) if made.one_file_each else target
    problems: list[Problem] = []
    assert list(made.check(path, "dialogues", problems.append)) or name == "converse"
    assert problems == []
    read = [utterance for found in made.dialogues(path, ignore) for utterance in found.utterances]
    expected = [u for u in dialogue.utterances if name != "converse" or u.role == "seeker"]
    assert [(u.role, u.text) for u in read] == [(u.role, u.text) for u in expected]


def _layout(name: str, records: list[dict[str, Any]]) -> bytes:
    """The file as the format's authors write it, by the standard library alone."""
    if name == "redial":
        return "".join(json.dumps(record) + "\n" for record in records).encode()
    if name == "recommind":
        return json.dumps(records[0], indent=2, ensure_ascii=False).encode()
    text = json.dumps(records, indent=4)
    return (text.replace("\n", "\r\n") if name == "converse" else text).encode()


def _filled(value: Any, draw: Callable[[], str]) -> Any:
    """The same record with other words in place of its texts."""
    if isinstance(value, dict):
        return {key: _filled(part, draw) for key, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, draw) for part in value]
    return draw() if isinstance(value, str) else value


@pytest.mark.parametrize("name", ["converse", "redial", "recommind", "crsarena"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_records_of_any_words_are_written_again_to_the_byte(name: str, data: st.DataObject, tmp_path: Path) -> None:
    made = FORMATS[name]
    source = small.MAKERS[name](tmp_path)
    words = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
    records = [_filled(record, lambda: data.draw(words)) for record in made.read(source, "dialogues", ignore)]
    source.write_bytes(_layout(name, records))
    problems: list[Problem] = []
    made.copy(source, "dialogues", tmp_path / "copy", problems.append)
    assert (tmp_path / "copy").read_bytes() == source.read_bytes()
    assert problems == []


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT, st.lists(st.tuples(TEXT, TEXT).map(list), max_size=2)), min_size=1, max_size=4))
def test_reddit_turns_of_any_words_come_back(tmp_path: Path, turns: list[tuple[str, str, list[list[str]]]]) -> None:
    rows = []
    for number, (raw, text, said) in enumerate(turns):
        cells = {"raw": repr(["USER", raw]), "processed": repr(["USER", text]), "context_raw": repr(said)}
        rows.append(small.reddit_row(f"t3_{number}_0/2", **cells))
    source = small.reddit_movie(tmp_path, rows)
    made = FORMATS["reddit-movie"]
    problems: list[Problem] = []
    read = list(made.check(source, "dialogues", problems.append))
    assert problems == []
    assert [row["raw"] for row in read] == [row["raw"] for row in rows]
    made.copy(source, "dialogues", tmp_path / "copy.csv", ignore)
    assert list(made.read(tmp_path / "copy.csv", "dialogues", ignore)) == read
    assert [u.text for one in made.dialogues(source, ignore) for u in one.utterances] == [raw for raw, _, _ in turns]


@given(st.lists(st.tuples(TEXT, TEXT).map(list), max_size=4))
def test_literal_cells_are_recognised_whatever_they_hold(pairs: list[list[str]]) -> None:
    assert literals.fits(repr(pairs), literals.PAIRS)
    assert literals.parse(repr(pairs)) == pairs
    assert not literals.fits(repr(pairs)[:-1], literals.PAIRS)


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("efgh"), st.sampled_from([0.0, 0.5, 1.0])), max_size=30)
)
def test_rankings_hold_together(outcomes: list[tuple[str, str, float]]) -> None:
    ratings = elo(outcomes)
    strengths = bradley_terry(outcomes)
    assert set(ratings) == set(strengths) == {name for one, two, _ in outcomes for name in (one, two)}
    assert abs(sum(ratings.values()) - 1000 * len(ratings)) < 0.1 * max(len(ratings), 1)
    assert all(part["low"] <= part["strength"] <= part["high"] for part in strengths.values())


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "message": TEXT,
                "intent": st.sampled_from(
                    ["preference", "preference - disambiguation", "request_recommendation", "skip"]
                ),
                "events": st.sampled_from(["", "preference", "question, preference, disambiguation"]),
                "recognizedObjects": st.sampled_from(["", "Q1+", "Q1-, Q2+"]),
            }
        ),
        max_size=12,
    )
)
def test_every_row_gets_a_flag(rows: list[dict[str, str]]) -> None:
    assert len(recompute(rows)) == len(rows)
