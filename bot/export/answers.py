"""What participants of studies answered about their conversation, for the fields that published formats have for it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.export.redaction import redact
from bot.storage import studies as tables
from data.formats.model import STATE_LABELS, Vote
from data.model import Qid

_ENTITIES, _OPINIONS, _FEELING = "entities", "recommind", "arena"
_SENTIMENTS: Mapping[int, str] = {1: "satisfied", 2: "frustrated"}


@dataclass(slots=True)
class Answers:
    """Of one user under one condition.

    Attributes:
        states: entity to its first-person labels ("knowledge" and "interest" to one of `STATE_LABELS`).
        opinions: question of RecomMind's questionnaire to the answer, 1 to 5.
        satisfaction: "satisfied" or "frustrated"; None when it was not asked.
    """

    states: defaultdict[Qid, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    opinions: dict[str, int] = field(default_factory=dict)
    satisfaction: str | None = None

    def take(self, questionnaire: str, item: str, value: int) -> None:
        """Takes in one stored answer; questionnaires that no format has a field for are passed over."""
        if questionnaire == _ENTITIES:
            name, _, qid = item.partition(":")
            self.states[qid][name] = STATE_LABELS[value - 1]
        elif questionnaire == _OPINIONS and not item.startswith("attention"):
            self.opinions[item] = value
        elif questionnaire == _FEELING:
            self.satisfaction = _SENTIMENTS.get(value)


@dataclass(frozen=True, slots=True)
class StudyData:
    """What the studies of a database add to its messages.

    Attributes:
        rows: user to (condition, questionnaire, item, value); the condition is "" for what was asked at the end.
        votes: user to votes, the comments redacted.
        consents: study and version of its consent to the number of participants who agreed to it.
    """

    rows: Mapping[int, tuple[tuple[str, str, str, int], ...]] = field(default_factory=dict)
    votes: Mapping[int, tuple[Vote, ...]] = field(default_factory=dict)
    consents: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def of(self, user: int, condition: str | None) -> Answers:
        """What a user answered about the conversation under a condition."""
        made = Answers()
        for asked_under, questionnaire, item, value in self.rows.get(user, ()):
            if asked_under in {"", condition or ""}:
                made.take(questionnaire, item, value)
        return made


async def read_study_data(connection: AsyncConnection) -> StudyData:
    """Reads answers, votes and consents of all studies.

    Args:
        connection: to read with.
    """
    answers, votes, people = tables.answers.c, tables.votes.c, tables.participants.c
    rows = await connection.execute(
        select(answers.user_id, answers.condition, answers.questionnaire, answers.item, answers.value).order_by(
            answers.user_id, answers.study, answers.step, answers.item
        )
    )
    cast = await connection.execute(
        select(votes.user_id, votes.first, votes.second, votes.choice, votes.feedback, votes.voted_at).order_by(
            votes.user_id, votes.voted_at
        )
    )
    agreed = await connection.execute(select(people.study, people.consent_version))
    consents: defaultdict[tuple[str, str], int] = defaultdict(int)
    for study, version in agreed:
        consents[study, version] += 1
    return StudyData(_by_user(rows), {user: _votes(found) for user, found in _by_user(cast).items()}, dict(consents))


def _by_user(rows: Iterable[Any]) -> dict[int, tuple[Any, ...]]:
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for user, *rest in rows:
        found[user].append(tuple(rest))
    return {user: tuple(rest) for user, rest in found.items()}


def _votes(rows: Iterable[Any]) -> tuple[Vote, ...]:
    """Votes without their user, whose number the export gives."""
    return tuple(
        Vote(f"{at:%Y-%m-%d %H:%M:%S}", "", first, second, choice, redact(feedback)[0])
        for first, second, choice, feedback, at in rows
    )
