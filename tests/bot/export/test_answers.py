from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import insert, make_url

from bot.export.answers import StudyData, read_study_data
from bot.storage import schema
from bot.storage import studies as tables
from bot.storage.store import open_store
from data.formats.model import Vote

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
PERSON = {
    "recruited": {},
    "language": "en",
    "cell": "",
    "sequence": 0,
    "step": 1,
    "item": 0,
    "progress": {},
    "prompted": False,
    "started_at": NOW,
    "step_at": NOW,
    "active_at": NOW,
}


def answer(user: int, step: int, questionnaire: str, item: str, value: int, condition: str = "") -> dict[str, Any]:
    key = {"user_id": user, "study": "tastes", "step": step, "item": item}
    return key | {"condition": condition, "questionnaire": questionnaire, "value": value, "answered_at": NOW}


async def stored(folder: Path) -> StudyData:
    """What is read from a database with two participants, of whom one answered and voted."""
    async with open_store(make_url(f"sqlite+aiosqlite:///{folder}/test.db"), lambda: NOW) as store:
        async with store.writing() as connection:
            for number in (1, 2):
                seen = {"id": number, "channel": "test", "external_id": str(number), "created_at": NOW, "seen_at": NOW}
                await connection.execute(insert(schema.users), seen)
                person = PERSON | {"user_id": number, "study": "tastes", "number": number}
                await connection.execute(insert(tables.participants), person | {"consent_version": "2"})
            answers = [
                answer(1, 3, "entities", "knowledge:Q42198", 1, "mode=nl"),
                answer(1, 3, "entities", "interest:Q42198", 2, "mode=nl"),
                answer(1, 6, "entities", "interest:Q42198", 4, "mode=mixed"),
                answer(1, 7, "recommind", "movie_num", 5),
                answer(1, 7, "recommind", "attention-1", 2),
                answer(1, 8, "arena", "sentiment", 1),
            ]
            await connection.execute(insert(tables.answers), answers)
            vote = {"user_id": 1, "study": "tastes", "step": 9, "first": "ppr", "second": "popular", "choice": "ppr"}
            await connection.execute(insert(tables.votes), vote | {"feedback": "ask me@x.org", "voted_at": NOW})
        async with store.reading() as connection:
            return await read_study_data(connection)


async def test_answers_are_those_of_the_condition_and_of_the_end(tmp_path: Path) -> None:
    studies = await stored(tmp_path)
    spoken = studies.of(1, "mode=nl")
    assert dict(spoken.states) == {"Q42198": {"knowledge": "yes", "interest": "unsure"}}
    assert spoken.opinions == {"movie_num": 5}
    assert spoken.satisfaction == "satisfied"
    assert dict(studies.of(1, "mode=mixed").states) == {"Q42198": {"interest": "not applicable"}}
    assert dict(studies.of(2, None).states) == {}


async def test_comments_of_votes_are_redacted_and_consents_counted(tmp_path: Path) -> None:
    studies = await stored(tmp_path)
    assert studies.votes == {1: (Vote("2026-05-01 12:00:00", "", "ppr", "popular", "ppr", "ask [email]"),)}
    assert studies.consents == {("tastes", "2"): 2}


def test_labels_of_states_stand_in_the_order_of_the_questionnaire() -> None:
    from bot.study.questionnaires import load_questionnaires
    from data.formats.model import STATE_LABELS

    asked = load_questionnaires()["entities"].scales["state"].answers["en"]
    assert dict(zip(asked, STATE_LABELS, strict=True)) == {
        "Yes": "yes",
        "Hard to say": "unsure",
        "No": "no",
        "Does not apply": "not applicable",
    }
    assert load_questionnaires()["arena"].scales["feeling"].answers["en"] == ("Satisfied", "Frustrated")
