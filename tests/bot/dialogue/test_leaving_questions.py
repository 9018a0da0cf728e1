"""Every question can be left by skip, stop or a new subject, in every mode of interaction."""

from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from sqlalchemy import make_url

from bot.channels.base import Option, Reply, Turn, UserKey
from bot.dialogue.manager import DialogueManager
from bot.dialogue.questions import MENUS
from bot.dialogue.scene import current, phase_of
from bot.dialogue.state import DialogueState, InteractionMode, Profile, Question
from bot.storage.store import SqlStore, open_store
from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.model import Polarity
from nlu.entities.linker import CatalogueLinker
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.bot.dialogue.doubles import SaidIntents, SaidSentiment

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """A message, or a button by the start of its id, with what the recognisers make of it."""

    text: str
    coarse: str = "chitchat"
    polarity: Polarity | None = None
    button: str = ""


LIKED = Said("I like Heat", "preference", "+")
OTHER = Said("I love The Matrix", "preference", "+")
REQUEST = Said("suggest something", "request_recommendation", button="do:recommend")
RATING = Said("I like it", "preference", "+", button="like:")
TALK = Said("how are you?")
SKIP = Said("skip", "skip", button="none: skip: unseen:")
STOP = Said("stop", "stop", button="do:stop")

RAISED: Mapping[str, tuple[Said, ...]] = {
    "which item": (LIKED, Said("I like Carrie", "preference", "+")),
    "which role": (LIKED, Said("I love Clint Eastwood", "preference", "+")),
    "which people": (LIKED, Said("I hate the actor of Titanic", "preference", "-")),
    "liked or not": (LIKED, Said("Gladiator", "inform")),
    "meant of the item": (LIKED, Said("the director", "preference", "+")),
    "after a critique": (LIKED, REQUEST, Said("I like it but not the actor", "yes_but", "-")),
    "delete which": (LIKED, OTHER, Said("/delete")),
    "delete this": (LIKED, Said("/delete")),
    "reset what": (LIKED, Said("/reset")),
    "reset indeed": (LIKED, Said("/reset"), Said("everything", "reset_everything")),
    "which domain": (Said("/start"),),
    "show the profile": (LIKED, Said("/profile")),
    "item to rate": (LIKED, Said("/rate")),
    "item on show": (LIKED, REQUEST),
    "more or not": (LIKED, REQUEST, *[Said("/skip")] * 5),
}
"""What waits for an answer, and how it comes to be asked."""

QUESTIONS = tuple(
    name for name in RAISED if name not in {"show the profile", "item to rate", "item on show", "more or not"}
)
RETURNING = ("which item", "which role", "which people", "liked or not", "meant of the item", "after a critique")
MODES = get_args(InteractionMode)


@dataclass
class Chat:
    """One user talking to the bot; what always holds is checked after every turn."""

    manager: DialogueManager
    store: SqlStore
    intents: SaidIntents
    sentiment: SaidSentiment
    state: DialogueState
    profile: Profile = field(default_factory=Profile)
    reply: Reply = field(default_factory=lambda: Reply(()))
    turns: int = 0
    opinions: dict[str, str] = field(default_factory=dict)

    async def says(self, *said: Said) -> None:
        for one in said:
            pressed = self._button(one) if self.state.mode == "buttons" else None
            await self._turn(one, pressed)
            self._check()

    def _button(self, said: Said) -> Option | None:
        """The button that says the same, if there is one; menus of earlier messages can be pressed too."""
        if said is REQUEST:
            return Option(said.button, "")
        starts = tuple(said.button.split())
        found = next((option for option in self.reply.options if starts and option.id.startswith(starts)), None)
        if found is None and said is SKIP and self.question:
            no = self.question.choices[-1].id
            return next(option for option in self.reply.options if option.id == no)
        return found

    async def _turn(self, said: Said, pressed: Option | None) -> None:
        self.turns += 1
        self.intents.coarse, self.sentiment.polarity = said.coarse, said.polarity
        kind: Any = "option" if pressed else "text"
        option = pressed.id if pressed else None
        turn = Turn(UserKey("console", "anna"), str(self.turns), kind, said.text, NOW, option)
        self.reply = (await self.manager.handle(turn)).reply
        async with self.store.open_turn(replace(turn, update_id="none")) as opened:
            assert opened.state is not None
            self.state, self.profile = opened.state, opened.profile

    def _check(self) -> None:
        said = "\n".join(self.reply.texts)
        assert said.strip()
        assert said.count("?") <= 1, said
        assert self.state.phase == phase_of(self.state)
        assert self.state.mode != "nl" or not self.reply.options
        assert self.state.mode != "buttons" or self.reply.options
        now = {given.qid: given.polarity for given in self.profile.preferences}
        assert self.opinions.items() <= now.items(), "a preference is lost"
        self.opinions = dict(now)

    @property
    def shown(self) -> str | None:
        """The item that waits for an opinion."""
        return current(self.state) or self.state.suggested

    @property
    def question(self) -> Question | None:
        """The question that the last reply asks."""
        last = self.state.questions[-1] if self.state.questions else None
        return last if last and last.age == 0 else None

    def waits(self, question: Question) -> bool:
        """Whether a question was neither answered nor left for good."""
        return question.serial in {asked.serial for asked in self.state.questions}

    async def times_asked(self, question: Question, said: Said) -> int:
        """How often a question is asked while a user goes on saying something."""
        asked = []
        for _ in range(6):
            await self.says(said)
            asked.append(self.question is not None and self.question.serial == question.serial)
        return sum(asked)


