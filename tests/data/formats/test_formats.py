"""Every format: detection, round trips, faults, conversions and statistics, on small files of our own."""

import json
from pathlib import Path

import pytest

from data.errors import DataError, MissingFileError, UsageError
from data.formats import FORMATS, WRITERS, open_dataset
from data.formats.convert import SIDE_FILE, convert
from data.formats.model import Dialogue, Mention, Utterance
from data.formats.problems import Problem, ignore
from tests.data.formats import small


def problems_of(path: Path, name: str | None = None) -> list[Problem]:
    dataset = open_dataset(path, name)
    found: list[Problem] = []
    for file, kind in dataset.files.items():
        for _ in dataset.format.check(file, kind, found.append):
            pass
    return found


def fields_of(path: Path, name: str | None = None) -> set[str]:
    return {problem.field for problem in problems_of(path, name)}


@pytest.mark.parametrize("name", FORMATS)
def test_format_is_detected_and_small_files_are_clean(name: str, tmp_path: Path) -> None:
    small.MAKERS[name](tmp_path)
    assert open_dataset(tmp_path).format.name == name
    assert problems_of(tmp_path) == []


@pytest.mark.parametrize("name", FORMATS)
def test_conversion_within_a_format_keeps_every_byte_and_the_layout(name: str, tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    small.MAKERS[name](source)
    made = convert(open_dataset(source), name, out, ignore)
    files = sorted(path.relative_to(source) for path in source.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    for path in files if name != "reddit-movie" else []:
        assert (out / path).read_bytes() == (source / path).read_bytes()
    assert made.complete


def test_a_missing_final_newline_stays_missing(tmp_path: Path) -> None:
    path = small.redial(tmp_path, final_newline=False)
    convert(open_dataset(path), "redial", tmp_path / "out.jsonl", ignore)
    assert (tmp_path / "out.jsonl").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("target", WRITERS)
@pytest.mark.parametrize("name", FORMATS)
def test_any_format_converts_to_any_other_and_the_result_is_valid(name: str, target: str, tmp_path: Path) -> None:
    if name == target:
        return
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    small.MAKERS[name](source)
    texts = [
        utterance.text
        for path, kind in open_dataset(source).files.items()
        if kind == "dialogues"
        for dialogue in FORMATS[name].dialogues(path, ignore)
        for utterance in dialogue.utterances
        if utterance.role == "seeker"
    ]
    made = convert(open_dataset(source), target, out, ignore)
    assert made.dialogues > 0
    side = json.loads((out / SIDE_FILE).read_text(encoding="utf-8"))
    assert side["lost"] or side["left_out"]
    if target == "dialoguekit":
        return
    (out / SIDE_FILE).unlink()
    assert problems_of(out, target) == []
    again = [
        utterance.text
        for path, kind in open_dataset(out, target).files.items()
        if kind == "dialogues"
        for dialogue in FORMATS[target].dialogues(path, ignore)
        for utterance in dialogue.utterances
        if utterance.role == "seeker"
    ]
    marked = {"redial"} & {name, target}
    assert len(again) == len(texts)
    assert marked or sorted(again) == sorted(texts)


def test_what_a_target_cannot_hold_is_counted(tmp_path: Path) -> None:
    small.redial(tmp_path)
    out = tmp_path / "out"
    made = convert(open_dataset(tmp_path / "train_data.jsonl"), "converse", out, ignore)
    assert made.lost["recommender.text"] == 3
    assert made.lost["entities"] == 3


def test_truncated_file_is_reported_and_the_rest_still_checked(tmp_path: Path) -> None:
    rows = [small.converse_row(number) for number in range(1, 6)]
    rows[1]["intent"] = "nonsense"
    path = small.converse(tmp_path, rows)
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) - 200])
    found = problems_of(path)
    assert any(problem.field == "intent" and problem.record == "2" for problem in found)
    assert any("not JSON" in problem.message for problem in found)


