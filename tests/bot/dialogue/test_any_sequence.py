"""Whatever a user does, in whatever order: nothing breaks, nothing is lost, nothing unwanted is recommended."""

import asyncio
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Stage
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy.engine import make_url

from bot.channels.base import Option, Turn, UserKey
from bot.dialogue.chart import TRANSITIONS
from bot.dialogue.labels import COARSE_INTENTS, CONTEXT_ORDER
from bot.dialogue.manager import DialogueManager
from bot.dialogue.profile import excluded
from bot.dialogue.scene import Policy, phase_of
from bot.dialogue.state import DialogueState, Phase, Profile
from bot.records import TurnResult
from bot.storage.store import open_store
from data.catalogue import Catalogue
from data.domains import DomainConfig
from nlu.entities.linker import CatalogueLinker
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.bot.dialogue.doubles import SaidIntents, SaidSentiment

USER = UserKey("console", "anyone")
OPINIONS = (
    "I like Titanic", "I hate Dune", "Ghostbusters", "I love Clint Eastwood", "The Hobbit", "I like Gorillaz and Adele",
    "I love Tom Hanks", "I like it", "the director", "I like it but not the director", "I like Heat for the director",
    "I haven't seen it", "horror", "no, I meant the 1984 one", "not that one", "actually I hated it", "I like Xqzwv",
)  # fmt: skip
REQUESTS = (
    "suggest something", "something newer", "a comedy from the nineties with Tom Hanks", "not horror",
    "a book by Dante", "something like Inception", "any good novel like Dune?", "a song from the 1230s by Adele",
)  # fmt: skip
ANSWERS = (
    "1",
    "2",
    "the second one",
    "all",
    "none of these",
    "yes",
    "no",
    "actor",
    "everything",
    "movies",
    "books",
    "both",
)
COMMANDS = (
    "/start", "/movies", "/books", "/music", "/mode nl", "/mode buttons", "/mode mixed", "/mode what", "/language it",
    "/language en", "/language xx", "/undo", "/rate", "/reset", "/stop", "/skip", "/profile", "/help", "/recommend",
    "/details", "/why", "/preview", "/nothing",
)  # fmt: skip
OTHER = (
    "undo", "forget the last one", "let's talk about music", "speak Italian", "parliamo inglese", "no buttons", "skip",
    "rate some", "hello", "", "   ", "😀", "7", "\x00", "x" * 3000, "我喜欢", "<b>", "delete my preference for Titanic",
    "stop",
)  # fmt: skip
REPAIRS = {"no, I meant the 1984 one", "not that one", "undo", "forget the last one", "/undo"}
ODD_OPTIONS = ("", "pick:1:99", "pick:x:y", "none:3", "like:Q1", "do:", "do:domain:nowhere", "a:b:c:d")
POLARITIES = st.sampled_from(["+", "-", None])


