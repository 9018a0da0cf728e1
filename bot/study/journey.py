"""The steps that a participant goes through, as the study and the participant's plan say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot.records import Record
from bot.study.assignment import Condition, Plan
from bot.study.config import StudyConfig, Task
from bot.study.questionnaires import Item, Questionnaire, Scale, load_questionnaires

Progress = Mapping[str, Any]
"""What has been done in the step: "preferences", "requests", "ratings", "profile", "messages" to a number; "entities"
to what the conversation was about."""

SKIPS = ("request_recommendation - skip", "request_recommendation")
"""Intents that leave the item on show without a rating when another one follows."""

ASKED_ENTITIES = 5
"""At most so many entities are asked about by a questionnaire with `{entity}` in its texts."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        kind: what happens in it.
        condition: the condition in force; None before the first and after the last.
        name: of the questionnaire or task.
        battle: number of the battle, from 0.
    """

    kind: Literal["questionnaire", "task", "battle", "done"]
    condition: Condition | None = None
    name: str = ""
    battle: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a questionnaire as a participant meets it.

    Attributes:
        right: position of the right answer of an attention check, from 1; None for other questions.
    """

    id: str
    item: Item | None
    scale: Scale
    text: Mapping[str, str]
    right: int | None = None


def steps_of(study: StudyConfig, plan: Plan) -> tuple[Step, ...]:
    """All steps in order: questionnaires, tasks and questionnaires by condition, battles, questionnaires, the end."""
    made = [Step("questionnaire", name=name) for name in study.questionnaires.before]
    for condition in plan.conditions:
        made += [Step("task", condition, task.id) for task in study.tasks]
        made += [Step("questionnaire", condition, name) for name in study.questionnaires.between]
    if study.battles:
        made += [Step("battle", battle=number) for number in range(study.battles.count)]
    made += [Step("questionnaire", name=name) for name in study.questionnaires.after]
    return (*made, Step("done"))


def asks_about_entities(name: str) -> bool:
    """Whether a questionnaire is asked for each entity of the conversation."""
    return any("{entity}" in text for item in load_questionnaires()[name].items for text in item.text.values())


def questions_of(study: StudyConfig, name: str, entities: Sequence[tuple[str, str]] = ()) -> tuple[Question, ...]:
    """The questions of a questionnaire, with the study's attention checks in their places.

    Args:
        study: the study.
        name: of the questionnaire.
        entities: id and label of what the conversation was about, for texts with `{entity}`.
    """
    questionnaire: Questionnaire = load_questionnaires()[name]
    if asks_about_entities(name):
        return tuple(
            Question(
                f"{item.id}:{qid}",
                item,
                questionnaire.scales[item.scale],
                {language: text.format(entity=label) for language, text in item.text.items()},
            )
            for qid, label in entities
            for item in questionnaire.items
        )
    made = [Question(item.id, item, questionnaire.scales[item.scale], item.text) for item in questionnaire.items]
    likert = next((scale for scale in questionnaire.scales.values() if scale.kind == "likert"), None)
    checks = [check for check in study.attention if check.questionnaire == name]
    for number, check in enumerate(sorted(checks, key=lambda check: -check.after), 1):
        if likert is not None:
            texts = dict.fromkeys(likert.answers, check.text)
            made.insert(check.after, Question(f"attention-{number}", None, likert, texts, check.right))
    return tuple(made)


def task_of(study: StudyConfig, name: str) -> Task:
    """The task of that id."""
    return next(task for task in study.tasks if task.id == name)


def advanced(progress: Progress, records: Iterable[Record]) -> dict[str, Any]:
    """The progress after more messages."""
    made = {name: progress.get(name, 0) for name in ("preferences", "requests", "ratings", "profile", "messages")}
    for record in records:
        rated = record.intent.startswith("request_recommendation - ") and bool(record.recognized_objects)
        stated = bool(record.recognized_objects) and not record.intent.startswith("request_recommendation")
        made["preferences"] += len(record.recognized_objects) if stated else 0
        made["ratings"] += int(rated or record.intent == "request_recommendation - skip")
        made["requests"] += int(record.intent == "request_recommendation")
        made["profile"] += int(record.intent == "show_profile")
        made["messages"] += 1
    return made


def is_over(task: Task, minutes: float) -> bool:
    """Whether the time of a task is over, so many minutes after it began."""
    return task.minutes is not None and minutes >= task.minutes


def is_done(task: Task, progress: Progress, minutes: float) -> bool:
    """Whether a task's rule is met or its time is over.

    Args:
        task: the task.
        progress: of this step.
        minutes: since the step began.
    """
    if is_over(task, minutes):
        return True
    return not open_parts(task, progress)


def goals_of(task: Task, progress: Progress) -> dict[str, tuple[int, int]]:
    """What a task consists of: name to how many are done and how many are wanted."""
    wanted = {
        "preferences": task.preferences,
        "requests": task.requests,
        "ratings": task.ratings,
        "profile": int(task.profile),
    }
    return {name: (progress.get(name, 0), goal) for name, goal in wanted.items() if goal}


def open_parts(task: Task, progress: Progress) -> dict[str, int]:
    """What is still missing for a task: name to how many."""
    return {name: goal - done for name, (done, goal) in goals_of(task, progress).items() if goal > done}
