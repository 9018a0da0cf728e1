"""Where a participant stands, as a value that a page can render; answering stays with `StudyDesk.handle`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.channels.base import Option
from bot.dialogue.state import Profile
from bot.study.config import StudyConfig
from bot.study.guide import Guide
from bot.study.journey import Step, goals_of, task_of
from bot.study.questionnaires import load_questionnaires
from bot.study.store import Participant


@dataclass(frozen=True, slots=True)
class Goal:
    """One part of a task: `done` of `wanted`; `text` says it to the participant."""

    name: str
    text: str
    done: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Asked:
    """One question; pressing an option (see `StudyDesk.handle`) answers it. Without options, text does."""

    id: str
    text: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of a participant.

    Attributes:
        number: of the step, from 1; `total` counts all steps before the end.
        title: of a questionnaire.
        text: of a task, of a battle's question, the debriefing, or why the study does not go on ("stopped").
        goals: parts of a task.
        seconds_left: until a task ends by itself; None for no limit.
        questions: of a questionnaire all, in order; of a battle the one that is open.
        answered: how many of the questions have been answered.
        lists: the two lists of a battle, in the order shown.
        code: the completion code; empty before the end.
    """

    kind: Literal["questionnaire", "task", "battle", "done", "stopped"]
    number: int
    total: int
    title: str = ""
    text: str = ""
    goals: tuple[Goal, ...] = ()
    seconds_left: float | None = None
    questions: tuple[Asked, ...] = ()
    answered: int = 0
    lists: tuple[tuple[str, ...], ...] = ()
    code: str = ""


def stopped(text: str) -> StepView:
    """What is shown while a study does not go on for a participant."""
    return StepView("stopped", 0, 0, text=text)


async def view_of(
    study: StudyConfig,
    guide: Guide,
    participant: Participant,
    profile: Profile,
    steps: tuple[Step, ...],
    now: datetime,
) -> StepView:
    """What a page shows of the step in which a participant is.

    Args:
        study: the study.
        guide: speaks for it.
        participant: who.
        profile: what they said, for battles.
        steps: all of theirs.
        now: the present moment, for time limits.
    """
    place = min(participant.step, len(steps) - 1)
    step, language, total = steps[place], participant.language, len(steps) - 1
    if step.kind == "done":
        return StepView("done", total, total, text=study.debriefing.strip(), code=study.recruiting.completion_code)
    if step.kind == "task":
        return _task(study, guide, participant, step, StepView("task", place + 1, total), now)
    if step.kind == "battle":
        reply = await guide.opening(participant, step, profile)
        lists = () if participant.item else await guide.lists(participant, profile)
        text = guide.say(language, "feedback" if participant.item else "battle_question")
        asked = Asked(f"battle-{step.battle}", text, () if participant.item else reply.options)
        return StepView("battle", place + 1, total, text=text, questions=(asked,), lists=lists)
    titles = load_questionnaires()[step.name].title
    return StepView(
        "questionnaire",
        place + 1,
        total,
        title=titles.get(language) or next(iter(titles.values())),
        questions=tuple(Asked(name, text, options) for name, text, options in guide.asked(participant, step)),
        answered=participant.item,
    )


def _task(
    study: StudyConfig, guide: Guide, participant: Participant, step: Step, base: StepView, now: datetime
) -> StepView:
    task = task_of(study, step.name)
    passed = (now - participant.step_at).total_seconds()
    return StepView(
        base.kind,
        base.number,
        base.total,
        text=task.text.strip(),
        goals=tuple(
            Goal(name, guide.say(participant.language, f"goal_{name}"), min(done, wanted), wanted)
            for name, (done, wanted) in goals_of(task, participant.progress).items()
        ),
        seconds_left=None if task.minutes is None else max(task.minutes * 60 - passed, 0.0),
    )
