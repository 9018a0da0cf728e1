import json
from pathlib import Path

import numpy as np
import pytest

from data.catalogue.catalogue import Catalogue
from data.errors import DataError, MissingFileError
from data.model import Entity
from nlu.model import Span
from nlu.sentiment.corpora import converse, left_out, redial, snippets
from nlu.sentiment.examples import Sources, agreeing, gather
from nlu.sentiment.grammar import Instance
from nlu.sentiment.masking import normalised

CATALOGUE = Catalogue(
    [
        Entity("Q1", "Metropolis", "film", domain="movie"),
        Entity("Q2", "Nosferatu", "film", domain="movie", aliases=("Nosferatu: A Symphony of Horror",)),
    ]
)


def dialogue(number: int, text: str, liked: dict[str, int]) -> str:
    answers = {movie: {"suggested": 0, "seen": 1, "liked": value} for movie, value in liked.items()}
    message = {"timeOffset": 0, "text": text, "senderWorkerId": 1, "messageId": number}
    return json.dumps(
        {"conversationId": str(number), "messages": [message], "initiatorQuestions": answers, "respondentQuestions": []}
    )


def row(message: str, objects: str, intent: str = "preference", user: int = 1) -> dict[str, object]:
    return {
        "messageID": "1",
        "userID": user,
        "message": message,
        "timestampStart": 1,
        "timestampEnd": 2,
        "intent": intent,
        "contexts": "",
        "toCheck": False,
        "recognizedObjects": objects,
        "events": "",
        "pagerankCycle": 0,
        "numberRecommendationList": 0,
        "interactionType": "NL",
    }


def released(folder: Path, rows: list[dict[str, object]]) -> Path:
    (folder / "movie").mkdir(parents=True)
    (folder / "movie" / "messages_nl.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def test_redial_answers_are_the_signs_of_the_films_in_a_message(tmp_path: Path) -> None:
    path = tmp_path / "valid.jsonl"
    path.write_text(dialogue(1, "Saw @11 and @12, not @13", {"11": 1, "12": 0, "13": 2}) + "\n", encoding="utf-8")
    (opinion,) = redial([path])
    assert opinion.signs == ("+", "-", "?")
    assert [opinion.text[span.start : span.end] for span in opinion.targets] == ["@11", "@12", "@13"]
    assert [example.label for example in opinion.instances()] == ["+", "-"]


def test_converse_objects_are_found_in_the_text_with_small_misspellings(tmp_path: Path) -> None:
    rows = [
        row("i love metropolis but nosfratu is dull", "Q1+, Q2-"),
        row("Metropolis", "Q1+"),
        row("hello", "", "start"),
    ]
    (opinion,) = converse(released(tmp_path, rows), CATALOGUE)
    assert opinion.targets == (Span(7, 17), Span(22, 30))
    assert opinion.signs == ("+", "-")


def test_rated_sentences_count_when_they_are_clear(tmp_path: Path) -> None:
    path = tmp_path / "rated.txt"
    lines = [
        "1\t3.1\tA joy from start to end",
        "2\t0.7\tIt is what it is",
        "3\t-2.5\tA dull and noisy mess",
        "4\t0\tTwo hours long",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [opinion.signs for opinion in snippets([path])] == [("+",), ("-",), ("0",)]


def test_texts_of_cases_are_kept_out_whatever_their_capitals_and_signs(tmp_path: Path) -> None:
    data = released(tmp_path / "data", [row("I LOVE Metropolis!!", "Q1+"), row("I hate Nosferatu", "Q2-")])
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"text": "i love metropolis."}\n', encoding="utf-8")
    found = gather(Sources(converse=data, cases=(cases,)), CATALOGUE, seed=1)
    assert [opinion.text for opinion in (*found.training, *found.validation)] == ["I hate Nosferatu"]
    assert found.kept_out == 1
    assert left_out([cases]) == {normalised("I love METROPOLIS")}


def test_nobody_is_in_both_training_and_validation(tmp_path: Path) -> None:
    rows = [row(f"I love Metropolis number {user} {turn}", "Q1+", user=user) for user in range(60) for turn in range(3)]
    found = gather(Sources(converse=released(tmp_path, rows)), CATALOGUE, seed=1)
    people = [{opinion.group for opinion in part} for part in (found.training, found.validation)]
    assert people[0]
    assert people[1]
    assert not people[0] & people[1]


def test_only_training_and_validation_files_of_redial_are_read(tmp_path: Path) -> None:
    (tmp_path / "test_data.jsonl").write_text(dialogue(1, "I like @11", {"11": 1}) + "\n", encoding="utf-8")
    with pytest.raises(MissingFileError, match="ReDial"):
        gather(Sources(redial=(tmp_path,)), CATALOGUE, seed=1)
    (tmp_path / "train_data.jsonl").write_text(dialogue(2, "I hate @12", {"12": 0}) + "\n", encoding="utf-8")
    found = gather(Sources(redial=(tmp_path,)), CATALOGUE, seed=1)
    assert [opinion.text for opinion in (*found.training, *found.validation)] == ["I hate @12"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text("{}\n[\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        list(redial([path]))


def test_labels_that_a_first_model_contradicts_are_dropped_and_silence_is_no_opinion() -> None:
    examples = [Instance((word,), sign) for word, sign in (("a", "+"), ("b", "+"), ("c", "-"))]
    kept = agreeing(examples, np.array([[0.1, 0.1, 0.8], [0.8, 0.1, 0.1], [0.02, 0.95, 0.03]]))
    assert kept == [Instance(("a",), "+"), Instance(("c",), "0")]


def test_a_file_that_holds_no_ratings_is_named_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"1\t2.0\tfine\n\x00\xff\t\x80\x02}q\tx\n")
    with pytest.raises(DataError, match=r"model\.bin, line 2: expected id, rating and text"):
        list(snippets([path]))
