import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.channels.base import Reply
from bot.export.answers import StudyData
from bot.export.dialogues import Conversations, to_dialogues, write_dialogues
from bot.records import Record
from data.catalogue import Catalogue
from data.formats import FORMATS, WRITERS, open_dataset
from data.formats.model import Dialogue, Vote
from data.formats.problems import Problem
from data.model import Entity
from tests.bot.export.test_converse import record, written

HEAT = Entity("Q42198", "Heat", "film", "movie", 1995, ids={"imdb": "tt0113277"})
ALIEN = Entity("Q103569", "Alien", "film", "movie", 1979, ids={"imdb": "tt0078748"})
PACINO = Entity("Q41163", "Al Pacino", "person")
CATALOGUE = Catalogue([HEAT, ALIEN, PACINO])


def conversations(rows: list[tuple[int, Record]] | None = None, studies: StudyData | None = None) -> Conversations:
    return to_dialogues(written() if rows is None else rows, CATALOGUE.get, studies or StudyData())


def only(rows: list[tuple[int, Record]], studies: StudyData | None = None) -> Dialogue:
    ((_, dialogue),) = conversations(rows, studies).dialogues
    return dialogue


def test_a_dialogue_for_each_user_and_domain_with_both_sides() -> None:
    found = conversations()
    assert [(user, dialogue.domain) for user, dialogue in found.dialogues] == [
        (900, "movie"),
        (17, "movie"),
        (17, "music"),
    ]
    first = found.dialogues[0][1]
    assert [(utterance.role, utterance.text) for utterance in first.utterances[:3]] == [
        ("seeker", "I like Heat"),
        ("recommender", "Noted."),
        ("recommender", "Which <one>?"),
    ]
    assert [mention.qid for mention in first.utterances[0].mentions] == ["Q42198"]
    assert found.left_out == {"movie": {"privacy.privacy": 1}}


def test_numbers_are_unique_over_the_whole_export_and_users_are_consecutive() -> None:
    dialogues = [dialogue for _, dialogue in conversations().dialogues]
    ids = [utterance.id for dialogue in dialogues for utterance in dialogue.utterances]
    assert len(set(ids)) == len(ids)
    assert [dialogue.id for dialogue in dialogues] == ["1", "2", "3"]
    assert [dialogue.participant("seeker").id for dialogue in dialogues] == ["1", "2", "2"]  # type: ignore[union-attr]


def test_parts_hold_the_dialogues_of_their_users_only() -> None:
    found = conversations()
    assert {domain: len(dialogues) for domain, dialogues in found.of([17]).items()} == {"movie": 1, "music": 1}
    assert found.of([]) == {}


def test_an_opinion_is_the_estimate_and_a_suggestion_is_unsure() -> None:
    dialogue = only([(1, record(recognized_objects=(("Q42198", "+"), ("Q41163", "-")), recommended="Q103569"))])
    liked, disliked = dialogue.utterances[0].mentions
    assert (liked.text, liked.knowledge, liked.interest) == ("Heat", {"recommender": "yes"}, {"recommender": "yes"})
    assert (disliked.text, disliked.interest) == ("Al Pacino", {"recommender": "no"})
    shown = dialogue.utterances[-1].mentions[0]
    assert (shown.text, shown.knowledge, shown.interest) == (
        "Alien",
        {"recommender": "unsure"},
        {"recommender": "unsure"},
    )
    assert [(label.name, label.suggested, label.liked) for label in dialogue.entities] == [
        ("Heat (1995)", {"recommender": False}, {"recommender": True}),
        ("Alien (1979)", {"recommender": True}, {"recommender": None}),
    ]


def test_answers_after_the_conversation_are_the_first_person() -> None:
    studies = StudyData(
        rows={
            1: (
                ("mode=nl", "entities", "knowledge:Q42198", 1),
                ("mode=nl", "entities", "interest:Q42198", 3),
                ("mode=mixed", "entities", "interest:Q42198", 2),
                ("", "recommind", "enjoyment", 4),
                ("", "arena", "sentiment", 2),
                ("", "sus", "1", 5),
            )
        },
        votes={1: (Vote("2026-05-01 12:00:00", "", "ppr", "popular", "tie"),)},
    )
    dialogue = only([(1, record(condition="mode=nl"))], studies)
    mention = dialogue.utterances[0].mentions[0]
    assert mention.knowledge == {"recommender": "yes", "seeker": "yes"}
    assert mention.interest == {"recommender": "yes", "seeker": "no"}
    assert dialogue.participant("seeker").questionnaire == {"enjoyment": 4}  # type: ignore[union-attr]
    assert dialogue.participant("recommender").id == "converse (mode=nl)"  # type: ignore[union-attr]
    assert dialogue.satisfaction == "frustrated"
    assert dialogue.entities[0].liked == {"recommender": True, "seeker": False}
    assert dialogue.votes == (Vote("2026-05-01 12:00:00", "1", "ppr", "popular", "tie"),)


