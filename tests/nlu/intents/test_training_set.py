"""What the model learns from, and what is refused with a clear word."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from data.catalogue import Catalogue
from data.errors import DataError, MissingFileError
from data.model import Entity
from nlu.intents.coarse import COARSE_INTENTS
from nlu.intents.released import load_released
from nlu.intents.sentences import fill, load_sentences, starter_files
from nlu.intents.text import normalize
from nlu.intents.training_set import Example, own_examples, released_examples, to_rasa, with_names

FREQUENT = [intent for intent in COARSE_INTENTS if not intent.startswith("reset_")]


def write(path: Path, **changes: Any) -> Path:
    content = {
        "language": "en",
        "slots": {"film": "Up | Heat"},
        "sentences": {intent: f"{intent} me\n" for intent in COARSE_INTENTS},
    }
    path.write_text(yaml.safe_dump(content | changes), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", starter_files(), ids=lambda path: path.stem)
def test_starter_sentences_cover_every_intent(path: Path) -> None:
    sentences = load_sentences(path)
    least = 40 if sentences.language == "en" else 20
    short = {intent: len(set(sentences.sentences[intent])) for intent in FREQUENT}
    assert {intent: number for intent, number in short.items() if number < least} == {}


def test_slots_are_filled_differently_but_the_same_for_a_seed(tmp_path: Path) -> None:
    lines = {intent: "I like {film}\n" if intent == "preference" else "x\n" for intent in COARSE_INTENTS}
    sentences = load_sentences(write(tmp_path / "en.yaml", sentences=lines))
    first = [text for text, intent in fill(sentences, 20, seed=1) if intent == "preference"]
    assert set(first) == {"I like Up", "I like Heat"}
    assert first == [text for text, intent in fill(sentences, 20, seed=1) if intent == "preference"]


def test_names_of_the_catalogue_stand_alone_and_in_sentences(tmp_path: Path) -> None:
    catalogue = Catalogue([Entity("Q1", "Brazil", "film", domain="movie", labels={"it": "Brasile"})])
    lines = {intent: "I like {film}\n" if intent == "preference" else "x\n" for intent in COARSE_INTENTS}
    italian = load_sentences(write(tmp_path / "it.yaml", language="it", sentences=lines))
    examples = own_examples([with_names(italian, catalogue)])
    assert Example("Brasile", "inform") in examples
    assert {example.text for example in examples if example.intent == "preference"} <= {
        "I like Up",
        "I like Heat",
        "I like Brasile",
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sentences": {"greet": "hi\n"}}, "missing intents"),
        ({"sentences": dict.fromkeys(COARSE_INTENTS, "{actor}\n")}, "slot that is not defined"),
        ({"sentences": {intent: ["hi"] for intent in COARSE_INTENTS}}, "block of lines"),
        ({"extra": 1}, "exactly"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        load_sentences(write(tmp_path / "wrong.yaml", **changes))
    assert "wrong.yaml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"gone\.yaml"):
        load_sentences(tmp_path / "gone.yaml")


def released(intent: str, message: str) -> dict[str, Any]:
    return {"intent": intent, "message": message}


def test_fallbacks_are_not_learnt_and_repetitions_are_capped() -> None:
    rows = [released("preference", text) for text in ("I like Jaws", "i like jaws", "I LIKE JAWS", "I like jaws")]
    rows += [released("Default Fallback Intent", "Jaws"), released("preference", "I donâ€™t like Jaws")]
    assert released_examples(rows) == [
        Example("I like Jaws", "preference"),
        Example("i like jaws", "preference"),
        Example("I LIKE JAWS", "preference"),
        Example("I don't like Jaws", "preference"),
    ]


@pytest.mark.parametrize(
    ("exact", "text", "intent"),
    [
        ("smalltalk.user.loves_agent", "I love Totoro", "preference"),
        ("smalltalk.user.loves_agent", "I love you", "chitchat"),
        ("smalltalk.agent.bad", "I hate operas", "preference"),
        ("smalltalk.agent.fired", "Chariots of Fire", "inform"),
        ("smalltalk.user.needs_advice", "suggest some films", "request_recommendation"),
        ("show_profile", "Delete all my preferences", "reset_profile"),
        ("reset_profile", "open my profile", "show_profile"),
        ("smalltalk.agent.fired", "you are fired", "chitchat"),
        ("preference - disambiguation", "hi", "greet"),
        ("preference", "I like Jaws", "preference"),
    ],
)
def test_wrong_labels_are_mended_by_rule(exact: str, text: str, intent: str) -> None:
    (example,) = released_examples([released(exact, text)])
    assert example == Example(text, intent)


def test_rasa_reads_what_is_written() -> None:
    document = yaml.safe_load(to_rasa([Example("I like [Rec] {2007}: è", "preference"), Example("hi", "greet")]))
    assert document["nlu"] == [
        {"intent": "greet", "examples": "- hi\n"},
        {"intent": "preference", "examples": "- I like Rec 2007 : è\n"},
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("  /start  now ", "start now"),
        ("Mario Rossi:\nI like it", "I like it"),
        ("I donâ€™t", "I don't"),
        ("Dune: Part Two", "Dune: Part Two"),
        ("///", ""),
    ],
)
def test_texts_are_written_in_one_way(written: str, read: str) -> None:
    assert normalize(written) == read


ROW = '{"userID": 1, "message": "hi", "intent": "start", "events": "", "recognizedObjects": "", "toCheck": true}'


def test_any_layout_of_any_subset_of_files_is_read(tmp_path: Path) -> None:
    (tmp_path / "music").mkdir()
    (tmp_path / "music" / "messages_mixed.json").write_bytes(b"\xef\xbb\xbf[" + ROW.encode() + b"]")
    (file,) = load_released(tmp_path)
    assert (file.domain, len(file.rows)) == ("music", 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "expected a JSON list"),
        ("{}", "expected a JSON list"),
        ("[{", "not JSON"),
        ('[{"userID": 1}]', "row 1 has no message"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "messages_nl.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        load_released(tmp_path)


def test_a_folder_without_conversations_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="messages_nl"):
        load_released(tmp_path)
