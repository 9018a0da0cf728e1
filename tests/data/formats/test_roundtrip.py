"""Dialogues of any content survive being written and read again, in every format."""

import string
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.formats import FORMATS, literals
from data.formats.model import Dialogue, Mention, Participant, Utterance
from data.formats.problems import Problem, ignore
from data.formats.rankings import bradley_terry, elo
from data.formats.tocheck import recompute

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