def test_conditions_are_conversations_of_their_own() -> None:
    rows = [(1, record(condition="mode=nl")), (1, record(1, condition="mode=mixed"))]
    assert len(conversations(rows).dialogues) == 2


def rich() -> list[tuple[int, Record]]:
    made = [
        *written(),
        (900, record(9, message="Al Pacino, then Heat again", recommended="Q103569", reply=Reply(("Try Alien.",)))),
    ]
    return [(user, replace(one, received_at=one.received_at.astimezone(UTC))) for user, one in made]


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_every_format_is_written_valid_and_read_again(name: str, tmp_path: Path) -> None:
    found = conversations(rich()).of([900, 17])
    lost = write_dialogues(found, WRITERS[name], tmp_path)
    assert (lost["domain.music"] > 0) == (name in {"redial", "recommind", "crsarena", "reddit-movie"})
    if name == "dialoguekit":
        assert (tmp_path / "movie" / "dialogues.json").stat().st_size
        return
    made, problems, texts = FORMATS[name], [], []
    dataset = open_dataset(tmp_path, name)
    for path, kind in dataset.files.items():
        assert list(made.check(path, kind, problems.append))
        if kind == "dialogues":
            texts += [u.text for dialogue in made.dialogues(path, problems.append) for u in dialogue.utterances]
    assert problems == list[Problem]()
    assert {"I like Heat", "I like @42198"} & set(texts)


def test_dialoguekit_gets_what_was_named_with_its_place_in_the_text(tmp_path: Path) -> None:
    write_dialogues(conversations(rich()).of([900]), WRITERS["dialoguekit"], tmp_path)
    (made,) = json.loads((tmp_path / "movie" / "dialogues.json").read_bytes())
    acts = [act for utterance in made["conversation"] for act in utterance.get("dialogue_acts", ())]
    assert acts[0] == {"intent": "preference", "slot_values": [["liked", "Q42198", 7, 11]]}
    assert acts[-1] == {"intent": "", "slot_values": [["mentioned", "Q103569", 4, 9]]}
    assert made["agent"] == {"id": "converse", "type": "AGENT"}


def test_redial_tells_users_apart_and_names_films_by_their_number(tmp_path: Path) -> None:
    write_dialogues(conversations(rich()).of([900, 17]), WRITERS["redial"], tmp_path)
    records = list(FORMATS["redial"].read(tmp_path / "movie" / "dialogues.jsonl", "dialogues", pytest.fail))
    assert [one["initiatorWorkerId"] for one in records] == [1, 2]
    assert {one["respondentWorkerId"] for one in records} == {0}
    assert records[0]["movieMentions"]["42198"] == "Heat (1995)"
    assert records[0]["respondentQuestions"]["103569"] == {"suggested": 1, "seen": 2, "liked": 2}


def test_reddit_movie_gets_imdb_ids_with_their_names(tmp_path: Path) -> None:
    write_dialogues(conversations(rich()).of([900]), WRITERS["reddit-movie"], tmp_path)
    path = tmp_path / "movie" / "dialogues.csv"
    assert "I like tt0113277" in path.read_text(encoding="utf-8")
    dialogue = next(FORMATS["reddit-movie"].dialogues(path, pytest.fail))
    assert {label.name for label in dialogue.entities} == {"Heat (1995)", "Alien (1979)"}


def test_moments_of_votes_are_kept_in_the_votes_file(tmp_path: Path) -> None:
    at = f"{datetime(2026, 5, 1, 12, tzinfo=UTC):%Y-%m-%d %H:%M:%S}"
    studies = StudyData(votes={900: (Vote(at, "", "ppr", "popular", "ppr", 'said "yes"'),)})
    write_dialogues(conversations(rich(), studies).of([900]), WRITERS["crsarena"], tmp_path)
    votes = tmp_path / "movie" / "votes_dialogues.csv"
    assert [row["user_id"] for row in FORMATS["crsarena"].read(votes, "votes", pytest.fail)] == ["1"]