@pytest.fixture
def chatting(
    tmp_path: Path,
    linker: CatalogueLinker,
    recommender: Recommender,
    catalogue: Catalogue,
    domains: Mapping[str, DomainConfig],
) -> Any:
    @asynccontextmanager
    async def chat(name: str, mode: InteractionMode) -> Any:
        intents, sentiment = SaidIntents(), SaidSentiment()
        first = DialogueState(mode=mode, domain_chosen=name != "which domain")
        async with open_store(make_url(f"sqlite+aiosqlite:///{tmp_path}/test.db"), lambda: NOW) as store:
            understander = Understander(intents, linker, sentiment)
            manager = DialogueManager(
                store, understander, recommender, catalogue, domains, clock=lambda: NOW, rng=Random(3), initial=first
            )
            begun = Chat(manager, store, intents, sentiment, first)
            await begun.says(*RAISED[name])
            yield begun

    return chat


def asked_in_every_mode(names: tuple[str, ...]) -> list[Any]:
    return [pytest.param(name, mode, id=f"{name}, {mode}") for name in names for mode in MODES]


@pytest.mark.parametrize(("name", "mode"), asked_in_every_mode(QUESTIONS))
async def test_skip_leaves_a_question_for_good(name: str, mode: InteractionMode, chatting: Any) -> None:
    async with chatting(name, mode) as chat:
        question = chat.question
        await chat.says(SKIP)
        assert not chat.waits(question)
        assert await chat.times_asked(question, TALK) == 0


@pytest.mark.parametrize(("name", "mode"), asked_in_every_mode(tuple(RAISED)))
async def test_stop_leaves_everything(name: str, mode: InteractionMode, chatting: Any) -> None:
    async with chatting(name, mode) as chat:
        await chat.says(STOP)
        assert chat.question is None
        assert not chat.state.questions
        assert chat.shown is None


@pytest.mark.parametrize(("name", "mode"), asked_in_every_mode(tuple(RAISED)))
async def test_a_request_is_met_whatever_is_asked(name: str, mode: InteractionMode, chatting: Any) -> None:
    async with chatting(name, mode) as chat:
        question = chat.question
        await chat.says(REQUEST)
        if name == "which domain":
            assert chat.question.kind == "domain"
            return
        assert current(chat.state) is not None
        assert chat.question is None
        if question is not None:
            assert await chat.times_asked(question, Said("/details")) == 0
            assert await chat.times_asked(question, Said("/skip")) == 0


@pytest.mark.parametrize(("name", "mode"), asked_in_every_mode(QUESTIONS))
async def test_a_request_sets_a_question_aside_until_the_next_item(
    name: str, mode: InteractionMode, chatting: Any
) -> None:
    async with chatting(name, mode) as chat:
        question = chat.question
        await chat.says(REQUEST, RATING)
        returned = chat.question is not None and chat.question.serial == question.serial
        assert returned == (name in RETURNING)
        if returned:
            await chat.says(OTHER)
            assert await chat.times_asked(question, Said("/skip")) == 0


@pytest.mark.parametrize(("name", "mode"), asked_in_every_mode(tuple(RAISED)))
async def test_a_new_preference_is_noted_whatever_is_asked(name: str, mode: InteractionMode, chatting: Any) -> None:
    async with chatting(name, mode) as chat:
        question, shown = chat.question, chat.shown
        await chat.says(OTHER)
        label = chat.manager.know.catalogue.label
        assert "+" in {given.polarity for given in chat.profile.preferences if label(given.qid) == "The Matrix"}
        assert chat.shown == shown
        if question is not None:
            assert chat.question is None
            assert await chat.times_asked(question, Said("/skip") if shown else TALK) == (name in RETURNING)


@pytest.mark.parametrize(("name", "mode"), asked_in_every_mode(tuple(RAISED)))
async def test_small_talk_is_answered_and_the_question_asked_once_more(
    name: str, mode: InteractionMode, chatting: Any
) -> None:
    async with chatting(name, mode) as chat:
        question, shown = chat.question, chat.shown
        await chat.says(TALK)
        assert chat.shown == shown
        if question is not None:
            assert chat.question is not None
            assert chat.question.serial == question.serial
            assert await chat.times_asked(question, TALK) == 0
            assert question.kind not in MENUS or not chat.waits(question)


@pytest.mark.parametrize("left", [REQUEST, OTHER], ids=["a request", "a preference"])
@pytest.mark.parametrize(("name", "mode"), asked_in_every_mode(("which item", "which role", "which people")))
async def test_a_question_can_be_answered_two_messages_late(
    name: str, mode: InteractionMode, left: Said, chatting: Any
) -> None:
    async with chatting(name, mode) as chat:
        question = chat.question
        await chat.says(left, Said("/help"))
        known = len(chat.profile.preferences)
        await chat.says(Said("the first one", "inform"))
        assert len(chat.profile.preferences) == known + 1
        assert not chat.waits(question)


@pytest.mark.parametrize("mode", MODES)
async def test_a_yes_that_comes_late_resets_nothing(mode: InteractionMode, chatting: Any) -> None:
    async with chatting("reset indeed", mode) as chat:
        await chat.says(TALK, TALK, Said("yes", "affirm"))


@pytest.mark.parametrize("mode", MODES)
async def test_an_opinion_deletes_nothing(mode: InteractionMode, chatting: Any) -> None:
    async with chatting("delete which", mode) as chat:
        await chat.says(OTHER, Said("I hate Titanic", "preference", "-"))
