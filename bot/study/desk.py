"""Stands before the dialogue manager and leads the participants of a study from consent to completion code."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.channels.base import Option, Reply, Turn, UserKey
from bot.channels.conversation import Conversation
from bot.dialogue.state import DialogueState, Profile
from bot.records import TurnResult
from bot.storage.base import OpenTurn, Outcome
from bot.storage.store import SqlStore
from bot.study.assignment import Condition, Plan, assign
from bot.study.config import StudyConfig
from bot.study.guide import Guide, Scribe
from bot.study.journey import Step, advanced, is_done, is_over, open_parts, steps_of, task_of
from bot.study.plans import plan_of
from bot.study.store import REASSIGNED, Participant, StudyStore, moved
from bot.study.task_store import TaskStore
from bot.study.view import StepView, stopped, view_of

DROPPED_AFTER = timedelta(hours=24)
"""A participant who has been silent for so long has dropped out, as far as the balance goes; they may still return."""

AGREE, DECLINE = "agree", "decline"
PAGE_CHANNELS = frozenset({"web"})
"""Channels that show each step as a page of its own."""

HINT_AFTER = 8
"""Messages without finishing a task after which a hint is given, when the study sets no time."""

Managers = Callable[[Condition, TaskStore], Conversation]
"""Makes the dialogue manager for a condition, with the store it is to use."""

States = Callable[[Condition, str], DialogueState]
"""Makes the state in which a condition begins, in a language."""


class StudyDesk:
    """Answers the participants of one study; everyone else is passed on."""

    def __init__(
        self,
        study: StudyConfig,
        store: SqlStore,
        otherwise: Conversation,
        managers: Managers,
        states: States,
        scribe: Scribe,
        clock: Callable[[], datetime],
    ) -> None:
        """Takes the parts.

        Args:
            study: the study.
            store: the database.
            otherwise: answers whoever does not take part.
            managers: makes the dialogue manager of a condition.
            states: makes the state in which a condition begins.
            scribe: makes the lists of a battle.
            clock: gives the present moment.
        """
        self.study = study
        self.kept = StudyStore(store, study)
        self._store = store
        self._otherwise = otherwise
        self._make_manager = managers
        self._states = states
        self._clock = clock
        self._guide = Guide(study, scribe)
        self._enrolling = asyncio.Lock()

    async def handle(self, turn: Turn) -> TurnResult:
        """Answers a turn. Raises StorageError when it cannot be kept."""
        while True:
            participant = await self.kept.find(turn.user)
            try:
                if participant is None:
                    return await (self._meet(turn) if self._knocks(turn) else self._otherwise.handle(turn))
                return await self._lead(turn, participant)
            except _MovedOn:
                continue  # another message of theirs was quicker: look again where they are

    async def _lead(self, turn: Turn, participant: Participant) -> TurnResult:
        """Answers a participant."""
        if await self.kept.status() == "paused":
            return TurnResult(Reply((self._guide.say(participant.language, "paused"),)))
        if participant.excluded is not None:
            return TurnResult(Reply((self._guide.say(participant.language, "excluded"),)))
        if self._knocks(turn):
            return await self._return(turn, participant)
        return await self._continue(turn, participant)

    def _knocks(self, turn: Turn) -> bool:
        """Whether the turn comes by the study's link, or answers its consent form."""
        parts = turn.text.split()
        by_link = len(parts) == 2 and parts[0] == "/start" and parts[1].split("__")[0] == self.study.name
        return by_link or turn.option in {self.option(AGREE), self.option(DECLINE)}

    def option(self, name: str) -> str:
        """Id of a button of this study's consent form: AGREE or DECLINE."""
        return f"study:{self.study.name}:{name}"

    async def view(self, user: UserKey) -> StepView | None:
        """The step in which a user is, for pages to render; None for who does not take part. Raises StorageError."""
        participant = await self.kept.find(user)
        if participant is None:
            return None
        if await self.kept.status() == "paused":
            return stopped(self._guide.say(participant.language, "paused"))
        if participant.excluded is not None:
            return stopped(self._guide.say(participant.language, "excluded"))
        participant = await self._in_time(user, participant)
        profile = await self.kept.profile(participant)
        steps = steps_of(self.study, plan_of(self.study, participant))
        return await view_of(self.study, self._guide, participant, profile, steps, self._clock())

    async def _in_time(self, user: UserKey, participant: Participant) -> Participant:
        """The participant, who is in the next step when the time of a task is over."""
        plan = plan_of(self.study, participant)
        step = self._step(participant, plan)
        now = self._clock()
        if step.kind != "task" or not is_over(
            task_of(self.study, step.name), minutes_between(participant.step_at, now)
        ):
            return participant
        turn = Turn(user, f"time/{participant.step}", "option", "", now)
        with suppress(_MovedOn):
            async with self.opened(turn, participant) as opened:
                if opened.repeated is None:
                    entered = await self._next(participant, plan, opened.state, opened.profile)
                    also = self._keeping(entered.participant, None)
                    await opened.save(Outcome(entered.state, entered.profile, entered.reply, also=also))
        return await self.kept.find(user) or participant

    async def _meet(self, turn: Turn) -> TurnResult:
        """Shows the consent form; stores nothing before it is agreed to."""
        language = self._language(turn)
        if turn.option == self.option(DECLINE):
            return TurnResult(Reply((self._guide.say(language, "declined"),)))
        status = await self.kept.status()
        if status != "open" or await self._is_full():
            return TurnResult(Reply((self._guide.say(language, "paused" if status == "paused" else "closed"),)))
        if turn.option != self.option(AGREE):
            options = (
                Option(self.option(AGREE), self._guide.say(language, "agree")),
                Option(self.option(DECLINE), self._guide.say(language, "decline")),
            )
            return TurnResult(Reply((self._guide.consent(language),), options))
        return await self._enrol(turn, language)

    async def _is_full(self) -> bool:
        if self.study.participants is None:
            return False
        async with self._store.reading() as connection:
            counted, _ = await self.kept.taken(connection, self._clock() - DROPPED_AFTER)
        return len(counted) >= self.study.participants

    async def _enrol(self, turn: Turn, language: str) -> TurnResult:
        """Assigns a condition and begins, all in one transaction; one participant at a time, so that none share one."""
        async with self._enrolling, self._store.hold(UserKey("study", self.study.name)):
            if await self.kept.find(turn.user) is not None:
                raise _MovedOn
            if await self._is_full():
                return TurnResult(Reply((self._guide.say(language, "closed"),)))
            return await self._begin(turn, language)

    async def _begin(self, turn: Turn, language: str) -> TurnResult:
        async with self._store.open_turn(turn) as opened:
            if opened.repeated is not None:
                return TurnResult(opened.repeated)
            async with self._store.reading() as connection:
                counted, number = await self.kept.taken(connection, self._clock() - DROPPED_AFTER)
            plan = assign(self.study, counted, number)
            now = self._clock()
            participant = Participant(
                user_id=0,
                study=self.study.name,
                number=number + 1,
                language=language,
                consent_version=self.study.consent.version,
                cell=plan.cell.label,
                sequence=plan.sequence,
                started_at=now,
                step_at=now,
                active_at=now,
                recruited=_recruited(turn),
            )
            begun = await self._enter(participant, plan, opened.state, Profile())
            outcome = Outcome(begun.state, begun.profile, begun.reply, consent=True, also=self._adding(begun))
            await opened.save(outcome)
            return TurnResult(begun.reply)

    def _adding(self, begun: "_Entered") -> Any:
        async def also(connection: AsyncConnection, user_id: int) -> None:
            await self.kept.add(connection, replace(begun.participant, user_id=user_id))

        return also

    async def _return(self, turn: Turn, participant: Participant) -> TurnResult:
        """Someone opens the link again: the step they are in is shown once more."""
        plan = plan_of(self.study, participant)
        async with self._store.open_turn(turn) as opened:
            if opened.repeated is not None:
                return TurnResult(opened.repeated)
            shown = await self._guide.opening(participant, self._step(participant, plan), opened.profile)
            welcome = self._guide.say(participant.language, "welcome_back")
            reply = replace(shown, texts=(welcome, *shown.texts))
            state = opened.state or self._states(plan.conditions[0], participant.language)
            await opened.save(Outcome(state, opened.profile, reply))
            return TurnResult(reply)

    async def _continue(self, turn: Turn, participant: Participant) -> TurnResult:
        plan = plan_of(self.study, participant)
        step = self._step(participant, plan)
        if participant.progress.get(REASSIGNED):
            return await self._enter_anew(turn, participant, plan)
        if step.kind == "task" and step.condition is not None:
            by_page = turn.user.channel in PAGE_CHANNELS
            store = TaskStore(self, participant, plan, step, by_page=by_page)
            result = await self._make_manager(step.condition, store).handle(turn)
            return TurnResult(store.said or result.reply, result.record)
        return await self._answer(turn, participant, plan, step)

    async def _enter_anew(self, turn: Turn, participant: Participant, plan: Plan) -> TurnResult:
        """A participant who was put into another condition begins there."""
        async with self.opened(turn, participant) as opened:
            if opened.repeated is not None:
                return TurnResult(opened.repeated)
            begun = await self._enter(moved(participant, self._clock()), plan, None, Profile())
            await opened.save(
                Outcome(begun.state, begun.profile, begun.reply, also=self._keeping(begun.participant, None))
            )
            return TurnResult(begun.reply)

    @asynccontextmanager
    async def opened(self, turn: Turn, participant: Participant) -> AsyncIterator[OpenTurn]:
        """A turn in hand of a participant who is still where they were seen to be."""
        async with self._store.open_turn(turn) as opened:
            now = await self.kept.find(turn.user)
            if now is None or (opened.repeated is None and now.place != participant.place):
                raise _MovedOn
            yield opened

    async def _answer(self, turn: Turn, participant: Participant, plan: Plan, step: Step) -> TurnResult:
        """A questionnaire, a battle or the end."""
        async with self.opened(turn, participant) as opened:
            if opened.repeated is not None:
                return TurnResult(opened.repeated)
            state = opened.state or self._states(plan.conditions[0], participant.language)
            given = self._guide.answered(participant, step, turn)
            if given is None:
                shown = await self._guide.opening(participant, step, opened.profile)
                again = () if step.kind == "done" else (self._guide.say(participant.language, "again"),)
                reply = replace(shown, texts=(*again, *shown.texts))
                await opened.save(Outcome(state, opened.profile, reply))
                return TurnResult(reply)
            if given.more:
                after = replace(
                    participant, item=participant.item + 1, active_at=self._clock(), progress=given.progress
                )
                shown = await self._guide.opening(after, step, opened.profile)
                entered = _Entered(after, state, opened.profile, shown)
            else:
                entered = await self._next(participant, plan, state, opened.profile)
            await opened.save(
                Outcome(entered.state, entered.profile, entered.reply, also=self._keeping(entered.participant, given))
            )
            return TurnResult(entered.reply)

    def _keeping(self, participant: Participant, given: Any) -> Any:
        async def also(connection: AsyncConnection, _: int) -> None:
            await self.kept.save(connection, participant)
            if given is not None and given.answer is not None:
                await self.kept.answer(connection, participant, given.answer, self._clock())
            if given is not None and given.vote is not None:
                await self.kept.vote(connection, participant, given.vote, self._clock())

        return also

    def _step(self, participant: Participant, plan: Plan) -> Step:
        steps = steps_of(self.study, plan)
        return steps[min(participant.step, len(steps) - 1)]

    def _language(self, turn: Turn) -> str:
        known = self.study.languages
        return turn.language if turn.language in known else known[0]

    async def _next(
        self, participant: Participant, plan: Plan, state: DialogueState | None, profile: Profile
    ) -> "_Entered":
        after = moved(participant, self._clock(), step=participant.step + 1)
        return await self._enter(after, plan, state, profile)

    async def _enter(
        self, participant: Participant, plan: Plan, state: DialogueState | None, profile: Profile
    ) -> "_Entered":
        """The beginning of a step; a new condition begins with a fresh conversation and profile."""
        steps = steps_of(self.study, plan)
        step = steps[participant.step]
        before = steps[participant.step - 1].condition if participant.step else None
        first = step.condition or plan.conditions[0]
        if state is None or (step.condition is not None and step.condition != before):
            state, profile = self._states(first, participant.language), Profile()
        if step.kind == "done":
            participant = replace(participant, finished_at=self._clock())
        participant = await self._guide.prepared(participant, step, profile)
        reply = await self._guide.opening(participant, step, profile)
        return _Entered(participant, state, profile, reply)

    async def after_task(
        self, participant: Participant, plan: Plan, step: Step, outcome: Outcome, *, by_page: bool
    ) -> Outcome:
        """What a turn of a task leaves behind, with the progress and, when the task is done, the next step.

        On a page the next step is not part of the reply, as the page shows it itself (see `view`).
        """
        now = self._clock()
        condition = step.condition.label if step.condition else ""
        records = tuple(replace(record, condition=condition) for record in outcome.records)
        progress = advanced(participant.progress, records)
        task = task_of(self.study, step.name)
        minutes = minutes_between(participant.step_at, now)
        participant = replace(participant, progress=progress, active_at=now)
        state, profile, reply = outcome.state, outcome.profile, outcome.reply
        if is_done(task, progress, minutes):
            over = bool(open_parts(task, progress))
            entered = await self._next(participant, plan, state, profile)
            finished = self._guide.say(participant.language, "task_over" if over else "task_done")
            opening = Reply(()) if by_page else entered.reply
            reply = replace(opening, texts=(*reply.texts, finished, *opening.texts), image=reply.image)
            participant, state, profile = entered.participant, entered.state, entered.profile
        elif not participant.prompted and self._is_stuck(task.prompt_minutes, minutes, progress):
            participant = replace(participant, prompted=True)
            hint = self._guide.hint(participant.language, open_parts(task, progress))
            reply = replace(reply, texts=(*reply.texts, hint))
        return replace(
            outcome,
            state=state,
            profile=profile,
            reply=reply,
            records=records,
            also=self._keeping(participant, None),
        )

    def _is_stuck(self, prompt_minutes: float | None, minutes: float, progress: Mapping[str, Any]) -> bool:
        if prompt_minutes is not None:
            return minutes >= prompt_minutes
        return int(progress["messages"]) >= HINT_AFTER


class _MovedOn(Exception):  # noqa: N818 - no error
    """A participant is not where they were when their message arrived."""


@dataclass(frozen=True, slots=True)
class _Entered:
    """A participant at the beginning of a step, with what they see."""

    participant: Participant
    state: DialogueState
    profile: Profile
    reply: Reply


def minutes_between(begin: datetime, end: datetime) -> float:
    """How many minutes have passed."""
    return (end - begin).total_seconds() / 60


def _recruited(turn: Turn) -> dict[str, str]:
    """Parameters of the link, which channels put behind the study's name: `/start name__KEY-value__KEY-value`."""
    parts = turn.text.split()
    pairs = parts[1].split("__")[1:] if len(parts) == 2 else []
    return {key: value for key, _, value in (pair.partition("-") for pair in pairs) if value}
