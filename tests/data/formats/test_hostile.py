"""Files as they should not be: every fault is reported with its record, and what is well is still read."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.errors import DataError
from data.formats import FORMATS, WRITERS, open_dataset
from data.formats.convert import NothingReadError, convert
from data.formats.jsontext import JsonStyle, read_array, read_lines
from data.formats.mapping import EntityMapper
from data.formats.problems import Problem
from tests.data.formats import small
from tests.data.formats.test_formats import problems_of


def told(path: Path, name: str | None = None) -> str:
    return "\n".join(map(str, problems_of(path, name)))


def rows_of(path: Path) -> tuple[list[Any], list[Problem]]:
    problems: list[Problem] = []
    return list(read_array(path, problems.append)), problems


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8-sig", "byte order mark"), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16-LE")]
)
def test_other_encodings_are_reported_and_read(name: str, encoding: str, expected: str, tmp_path: Path) -> None:
    path = small.MAKERS[name](tmp_path)
    path.write_bytes(path.read_bytes().decode().encode(encoding))
    found = problems_of(path)
    assert len(found) == 1
    assert expected in found[0].message
    assert sum(1 for _ in FORMATS[name].dialogues(path, lambda _: None)) > 0


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_wrong_bytes_are_reported(name: str, tmp_path: Path) -> None:
    path = small.MAKERS[name](tmp_path)
    raw = path.read_bytes()
    word = next(word for word in (b"like", b"liked", b"sharks", b"love", "苦手".encode()) if word in raw)
    path.write_bytes(raw.replace(word, b"\xff\xfe", 1))
    assert "not UTF-8" in told(path, name)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"[]", b"{}", b"null", b"\x00\x01\x02", b"[1, 2", b'"', b"," * 99])
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_files_of_nothing_never_end_in_a_traceback(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"file{FORMATS[name].suffix}"
    path.write_bytes(content)
    problems_of(path, name)
    dataset = open_dataset(path, name)
    dataset.format.statistics(dataset.files, lambda _: None)


@pytest.mark.parametrize("name", sorted(FORMATS))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damage_anywhere_never_ends_in_a_traceback(name: str, data: st.DataObject, tmp_path: Path) -> None:
    path = small.MAKERS[name](tmp_path)
    raw = path.read_bytes()
    at = data.draw(st.integers(0, len(raw) - 1))
    cut = data.draw(st.integers(0, 40))
    path.write_bytes(raw[:at] + data.draw(st.binary(max_size=6)) + raw[at + cut :])
    problems_of(path, name)
    dataset = open_dataset(path, name)
    dataset.format.statistics(dataset.files, lambda _: None)
    list(dataset.format.dialogues(path, lambda _: None))


ODD = [None, True, 0, -1, 3.5, "", [], {}, "x", [1], {"a": 1}, 10**30, "²", "\ud800", float("nan"), [None], "0"]


def _odd(value: Any, luck: Random, share: float) -> Any:
    """The same value with parts left out, added, or replaced by something else."""
    if luck.random() < share:
        return luck.choice(ODD)
    if isinstance(value, dict):
        kept = {key: _odd(part, luck, share) for key, part in value.items() if luck.random() > share / 2}
        return kept | ({"extra": luck.choice(ODD)} if luck.random() < share / 2 else {})
    return [_odd(part, luck, share) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"reddit-movie"}))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(luck=st.randoms(use_true_random=False), share=st.sampled_from([0.01, 0.03, 0.1]))
def test_records_of_any_shape_never_end_in_a_traceback(name: str, luck: Random, share: float, tmp_path: Path) -> None:
    path = small.MAKERS[name](tmp_path)
    text = path.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in (text.splitlines() if name == "redial" else [text])]
    path.write_text("\n".join(json.dumps(_odd(line, luck, share)) for line in lines), encoding="utf-8")
    problems_of(path, name)
    dataset = open_dataset(path, name)
    dataset.format.statistics(dataset.files, lambda _: None)
    for target in WRITERS:
        with suppress(NothingReadError):
            convert(dataset, target, tmp_path / f"to-{target}", lambda _: None, mapper=EntityMapper([]))
    small.MAKERS[name](tmp_path)


def test_records_keep_their_numbers_after_a_broken_one(tmp_path: Path) -> None:
    path = small.converse(tmp_path, [small.converse_row(number) for number in range(1, 6)])
    text = path.read_bytes().replace(b'"messageID": "2",', b'"messageID": 2x,').replace(b'"4"', b'"four"')
    path.write_bytes(text)
    assert [(problem.record, problem.field) for problem in problems_of(path)] == [("2", ""), ("4", "messageID")]


def test_a_row_without_its_end_does_not_take_the_next_along(tmp_path: Path) -> None:
    path = small.converse(tmp_path, [small.converse_row(number) for number in range(1, 6)])
    lines = path.read_bytes().split(b"\r\n")
    del lines[1 + 15 + 10 : 1 + 15 + 15]
    path.write_bytes(b"\r\n".join(lines))
    rows, problems = rows_of(path)
    assert [row["messageID"] for row in rows] == ["1", "3", "4", "5"]
    assert [problem.record for problem in problems] == ["2"]


def test_a_broken_dialogue_does_not_turn_its_utterances_into_records(tmp_path: Path) -> None:
    path = small.crsarena(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"id": "good",', b'"id": good,', 1))
    assert [problem.record for problem in problems_of(path)] == ["1"]


@pytest.mark.parametrize(
    ("text", "values", "faults"),
    [
        ('[{"a": 1} {"a": 2}]', 2, "no comma"),
        ('[{"a": 1},, {"a": 2}]', 2, "nothing after it"),
        ('[{"a": 1},]', 1, "nothing after it"),
        ('[{"a": 1}] trailing', 1, "more text after"),
        ('[{"a": 1}, null, 7, {"a": 2}]', 2, "expected an object"),
        ('[{"a": ' + "9" * 5000 + '}, {"a": 2}]', 1, "not readable"),
        ('[{"a": ' + "[" * 100_000 + '}, {"a": 2}]', 1, "nested too deeply"),
        ('[{"a": 1}, {"a": "never closed', 1, "not JSON"),
        ('[{"a": 1}', 1, "ends in the middle"),
        ('[\n{"a": tru},\n{"a": 2}\n]', 1, "not JSON"),
        ('{"a": [{"b": 1}]}', 0, "expected a JSON list"),
    ],
)
def test_arrays_are_read_as_far_as_they_go(text: str, values: int, faults: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    rows, problems = rows_of(path)
    assert len(rows) == values
    assert any(faults in problem.message for problem in problems)


@given(
    rows=st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=300), max_size=4), max_size=30),
    indent=st.sampled_from([None, 0, 1, 4]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_arrays_longer_than_a_piece_are_read_whole(
    rows: list[dict[str, str]], indent: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(rows, indent=indent, ensure_ascii=False), encoding="utf-8", errors="surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("data.formats.jsontext._BLOCK", 17)
        read, problems = rows_of(path)
    if not any("UTF-8" in problem.message for problem in problems):
        assert (read, problems) == (rows, [])


@given(values=st.lists(st.dictionaries(st.text(max_size=3), st.lists(st.text(max_size=4), max_size=2), max_size=3)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_list_that_streams_by_is_written_as_the_whole_list_is(values: list[Any], tmp_path: Path) -> None:
    for style in (JsonStyle(indent=4, line_end="\r\n"), JsonStyle(indent=2, ascii_only=False)):
        assert style.write_array(tmp_path / "list.json", iter(values)) == len(values)
        assert (tmp_path / "list.json").read_bytes() == style.dump(values)


def test_a_huge_element_is_reported_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.formats.jsontext.MAX_RECORD", 200_000)
    path = tmp_path / "file.json"
    rows = [{"a": "x"}, {"a": "y" * 900_000}, {"a": "z"}]
    path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    read, problems = rows_of(path)
    assert read == [rows[0], rows[2]]
    assert [(problem.record, problem.message.split(",")[0]) for problem in problems] == [
        ("2", "longer than 200000 characters")
    ]


def test_huge_and_null_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.formats.jsontext.MAX_RECORD", 100)
    path = tmp_path / "file.jsonl"
    path.write_text('{"a": 1}\n' + '{"a": "' + "x" * 500 + '"}\nnull\n\n{"a": 2}', encoding="utf-8")
    problems: list[Problem] = []
    assert list(read_lines(path, problems.append)) == [{"a": 1}, {"a": 2}]
    assert [problem.record for problem in problems] == ["2", "3"]


def test_csv_goes_on_after_an_unclosed_quote(tmp_path: Path) -> None:
    rows = [small.reddit_row(f"t3_{name}_0/2", 1) for name in "abcdef"]
    path = small.reddit_movie(tmp_path, rows)
    text = path.read_text(encoding="utf-8").replace('"[\'SYSTEM\', ""They', "['SYSTEM', \"\"They", 1)
    lines = text.splitlines(keepends=True)
    path.write_text("".join(lines), encoding="utf-8", newline="")
    problems: list[Problem] = []
    made = FORMATS["reddit-movie"]
    read = [row["conv_id"] for row in made.check(path, "dialogues", problems.append)]
    assert problems
    assert read[-4:] == ["t3_c_0/2", "t3_d_0/2", "t3_e_0/2", "t3_f_0/2"]


def test_wrong_bytes_in_a_csv_cost_no_row_and_repeat_none(tmp_path: Path) -> None:
    rows = [small.reddit_row(f"t3_{number}_0/2", 0) for number in range(3000)]
    path = small.reddit_movie(tmp_path, rows)
    raw = path.read_bytes()
    place = raw.index(b"t3_2500_0/2") + 100
    path.write_bytes(raw[:place] + b"\xff" + raw[place:])
    problems: list[Problem] = []
    read = [row["conv_id"] for row in FORMATS["reddit-movie"].check(path, "dialogues", problems.append)]
    assert read == [row["conv_id"] for row in rows]
    assert [problem.message for problem in problems] == ["not UTF-8"]


def test_forced_on_the_wrong_format_everything_is_a_fault_but_no_traceback(tmp_path: Path) -> None:
    path = small.redial(tmp_path)
    for name in FORMATS:
        if name != "redial":
            assert problems_of(path, name), name


def test_keys_in_any_order_and_any_indentation_are_still_the_format(tmp_path: Path) -> None:
    for name in ("converse", "redial", "recommind", "crsarena"):
        path = small.MAKERS[name](tmp_path / name) if (tmp_path / name).mkdir() is None else tmp_path
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines() if name == "redial" else [text]
        turned = [_turned(json.loads(line)) for line in lines]
        layout = None if name == "redial" else 1
        path.write_text("\n".join(json.dumps(value, indent=layout) for value in turned), encoding="utf-8")
        assert open_dataset(path).format.name == name


def _turned(value: Any) -> Any:
    """The same with keys in the opposite order, at every depth."""
    if isinstance(value, dict):
        return {key: _turned(part) for key, part in reversed(value.items())}
    return [_turned(part) for part in value] if isinstance(value, list) else value


def test_utterance_ids_may_be_those_of_the_files_or_of_the_card(tmp_path: Path) -> None:
    path = small.crsarena(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"good-u', b'"good_u'))
    assert problems_of(path) == []
    path.write_bytes(path.read_bytes().replace(b'"good_u1_0"', b'"good_u1_9"'))
    assert [problem.field for problem in problems_of(path)] == ["conversation[0].utterance ID"]


def test_a_folder_of_nothing_and_packed_files_are_one_clear_message(tmp_path: Path) -> None:
    (tmp_path / "messages_nl.json.gz").write_bytes(b"\x1f\x8b\x08\x00" + b"\x00" * 40)
    for name in (None, "converse"):
        with pytest.raises(DataError, match="no file in"):
            open_dataset(tmp_path, name)
    with pytest.raises(DataError) as caught:
        open_dataset(tmp_path, "converse")
    assert "--format" not in str(caught.value)
