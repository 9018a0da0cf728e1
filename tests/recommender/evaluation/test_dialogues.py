import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.errors import DataError, MissingFileError
from recommender.evaluation.conversations import read_knowledge, read_test_turns, read_training, turns_of
from recommender.evaluation.dialogues_run import evaluate_redial, evaluate_zero_shot
from recommender.evaluation.zero_shot import read_zero_shot

GENRES = ("horror", "comedy", "romance")
PER_GENRE = 12


def title(genre: int, number: int) -> str:
    return f"{GENRES[genre].title()} Night {number} ({1980 + number})"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Films of three genres; in each dialogue somebody names a genre and a film, and gets another of the kind."""
    names = [title(genre, number) for genre in range(3) for number in range(PER_GENRE)] + list(GENRES)
    numbers = {name: place for place, name in enumerate(names)}
    graph = {str(place): [[0, 36 + place // PER_GENRE]] for place in range(36)}
    write(tmp_path / "kg.json", graph)
    write(tmp_path / "relation2id.json", {"genre": 0, "star": 1, "director": 2, "writer": 3})
    write(tmp_path / "entity2id.json", numbers)
    write(tmp_path / "item_ids.json", list(range(36)))
    training = [dialogue(place) for place in reversed(range(60))]
    (tmp_path / "valid.jsonl").write_text("\n".join(map(json.dumps, training)))
    turns = [case(place) for place in range(24)]
    (tmp_path / "test_data_processed.jsonl").write_text("\n".join(map(json.dumps, turns)))
    return tmp_path


def write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content))


def dialogue(place: int) -> dict[str, Any]:
    genre, first, second = place % 3, place % PER_GENRE, (place + 1 + place // 12) % PER_GENRE
    return {
        "conversationId": str(place),
        "initiatorWorkerId": 1,
        "respondentWorkerId": 2,
        "messages": [
            message(1, "hello", [], []),
            message(1, f"some {GENRES[genre]} like @{first}", [title(genre, first)], [GENRES[genre]]),
            message(2, f"try @{second}", [title(genre, second)], []),
        ],
    }


def message(sender: int, text: str, items: list[str], entities: list[str]) -> dict[str, Any]:
    return {"senderWorkerId": sender, "text": text, "item": items, "entity": entities}


def case(place: int) -> dict[str, Any]:
    genre, first, second = place % 3, (place + 5) % PER_GENRE, (place + 8) % PER_GENRE
    text = f"some {GENRES[genre]} like {title(genre, first)}"
    return {
        "dialog_id": str(place),
        "turn_id": 1,
        "context": [text],
        "entity": [GENRES[genre], title(genre, first)],
        "rec": [title(genre, second)],
        "resp": "",
    }


def quiet(_: str) -> None:
    """Takes progress."""


def test_utterances_of_one_speaker_are_joined(folder: Path) -> None:
    graph = read_knowledge(folder)
    first = read_training(folder / "valid.jsonl", graph)[0]
    assert [said.seeker for said in first] == [True, False]
    assert "hello" in first[0].text
    assert "@" not in first[0].text
    (turn,) = turns_of(first, "0")
    assert turn.mentioned == {0}
    assert turn.targets == (1,)


def test_mentions_are_placed_and_films_leave_the_words(folder: Path) -> None:
    turn = read_test_turns(folder / "test_data_processed.jsonl", read_knowledge(folder))[0]
    (said,) = turn.context
    assert (said.items, said.entities) == ((5,), (36,))
    assert "night" not in said.text
    assert said.seeker


def test_the_context_tells_the_kind_of_film(folder: Path) -> None:
    document = evaluate_redial(folder, quiet)
    assert document["ours"]["recall@10"] > 0.6
    assert document["ours"]["recall@10"] > document["peers"]["popularity"]["recall@10"] + 0.2
    assert document["n"] == 24
    assert document["new_targets"]["n"] == 24
    assert "UniCRS (published)" in document["peers"]
    assert document["intervals"]["recall@10"][0] <= document["ours"]["recall@10"]


@pytest.fixture
def zero_shot(tmp_path: Path, folder: Path) -> Path:
    place = tmp_path / "llm" / "redial"
    place.mkdir(parents=True)
    resources = [f"<http://dbpedia.org/resource/Horror_Night_{number}_({1980 + number}_film)>" for number in range(12)]
    write(place / "entity2id.json", {resource: 100 + number for number, resource in enumerate(resources)})
    write(place / "item_ids.json", [*range(100, 112)])
    line = {
        "context": ["", "Hi", f"I liked {title(0, 3)}"],
        "rec": [105, 103],
        "entity": [105, 103],
        "entity_name": [title(0, 5), title(0, 3)],
        "prev_entity": [103],
        "dialog_id": "test_1",
    }
    (place / "test.jsonl").write_text(json.dumps(line) + "\n")
    columns = "condition,recall@1_mean,recall@10_mean"
    for name in ("gpt-4", "gpt-3.5-turbo"):
        (place / f"{name}.summary.csv").write_text(f"{columns}\nrecommendation,0.05,0.2\nall,0.04,0.18\n")
    return place.parent


def test_turns_of_the_language_models_are_joined_by_title(zero_shot: Path, folder: Path) -> None:
    data = read_zero_shot(zero_shot / "redial", read_knowledge(folder))
    assert data.turns[0].targets == (5, 3)
    assert data.turns[0].mentioned == {3}
    assert data.items == frozenset(range(12))
    assert data.covered() == 1.0


def test_language_models_stand_beside_ours(zero_shot: Path, folder: Path) -> None:
    document = evaluate_zero_shot(zero_shot, folder, "redial", quiet)
    assert document["dataset"] == "llm-redial"
    assert document["peers"]["GPT-4 (recommendation)"] == {"recall@1": 0.05, "recall@10": 0.2}
    assert document["new_targets"]["n"] == 1
    assert document["n"] == 2


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("valid.jsonl", None, MissingFileError, "valid"),
        ("valid.jsonl", "{}\n", DataError, "line 1"),
        ("test_data_processed.jsonl", "nonsense\n", DataError, "line 1"),
        ("kg.json", "[", DataError, "kg"),
        ("relation2id.json", '{"mood": 7}', DataError, "knowledge graph"),
    ],
)
def test_what_is_missing_or_broken_is_named(
    folder: Path, name: str, content: str | None, error: type[Exception], message: str
) -> None:
    path = folder / name
    change: Callable[[], Any] = path.unlink if content is None else lambda: path.write_text(content)
    change()
    with pytest.raises(error, match=message):
        evaluate_redial(folder, quiet)