class AnySequence(RuleBasedStateMachine):
    """A user who may do anything; what must hold is checked after every turn."""

    parts: Mapping[str, Any]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.intents, self.sentiment = SaidIntents(), SaidSentiment()
        self.number = 0
        self.options: tuple[Option, ...] = ()
        self.old_options: list[Option] = []
        self.state: DialogueState | None = None
        self.profile = Profile()

    @initialize(chosen=st.booleans(), elicitation=st.sampled_from([None, "pop", "randPop"]))
    def begins(self, chosen: bool, elicitation: str | None) -> None:
        self.initial = DialogueState(domain_chosen=chosen)
        self.policy = Policy(elicitation=elicitation)
        url = make_url(f"sqlite+aiosqlite:///{Path(self.folder)}/test.db")
        self.store = self.runner.run(self.stack.enter_async_context(open_store(url, self.now)))
        self.starts_bot()

    def starts_bot(self) -> None:
        parts = self.parts
        self.manager = DialogueManager(
            self.store,
            Understander(self.intents, parts["linker"], self.sentiment),
            parts["recommender"],
            parts["catalogue"],
            parts["domains"],
            clock=self.now,
            rng=Random(self.number),
            policy=self.policy,
            initial=self.initial,
        )

    def now(self) -> datetime:
        return datetime.fromtimestamp(1_700_000_000 + self.number, UTC)

    @rule(
        text=st.sampled_from(OPINIONS), coarse=st.sampled_from(["preference", "yes_but", "no_but"]), polarity=POLARITIES
    )
    def opines(self, text: str, coarse: str, polarity: Any) -> None:
        self.says(text, coarse, polarity)

    @rule(text=st.sampled_from(REQUESTS))
    def requests(self, text: str) -> None:
        self.says(text, "request_recommendation", None)

    @rule(text=st.sampled_from(ANSWERS), coarse=st.sampled_from(["inform", "affirm", "deny", "reset_items"]))
    def answers(self, text: str, coarse: str) -> None:
        self.says(text, coarse, None)

    @rule(text=st.sampled_from(COMMANDS))
    def commands(self, text: str) -> None:
        self.says(text, "chitchat", None)

    @rule(
        text=st.sampled_from(OPINIONS + REQUESTS + ANSWERS + OTHER),
        coarse=st.sampled_from(COARSE_INTENTS),
        polarity=POLARITIES,
    )
    def says(self, text: str, coarse: str, polarity: Any) -> None:
        self.intents.coarse, self.sentiment.polarity = coarse, polarity
        self.does("text", text)

    @precondition(lambda self: self.options)
    @rule(place=st.integers(0, 20))
    def presses(self, place: int) -> None:
        option = self.options[place % len(self.options)]
        self.does("option", option.label, option.id)

    @rule(place=st.integers(0, 1000), odd=st.sampled_from(ODD_OPTIONS))
    def presses_what_is_not_on_offer(self, place: int, odd: str) -> None:
        known = [option.id for option in self.old_options]
        self.does("option", "", known[place % len(known)] if known and place % 3 else odd)

    @rule(photo=st.booleans())
    def sends_a_photo_or_meets_a_restarted_bot(self, photo: bool) -> None:
        if photo:
            self.does("media", "")
        else:
            self.starts_bot()

    @precondition(lambda self: self.number > 0)
    @rule()
    def the_update_comes_twice(self) -> None:
        result = self.runner.run(self.manager.handle(self.turn))
        assert result.record is None
        assert result.reply == self.result.reply
        assert self.kept() == (self.state, self.profile)

    def does(self, kind: Any, text: str, option: str | None = None) -> None:
        self.number += 1
        self.turn = Turn(USER, str(self.number), kind, text, self.now(), option)
        before, profile = self.state, self.profile
        self.result: TurnResult = self.runner.run(self.manager.handle(self.turn))
        self.state, self.profile = self.kept()
        self.old_options = [*self.old_options, *self.options][-200:]
        self.options = self.result.reply.options
        self.check_turn(before, profile)

    def kept(self) -> tuple[DialogueState | None, Profile]:
        async def read() -> tuple[DialogueState | None, Profile]:
            async with self.store.open_turn(replace(self.turn, update_id="none")) as opened:
                return opened.state, opened.profile

        return self.runner.run(read())

    def check_turn(self, before: DialogueState | None, profile: Profile) -> None:
        record, state = self.result.record, self.state
        assert record is not None
        assert state is not None
        if record.recommended and record.recommended not in {shown.qid for shown in profile.shown}:
            assert record.recommended not in excluded(profile)
        old_phase = before.phase if before else Phase.IDLE
        assert state.phase in TRANSITIONS[old_phase], f"{old_phase} -> {state.phase} by {self.turn.text!r}"
        if record.coarse_intent in KEEPING and self.turn.text not in REPAIRS:
            kept = {given.qid: given.polarity for given in self.profile.preferences}
            said = {qid for qid, _ in record.recognized_objects}
            assert all(given.qid in said or kept.get(given.qid) == given.polarity for given in profile.preferences)

    @invariant()
    def the_state_is_valid(self) -> None:
        state = self.state
        if state is None:
            return
        assert state.phase == phase_of(state)
        assert state.position is None or 0 <= state.position < len(state.recommendations)
        assert not (state.position is not None and state.suggested)
        assert set(state.contexts) <= set(CONTEXT_ORDER)
        assert len({given.qid for given in self.profile.preferences}) == len(self.profile.preferences)
        assert len({asked.serial for asked in state.questions}) == len(state.questions)
        rated = {given.qid for given in self.profile.preferences}
        waiting = state.recommendations[state.position + 1 :] if state.position is not None else ()
        assert len(set(waiting)) == len(waiting)
        assert state.position is None or not rated & set(waiting)

    @invariant()
    def the_reply_can_be_shown(self) -> None:
        if self.number == 0:
            return
        reply = self.result.reply
        assert all(text.strip() for text in reply.texts)
        said = "\n".join(reply.texts)
        for title in self.parts["titles"]:
            said = said.replace(title, "")
        assert said.count("?") <= 1
        assert all(len(option.id.encode()) <= 40 and option.label for option in reply.options)
        assert len({option.id for option in reply.options}) == len(reply.options)
        assert self.state is None or self.state.mode != "nl" or not reply.options

    @precondition(lambda self: self.state is not None and self.state.questions)
    @rule(way=st.sampled_from(["/skip", "/stop"]))
    def a_question_can_be_left(self, way: str) -> None:
        asked = self.state.questions[-1].serial if self.state else None
        open_now = self.state is not None and self.state.phase.startswith(("disambiguating", "reset"))
        self.does("text", way)
        assert self.state is not None
        if open_now or way == "/stop":
            assert asked not in {question.serial for question in self.state.questions}

    def teardown(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()


KEEPING = {"preference", "request_recommendation", "details", "why", "trailer", "help", "skip", "stop", "command"}
"""Coarse intents under which no preference may vanish or change unless the message names it."""


@pytest.fixture(scope="module")
def machine(
    linker: CatalogueLinker, recommender: Recommender, catalogue: Catalogue, domains: Mapping[str, DomainConfig]
) -> type[AnySequence]:
    titles = [entity.label for entity in catalogue.entities() if "?" in entity.label]
    parts = {"linker": linker, "recommender": recommender, "catalogue": catalogue, "domains": domains, "titles": titles}
    return type("WithParts", (AnySequence,), {"parts": parts})


def test_any_sequence(machine: type[AnySequence]) -> None:
    quick = settings(
        max_examples=12,
        stateful_step_count=25,
        deadline=None,
        derandomize=True,
        phases=[Stage.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=quick)


@pytest.mark.slow
def test_any_long_sequence(machine: type[AnySequence]) -> None:
    long = settings(max_examples=300, stateful_step_count=60, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=long)