def test_a_broken_record_does_not_hide_the_next(tmp_path: Path) -> None:
    path = small.converse(tmp_path, [small.converse_row(number) for number in range(1, 5)])
    text = path.read_text(encoding="utf-8").replace('"messageID": "2",', '"messageID": 2x,').replace('"4"', '"3"')
    path.write_text(text, encoding="utf-8", newline="")
    found = problems_of(path)
    assert any("not JSON" in problem.message and problem.record == "2" for problem in found)
    assert any("occurs twice" in problem.message for problem in found)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"userID": "1"}, "userID"),
        ({"toCheck": 1}, "toCheck"),
        ({"pagerankCycle": -1}, "pagerankCycle"),
        ({"timestampEnd": 5}, "timestampEnd"),
        ({"recognizedObjects": "Q1"}, "recognizedObjects"),
        ({"contexts": "preference-followup, property_type_disambiguation"}, "contexts"),
        ({"events": "preference, nothing"}, "events"),
        ({"interactionType": "mixed"}, "interactionType"),
        ({"extra": 1}, "extra"),
    ],
)
def test_converse_faults_name_their_field(change: dict[str, object], field: str, tmp_path: Path) -> None:
    assert field in fields_of(small.converse(tmp_path, [small.converse_row(1), small.converse_row(2, **change)]))


def test_wrong_encoding_nan_and_repeated_keys_are_reported(tmp_path: Path) -> None:
    path = small.converse(tmp_path)
    path.write_bytes(
        path.read_bytes().replace(b"I like", b"I l\xefke").replace(b'"pagerankCycle": 0', b'"pagerankCycle": NaN')
    )
    messages = " ".join(str(problem) for problem in problems_of(path))
    assert "not UTF-8" in messages
    assert "NaN" in messages


def test_redial_faults(tmp_path: Path) -> None:
    path = small.redial(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    broken = json.loads(lines[0])
    broken["initiatorQuestions"]["7"]["liked"] = 3
    broken["initiatorQuestions"]["99"] = {"suggested": 0, "seen": 0, "liked": 0}
    broken["messages"][0]["senderWorkerId"] = 77
    path.write_text("\n".join([json.dumps(broken), "{cut", lines[1], lines[1]]), encoding="utf-8")
    found = [str(problem) for problem in problems_of(path)]
    for expected in ("7.liked", "99", "senderWorkerId", "not JSON", "occurs twice"):
        assert any(expected in line for line in found), expected


def test_deep_nesting_and_huge_lines_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small.redial(tmp_path)
    monkeypatch.setattr("data.formats.jsontext.MAX_RECORD", 3_000)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"messages": "' + "x" * 4_000 + '"}\n' + json.dumps(small.redial_dialogue(9)) + "\n")
    found = problems_of(path)
    assert len(found) == 1
    assert "longer than" in found[0].message
    path.write_text(json.dumps(small.redial_dialogue(1)) + "\n" + "[" * 2_900 + "\n", encoding="utf-8")
    monkeypatch.setattr("data.formats.jsontext.MAX_RECORD", 10_000_000)
    path.write_text(json.dumps(small.redial_dialogue(1)) + "\n" + "[" * 200_000 + "\n", encoding="utf-8")
    assert len(problems_of(path)) == 1


def test_recommind_and_arena_faults(tmp_path: Path) -> None:
    path = small.recommind(tmp_path)
    text = path.read_text(encoding="utf-8").replace("なし", "たぶん").replace('"enjoyment": 5', '"enjoyment": 6')
    path.write_text(text, encoding="utf-8")
    assert {"utterances[1].internal_states[0].knowledge.seeker", "seeker.questionnaire.enjoyment"} <= fields_of(path)
    folder = tmp_path / "arena"
    folder.mkdir()
    small.crsarena(folder)
    votes = folder / "votes_open.csv"
    votes.write_text(votes.read_text(encoding="utf-8").replace(",tie,", ",nobody,"), encoding="utf-8")
    assert "vote" in fields_of(folder)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"processed": "['USER', 'unclosed"}, "processed"),
        ({"processed": "__import__('os')"}, "processed"),
        ({"raw": "['USER']"}, "raw"),
        ({"context_raw": "['USER', 'flat']"}, "context_raw"),
        ({"context_turn_ids": "t3_x"}, "context_turn_ids"),
        ({"upvotes": "many"}, "upvotes"),
        ({"is_seeker": "perhaps"}, "is_seeker"),
        ({"utc_time": "yesterday"}, "utc_time"),
        ({"conv_id": "t3_rt7enj"}, "conv_id"),
    ],
)
def test_reddit_faults_name_their_column(change: dict[str, object], field: str, tmp_path: Path) -> None:
    rows = [small.reddit_row(order=0), small.reddit_row(order=1, **change), small.reddit_row(order=2)]
    assert fields_of(small.reddit_movie(tmp_path, rows)) == {field}


