"""Simulated participants go through a study, in-process and through the real bot."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from bot.channels.base import Option, Reply, Turn, UserKey
from bot.dialogue.scene import current
from bot.dialogue.state import DialogueState
from bot.storage.transcript import state_of
from bot.study.assignment import Condition
from bot.study.config import StudyConfig
from bot.study.desk import AGREE, StudyDesk
from bot.study.journey import Question, Step, open_parts, questions_of, steps_of, task_of
from bot.study.plans import plan_of
from bot.study.simulated import Act, SimulatedParticipant
from bot.study.store import Participant
from data.catalogue import Catalogue

CHANNEL = "simulated"
MOST_TURNS = 250
"""Turns after which a simulated participant leaves, whatever happens."""

Progress = Callable[[], None]
"""Called when another participant is done."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A planted effect: at this level of the factor, participants like what is shown more by `quality`."""

    factor: str
    level: str
    quality: float


@dataclass(slots=True)
class Summary:
    """What came of a simulation."""

    participants: int = 0
    finished: int = 0
    turns: int = 0
    by_cell: Counter[str] = field(default_factory=Counter)


class SimulatedClock:
    """Time that goes on only when participants think."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def __call__(self) -> datetime:
        """The present moment; a few milliseconds pass whenever somebody looks."""
        self._now += timedelta(milliseconds=5)
        return self._now

    def think(self, seconds: float) -> None:
        """Lets time pass."""
        self._now += timedelta(seconds=seconds)


async def simulate(
    desk: StudyDesk,
    catalogue: Catalogue,
    clock: SimulatedClock,
    participants: int,
    *,
    seed: int = 1,
    effects: Sequence[Effect] = (),
    progress: Progress | None = None,
    most_turns: int = MOST_TURNS,
) -> Summary:
    """Lets simulated participants take part, one after the other.

    Args:
        desk: of the study, on the clock.
        catalogue: what participants know.
        clock: the simulated time.
        participants: how many.
        seed: of everything they do.
        effects: planted effects.
        progress: called after every participant.
        most_turns: turns after which a participant leaves, whatever happens.

    Returns:
        Counts; everything else is in the database.
    """
    summary = Summary()
    for number in range(participants):
        rng = Random(f"{seed}/{number}")
        await _take_part(desk, catalogue, clock, f"{seed}-{number}", rng, effects, summary, most_turns)
        clock.think(60)
        if progress is not None:
            progress()
    return summary


async def _take_part(
    desk: StudyDesk,
    catalogue: Catalogue,
    clock: SimulatedClock,
    name: str,
    rng: Random,
    effects: Sequence[Effect],
    summary: Summary,
    most_turns: int,
) -> None:
    study, user = desk.study, UserKey(CHANNEL, name)
    language = study.languages[0]
    talk = _Talk(desk, user, clock, rng, language)
    await talk.do(Act(f"/start {study.name}"))
    await talk.do(Act(option=Option(desk.option(AGREE), "")))
    person: SimulatedParticipant | None = None
    condition: Condition | None = None
    while talk.turns < most_turns:
        participant = await desk.kept.find(user)
        if participant is None:
            break
        plan = plan_of(study, participant)
        step = steps_of(study, plan)[participant.step]
        if step.kind == "done":
            summary.finished += 1
            break
        if person is None or (step.condition is not None and step.condition != condition):
            condition = step.condition or plan.conditions[0]
            person = _person(person, catalogue, condition, language, rng, effects)
        act = await _next_act(person, talk, study, step, participant)
        if act.leaves or (talk.stuck > 5 and person.gives_up()):
            break
        await talk.do(act)
    found = await desk.kept.find(user)
    summary.participants += 1
    summary.turns += talk.turns
    if found is not None:
        summary.by_cell[found.cell] += 1


def _person(
    person: SimulatedParticipant | None,
    catalogue: Catalogue,
    condition: Condition,
    language: str,
    rng: Random,
    effects: Sequence[Effect],
) -> SimulatedParticipant:
    """The participant at the beginning of a condition."""
    domain = str(condition.get("domain", "movie"))
    quality = sum(one.quality for one in effects if str(condition.get(one.factor)) == one.level)
    if person is None:
        return SimulatedParticipant(catalogue, domain, language, rng, quality=quality)
    person.enter(domain)
    person.plant(quality)
    return person


async def _next_act(
    person: SimulatedParticipant, talk: "_Talk", study: StudyConfig, step: Step, participant: Participant
) -> Act:
    if step.kind != "task":
        return person.answer(talk.reply, _asked(study, step, participant)) if talk.reply.options else Act("ok")
    state = await talk.state()
    missing = open_parts(task_of(study, step.name), participant.progress)
    talk.watch(missing)
    question = state.questions[-1] if state and state.questions else None
    if question is not None and question.age == 0 and question.choices:
        return Act(talk.rng.choice(question.choices).label)
    shown = (current(state) or state.suggested) if state else None
    return person.act(missing, shown)


def _asked(study: StudyConfig, step: Step, participant: Participant) -> Question | None:
    """The question that a participant is to answer, when it is one of a questionnaire."""
    if step.kind != "questionnaire":
        return None
    questions = questions_of(study, step.name, [(qid, qid) for qid in participant.progress.get("entities", ())])
    return questions[participant.item] if participant.item < len(questions) else None


class _Talk:
    """One participant's side of the conversation."""

    def __init__(self, desk: StudyDesk, user: UserKey, clock: SimulatedClock, rng: Random, language: str) -> None:
        self._desk = desk
        self._user = user
        self._clock = clock
        self._language = language
        self._missing: Mapping[str, int] = {}
        self.rng = rng
        self.reply = Reply(())
        self.turns = 0
        self.stuck = 0

    async def do(self, act: Act) -> None:
        """Sends what the participant does, after some thought."""
        self._clock.think(self.rng.lognormvariate(2.0, 0.6))
        turn = Turn(
            self._user,
            str(self.turns),
            "option" if act.option else "text",
            act.option.label if act.option else act.text,
            self._clock(),
            act.option.id if act.option else None,
            language=self._language,
        )
        self.reply = (await self._desk.handle(turn)).reply
        self.turns += 1

    async def state(self) -> DialogueState | None:
        """The state of the conversation, as the bot keeps it."""
        async with self._desk.kept.sql.reading() as connection:
            return await state_of(connection, self._user)

    def watch(self, missing: Mapping[str, int]) -> None:
        """Notes whether anything has come nearer to its end since the turn before."""
        self.stuck = self.stuck + 1 if missing == self._missing else 0
        self._missing = dict(missing)
