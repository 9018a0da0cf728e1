"""Every scripted conversation, played on real Rasa, real Stanza, the starter catalogue and a real SQLite file."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import reduce
from pathlib import Path
from random import Random

import pytest
from sqlalchemy.engine import make_url

from bot.channels.base import Option, Reply, Turn, UserKey
from bot.dialogue.labels import COARSE, EXACT
from bot.dialogue.manager import DialogueManager
from bot.dialogue.scene import Policy
from bot.dialogue.state import DialogueState, Phase, Profile
from bot.records import Record
from bot.storage.store import SqlStore, open_store
from data.catalogue import Catalogue
from data.domains import DomainConfig
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.dialogues.script import Script, Step, scripts

SCRIPTS = dict(scripts())
USER = UserKey("console", "somebody")


def ticking() -> Callable[[], datetime]:
    """A clock that moves one second whenever it is read."""
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def read() -> datetime:
        nonlocal now
        now += timedelta(seconds=1)
        return now

    return read


@dataclass(slots=True)
class Player:
    """Plays one script and checks every turn."""

    manager: DialogueManager
    store: SqlStore
    catalogue: Catalogue
    clock: Callable[[], datetime]
    options: tuple[Option, ...] = ()
    shown: str | None = None
    turns: list[Turn] = field(default_factory=list)

    async def step(self, step: Step, where: str) -> None:
        """Does what the step says and checks what must come of it."""
        turn = self._turn(step)
        before = await self._kept(turn)
        result = await self.manager.handle(turn)
        state, profile = await self._kept(turn)
        if step.repeats:
            assert result.record is None, where
            assert (state, profile) == before, where
            return
        assert result.record is not None, where
        self._check_reply(result.reply, state, where)
        self._check(step, result.record, state, profile, where)
        self.turns.append(turn)
        self.options, self.shown = result.reply.options, result.record.recommended

    def _turn(self, step: Step) -> Turn:
        if step.repeats:
            return self.turns[-1]
        number = str(len(self.turns))
        if step.sends:
            return Turn(USER, number, "media", "", self.clock())
        if step.says is not None:
            return Turn(USER, number, "text", step.says, self.clock())
        option = self._option(step.presses or "")
        return Turn(USER, number, "option", step.presses or "", self.clock(), option)

    def _option(self, label: str) -> str:
        """The id of the option on offer with that label, or the label itself as the id of an old button."""
        return next((option.id for option in self.options if label in option.label), label)

    async def _kept(self, turn: Turn) -> tuple[DialogueState | None, Profile]:
        async with self.store.open_turn(turn) as opened:
            return opened.state, opened.profile

    def _check_reply(self, reply: Reply, state: DialogueState | None, where: str) -> None:
        """What holds for every reply."""
        assert state is not None, where
        said = "\n".join(reply.texts)
        assert said.strip(), where
        titles = [entity.label for entity in self.catalogue.entities() if "?" in entity.label]
        without = reduce(lambda text, title: text.replace(title, ""), titles, said)
        assert without.count("?") <= 1, f"{where}: more than one question in {said!r}"
        assert not re.search(r"\bNone\b|\{|\}", said), f"{where}: {said!r}"
        assert all(len(option.id.encode()) <= 40 for option in reply.options), where
        if state.mode == "nl":
            assert not reply.options, where

    def _check(self, step: Step, record: Record, state: DialogueState | None, profile: Profile, where: str) -> None:
        assert state is not None
        seen = f"{where}: {record.intent} {record.events} {record.recognized_objects} {record.reply}"
        expected: Mapping[str, tuple[object, object]] = {
            "intent": (step.intent, record.intent),
            "events": (_set(step.events), set(record.events)),
            "contexts": (_set(step.contexts), set(record.contexts)),
            "phase": (step.phase, state.phase),
            "domain": (step.domain, record.domain),
            "exported": (step.exported, record.exported),
            "options": (step.options, bool(record.reply.options)),
        }
        for name, (wanted, got) in expected.items():
            assert wanted is None or wanted == got, f"{name} {wanted} != {got}: {seen}"
        if step.objects is not None:
            self._check_names(step.objects, [(q, p) for q, p in record.recognized_objects], f"objects: {seen}")
        for polarity, wanted_names in (("+", step.likes), ("-", step.dislikes)):
            if wanted_names is not None:
                kept = [(given.qid, "") for given in profile.preferences if given.polarity == polarity]
                self._check_names(wanted_names, kept, f"profile {polarity}: {seen}")
        said = "\n".join((*record.reply.texts, *(option.label for option in record.reply.options)))
        assert all(text.casefold() in said.casefold() for text in step.offers), f"offers: {seen}"
        assert all(text.casefold() not in said.casefold() for text in step.lacks), f"lacks: {seen}"
        self._check_shown(step, record, seen)

    def _check_names(self, wanted: list[str], got: list[tuple[str, str]], seen: str) -> None:
        """Entities may be named by label, or by label and year where the label is not enough."""
        assert len(wanted) == len(got), f"{len(got)} instead of {len(wanted)} {seen}"
        for qid, sign in got:
            entity = self.catalogue.get(qid)
            assert entity is not None
            names = {qid + sign, f"{entity.label}{sign}", f"{entity.label} ({entity.year}){sign}"}
            assert names & set(wanted), f"{names} not in {wanted} {seen}"

    def _check_shown(self, step: Step, record: Record, seen: str) -> None:
        if step.shows in {True, False}:
            assert bool(record.recommended) == step.shows, f"shows: {seen}"
        elif step.shows is not None:
            assert record.recommended is not None, f"shows: {seen}"
            assert (record.recommended == self.shown) == (step.shows == "same"), f"shows: {seen}"


def _set(values: list[str] | None) -> set[str] | None:
    return None if values is None else set(values)


@pytest.mark.parametrize("name", SCRIPTS)
async def test_conversation(
    name: str,
    tmp_path: Path,
    understander: Understander,
    recommender: Recommender,
    catalogue: Catalogue,
    domains: Mapping[str, DomainConfig],
) -> None:
    script: Script = SCRIPTS[name]
    clock = ticking()

    def manager(store: SqlStore) -> DialogueManager:
        return DialogueManager(
            store,
            understander,
            recommender,
            catalogue,
            domains,
            clock=clock,
            rng=Random(7),
            policy=Policy(elicitation=script.elicitation),
            initial=DialogueState(
                domain=script.domain, domain_chosen=script.chosen, mode=script.mode, language=script.language
            ),
        )

    async with open_store(make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db"), clock) as store:
        player = Player(manager(store), store, catalogue, clock)
        for number, step in enumerate(script.turns, 1):
            if step.restarts:
                player.manager = manager(store)
                continue
            await player.step(step, f"{name}, turn {number}, {step.says or step.presses or 'media'!r}")


def test_there_are_twenty_scripts_a_domain() -> None:
    for domain in ("movie", "book", "music"):
        assert sum(script.domain == domain for script in SCRIPTS.values()) >= 20


def test_the_scripts_cover_every_intent_that_the_table_knows() -> None:
    reachable = {
        intent.format(reset=reset)
        for row in EXACT.values()
        for intent in row.values()
        for reset in ("reset_everything", "reset_movies", "reset_properties")
    }
    covered = {step.intent for script in SCRIPTS.values() for step in script.turns}
    assert not {intent for intent in reachable if intent in COARSE} - covered


def test_the_scripts_reach_every_phase_and_both_languages() -> None:
    assert {step.phase for script in SCRIPTS.values() for step in script.turns} >= set(Phase)
    assert {script.language for script in SCRIPTS.values()} >= {"en", "it"}
    assert {script.mode for script in SCRIPTS.values()} >= {"nl", "mixed", "buttons"}