def test_reddit_quirks_are_no_faults(tmp_path: Path) -> None:
    rows = [
        small.reddit_row(order=0, upvotes="null", is_seeker="true"),
        small.reddit_row(order=1, upvotes="6.0", is_seeker="False", context_turn_ids="[ 't3_x0' ]"),
    ]
    assert problems_of(small.reddit_movie(tmp_path, rows)) == []


def test_reddit_mentions_get_their_words_from_the_raw_text(tmp_path: Path) -> None:
    path = small.reddit_movie(tmp_path)
    dialogue = next(FORMATS["reddit-movie"].dialogues(path, ignore))
    assert dialogue.utterances[0].mentions[0].text == "Thor: Ragnarok"
    assert dialogue.entities[0].name == "Thor: Ragnarok (2017)"


def test_a_movie_has_one_number_throughout_a_redial_file(tmp_path: Path) -> None:
    mentions = {"tt0078748": "Alien", "Q42198": "Heat", "": "something else"}
    dialogues = [
        Dialogue(
            str(number),
            tuple(
                Utterance(str(place), "seeker", text, mentions=(Mention(text=text, entity=entity or None),))
                for place, (entity, text) in enumerate(sorted(mentions.items(), reverse=number == 1))
            ),
        )
        for number in (1, 2)
    ]
    path = tmp_path / "out.jsonl"
    FORMATS["redial"].write_dialogues(path, dialogues)
    first, second = FORMATS["redial"].read(path, "dialogues", ignore)
    assert first["movieMentions"] == second["movieMentions"]
    assert {"78748", "42198"} < set(first["movieMentions"])


def test_statistics_of_small_files(tmp_path: Path) -> None:
    arena = tmp_path / "arena"
    arena.mkdir()
    small.crsarena(arena)
    dataset = open_dataset(arena)
    found = dataset.format.statistics(dataset.files, ignore)
    assert (found["dialogues"], found["votes"], found["ties"]) == (6, 3, 1)
    assert found["percent_satisfied"] == {"bad": 0.0, "good": 100.0}
    assert found["elo"]["good"] > 1000 > found["elo"]["bad"]
    strengths = found["bradley_terry"]
    assert strengths["good"]["low"] < strengths["good"]["strength"] < strengths["good"]["high"]
    reddit = tmp_path / "reddit"
    reddit.mkdir()
    small.reddit_movie(reddit)
    dataset = open_dataset(reddit)
    found = dataset.format.statistics(dataset.files, ignore)
    assert {name: found[name] for name in ("conversations", "turns", "users", "items")} == {
        "conversations": 2,
        "turns": 6,
        "users": 3,
        "items": 1,
    }


def test_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="no such file"):
        open_dataset(tmp_path / "nothing")
    with pytest.raises(DataError, match="no file in a known format"):
        open_dataset(tmp_path)
    small.redial(tmp_path)
    with pytest.raises(UsageError, match="unknown format"):
        open_dataset(tmp_path, "paper")
    dataset = open_dataset(tmp_path)
    with pytest.raises(UsageError, match="unknown format"):
        convert(dataset, "paper", tmp_path / "out", ignore)
    with pytest.raises(DataError, match="lies in the source"):
        convert(dataset, "redial", tmp_path / "inside", ignore)
    small.crsarena(tmp_path)
    with pytest.raises(DataError, match="several formats"):
        open_dataset(tmp_path)
