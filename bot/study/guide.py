"""What a participant sees at the beginning of each step, and what their answers mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Protocol

from rapidfuzz import fuzz, process

from bot.channels.base import Option, Reply, Turn
from bot.dialogue.state import Profile
from bot.study.config import StudyConfig
from bot.study.journey import (
    ASKED_ENTITIES,
    Question,
    Step,
    asks_about_entities,
    questions_of,
    task_of,
)
from bot.study.store import Answer, BattleVote, Participant
from bot.study.wording import FALLBACK, StudyWording, load_study_wordings

TIE = "tie"
SKIP = "study:skip"
_SIDES = ("a", "b", TIE)
_CLOSE = 85
"""Similarity (0 to 100) from which a written answer counts as one of the answers."""


class Scribe(Protocol):
    """Makes what a battle shows."""

    async def battle_list(self, variant: str, profile: Profile, domain: str) -> Sequence[str]:
        """Labels of the items that a variant recommends, best first."""
        ...

    async def pair_counts(self) -> Sequence[tuple[str, str, int]]:
        """How often each pair was compared."""
        ...

    def label(self, qid: str) -> str:
        """Name of an entity."""
        ...


@dataclass(frozen=True, slots=True)
class Given:
    """What an answer of a participant amounts to.

    Attributes:
        more: whether the step goes on.
    """

    answer: Answer | None = None
    vote: BattleVote | None = None
    more: bool = False
    progress: dict[str, Any] = field(default_factory=dict)


class Guide:
    """Speaks for the study between the conversations."""

    def __init__(self, study: StudyConfig, scribe: Scribe) -> None:
        self._study = study
        self._scribe = scribe
        self._wordings = load_study_wordings()

    def say(self, language: str, key: str, **values: object) -> str:
        """A text in a language."""
        return self._wording(language).say(key, **values)

    def consent(self, language: str) -> str:
        """The information sheet with the consent text."""
        study = self._study
        conditions = "; ".join(study.eligibility)
        eligibility = self.say(language, "eligibility", conditions=conditions) if conditions else ""
        return self.say(
            language,
            "consent",
            title=study.title,
            information=study.information.strip(),
            eligibility=eligibility,
            consent=study.consent.text.strip(),
        )

    def hint(self, language: str, missing: Mapping[str, int]) -> str:
        """A gentle hint at the first thing that is still missing for a task."""
        name, number = next(iter(missing.items()))
        return self.say(language, "hint", parts=self._wording(language).count(name, number))

    async def prepared(self, participant: Participant, step: Step, profile: Profile) -> Participant:
        """The participant with what a step needs to remember from its beginning."""
        progress: dict[str, Any] = {}
        if step.kind == "battle":
            progress["pair"] = await self._pair(participant, step)
        if step.kind == "questionnaire" and asks_about_entities(step.name):
            said = dict.fromkeys(one.qid for one in reversed(profile.preferences))
            progress["entities"] = list(said)[:ASKED_ENTITIES]
        return replace(participant, progress=progress)

    async def opening(self, participant: Participant, step: Step, profile: Profile) -> Reply:
        """What is shown of a step at the place where the participant is."""
        language = participant.language
        if step.kind == "done":
            code = self._study.recruiting.completion_code
            return Reply((self.say(language, "done", debriefing=self._study.debriefing.strip(), code=code),))
        if step.kind == "task":
            return Reply((self.say(language, "task", text=task_of(self._study, step.name).text.strip()),))
        if step.kind == "battle":
            return await self._battle(participant, profile)
        return self._question(participant, step)

    def answered(self, participant: Participant, step: Step, turn: Turn) -> Given | None:
        """What the turn answers; None when it answers nothing of the step."""
        if step.kind == "questionnaire":
            return self._questionnaire_answer(participant, step, turn)
        return self._battle_answer(participant, turn) if step.kind == "battle" else None

    def _wording(self, language: str) -> StudyWording:
        return self._wordings.get(language, self._wordings[FALLBACK])

    def _questions(self, participant: Participant, step: Step) -> tuple[Question, ...]:
        entities = [(qid, self._scribe.label(qid)) for qid in participant.progress.get("entities", ())]
        return questions_of(self._study, step.name, entities)

    def _question(self, participant: Participant, step: Step) -> Reply:
        questions = self._questions(participant, step)
        if not questions:
            return Reply(())
        place = min(participant.item, len(questions) - 1)
        _, text, options = self.asked(participant, step)[place]
        shown = self.say(participant.language, "question", number=place + 1, total=len(questions), text=text)
        return Reply((shown,), options)

    def asked(self, participant: Participant, step: Step) -> list[tuple[str, str, tuple[Option, ...]]]:
        """The questions of a questionnaire in order: id, text, answers."""
        language = participant.language
        return [
            (
                question.id,
                question.text.get(language) or question.text[FALLBACK],
                tuple(
                    Option(f"{_prefix(step, place)}{n}", label)
                    for n, label in enumerate(_labels(question, language), 1)
                ),
            )
            for place, question in enumerate(self._questions(participant, step))
        ]

    def _questionnaire_answer(self, participant: Participant, step: Step, turn: Turn) -> Given | None:
        questions = self._questions(participant, step)
        place = participant.item
        if place >= len(questions):
            return Given()
        question = questions[place]
        value = chosen(turn, _labels(question, participant.language), _prefix(step, place))
        if value is None:
            return None
        condition = step.condition.label if step.condition else ""
        answer = Answer(participant.step, question.id, condition, step.name, value)
        return Given(answer=answer, more=place + 1 < len(questions), progress=dict(participant.progress))

    async def _battle(self, participant: Participant, profile: Profile) -> Reply:
        language = participant.language
        if participant.item == 1:
            return Reply((self.say(language, "feedback"),), (Option(SKIP, self.say(language, "skip")),))
        first, second = ("\n".join(f"• {label}" for label in part) for part in await self.lists(participant, profile))
        labels = [self.say(language, key) for key in ("list_a", "list_b", TIE)]
        options = _options(f"study:vote:{participant.step}:", labels)
        question = self.say(language, "battle_question")
        return Reply((self.say(language, "battle", question=question, first=first, second=second),), options)

    async def lists(self, participant: Participant, profile: Profile) -> tuple[tuple[str, ...], ...]:
        """The labels of the two lists of the battle in which a participant is, in the order shown."""
        domain = _domain(participant, self._study)
        return tuple(
            [tuple(await self._scribe.battle_list(name, profile, domain)) for name in participant.progress["pair"]]
        )

    async def _pair(self, participant: Participant, step: Step) -> list[str]:
        """The pair compared least so far, in an order drawn for this participant and battle."""
        battles = self._study.battles
        variants = battles.variants if battles else ()
        counts = {frozenset((one, two)): 0 for one in variants for two in variants if one != two}
        for one, two, count in await self._scribe.pair_counts():
            if frozenset((one, two)) in counts:
                counts[frozenset((one, two))] += count
        draw = Random(f"{self._study.assignment.seed}/{participant.number}/{step.battle}")
        least = min(counts.values())
        pair = sorted(draw.choice(sorted((sorted(pair) for pair, count in counts.items() if count == least))))
        draw.shuffle(pair)
        return pair

    def _battle_answer(self, participant: Participant, turn: Turn) -> Given | None:
        if participant.item == 1:
            vote = BattleVote(**participant.progress["vote"])
            return Given(vote=vote if turn.option == SKIP else replace(vote, feedback=turn.text[:2000]))
        labels = [self.say(participant.language, key) for key in ("list_a", "list_b", TIE)]
        value = chosen(turn, labels, f"study:vote:{participant.step}:")
        if value is None:
            return None
        first, second = participant.progress["pair"]
        side = _SIDES[value - 1]
        vote = BattleVote(participant.step, first, second, {"a": first, "b": second}.get(side, TIE))
        kept = {name: getattr(vote, name) for name in BattleVote.__slots__}
        return Given(vote=vote, more=True, progress={**participant.progress, "vote": kept})


def chosen(turn: Turn, labels: Sequence[str], prefix: str) -> int | None:
    """Which answer a turn chooses, from 1: by button, number or (nearly) its words; None for none.

    Args:
        turn: what the participant did.
        labels: the answers in order.
        prefix: of the ids of this question's options; buttons of other questions choose nothing.
    """
    if turn.kind == "option" and turn.option is not None:
        number = turn.option.removeprefix(prefix)
        return int(number) if turn.option.startswith(prefix) and number.isdigit() else None
    text = turn.text.strip()
    if text.isdigit():
        return int(text) if 1 <= int(text) <= len(labels) else None
    found = process.extractOne(text.casefold(), [label.casefold() for label in labels], scorer=fuzz.ratio)
    return found[2] + 1 if found and found[1] >= _CLOSE else None


def _options(prefix: str, labels: Sequence[str]) -> tuple[Option, ...]:
    return tuple(Option(f"{prefix}{number}", label) for number, label in enumerate(labels, 1))


def _prefix(step: Step, place: int) -> str:
    """Of the ids of the options of one question."""
    return f"study:{step.name[:12]}:{place}:"


def _labels(question: Question, language: str) -> tuple[str, ...]:
    answers = question.scale.answers
    return answers.get(language) or answers[FALLBACK]


def _domain(participant: Participant, study: StudyConfig) -> str:
    """The domain of the participant's conditions, for battles; the first the study knows otherwise."""
    of_cell = dict(part.split("=", 1) for part in participant.cell.split(", ") if "=" in part)
    factor = study.factors.get("domain")
    return of_cell.get("domain") or (str(factor.levels[0]) if factor else "movie")
