"""Several studies at once, studies made in the browser, and what researchers change by hand."""

import asyncio
from collections.abc import Callable
from random import Random

import pytest
import yaml

from bot.app import initial_state
from bot.channels.base import Reply, Turn, UserKey
from bot.channels.privacy import PrivacyDesk
from bot.channels.wording import load_channel_wordings
from bot.config import load_settings
from bot.errors import ConfigError, UsageError
from bot.records import TurnResult
from bot.storage.store import SqlStore
from bot.study.config import parse_study, read_study
from bot.study.designs import DesignStore, as_yaml
from bot.study.desk import StudyDesk
from bot.study.studies import Studies
from tests.bot.study.conftest import MovingClock, Talk, study_content

Desks = Callable[..., StudyDesk]
DOMAINS = {"domain": {"levels": ["movie", "book"]}}


class Nobody:
    """Answers who takes part in no study."""

    async def handle(self, turn: Turn) -> TurnResult:
        return TurnResult(Reply(("not in a study",)))


@pytest.fixture
def studies(desk_for: Desks, store: SqlStore) -> Studies:
    def make(study: object) -> StudyDesk:
        return desk_for(**study.model_dump(mode="json"))  # type: ignore[attr-defined]

    return Studies([parse_study(study_content(), "test")], make, store, Nobody())


async def say(studies: Studies, name: str, text: str, clock: MovingClock, option: str | None = None) -> str:
    turn = Turn(UserKey("test", name), str(Random().random()), "option" if option else "text", text, clock(), option)
    return "\n".join((await studies.handle(turn)).reply.texts)


async def test_each_study_answers_its_participants(studies: Studies, store: SqlStore, clock: MovingClock) -> None:
    design = yaml.safe_dump(study_content(name="moods", title="Moods"))
    await DesignStore(store).add(design, "olga")
    assert await say(studies, "ann", "/start nothing", clock) == "not in a study"
    assert "Moods" in await say(studies, "ann", "/start moods", clock)
    await say(studies, "ann", "", clock, "study:moods:agree")
    await say(studies, "bob", "", clock, "study:tastes:agree")
    for name, study in (("ann", "moods"), ("bob", "tastes")):
        desk = await studies.desk(study)
        assert desk is not None
        assert len(await desk.kept.participants()) == 1
        assert (await desk.kept.participants())[0].progress == {}
        await say(studies, name, "I like Heat", clock)
        assert (await desk.kept.participants())[0].progress["preferences"] == 1
    assert await say(studies, "eve", "I like Heat", clock) == "not in a study"
    assert [desk.study.name for desk in studies] == ["moods", "tastes"]


async def test_a_participant_can_have_everything_deleted(
    desk_for: Desks, store: SqlStore, clock: MovingClock, tmp_path: object
) -> None:
    privacy = PrivacyDesk(Nobody(), store, load_channel_wordings(), initial_state(load_settings()), clock)
    desk = desk_for()
    studies = Studies([desk.study], lambda _: desk, store, privacy)
    await say(studies, "ann", "", clock, "study:tastes:agree")
    await say(studies, "ann", "/forget_me yes", clock)
    assert await desk.kept.participants() == []


async def test_a_design_is_kept_whole_and_its_name_taken_once(store: SqlStore) -> None:
    designs = DesignStore(store)
    study = parse_study(study_content(factors=DOMAINS), "test")
    await designs.add(as_yaml(study), "olga")
    assert await designs.find("tastes") == study
    assert await designs.all() == [study]
    with pytest.raises(UsageError, match="already"):
        await designs.add(as_yaml(study), "olga")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a\ntitle: [b\n", r"line 3, column 1"),
        ("name: a\n\ttitle: b\n", "line 2"),
        ("name: My Study\n", "small letters, digits and hyphens"),
        ("name: a\n", "title: is missing"),
        ("- a\n", "expected the fields"),
        ("name: &a [*a, *a]\n", "name"),
    ],
)
def test_a_broken_file_says_where(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as raised:
        read_study(text, "tastes.yaml")
    assert "\n" not in str(raised.value)
    assert "pydantic" not in str(raised.value)


async def test_participants_who_come_at_once_are_numbered_and_balanced(
    desk_for: Desks, store: SqlStore, clock: MovingClock
) -> None:
    desk = desk_for(factors=DOMAINS)
    await asyncio.gather(*(Talk(desk, f"p{n}", clock).join() for n in range(8)))
    people = await desk.kept.participants()
    assert sorted(one.number for one in people) == list(range(1, 9))
    assert sorted(one.cell for one in people) == ["domain=book"] * 4 + ["domain=movie"] * 4


async def test_answers_sent_twice_at_once_count_once(desk_for: Desks, clock: MovingClock) -> None:
    desk = desk_for(questionnaires={"before": ["recommind"]})
    talk = Talk(desk, "ann", clock)
    await talk.join()
    option = talk.said[-1].options[2]
    turns = [
        Turn(UserKey("test", "ann"), f"twice-{n}", "option", option.label, clock(), option.id) for n in range(3)
    ]  # fmt: skip
    await asyncio.gather(*(desk.handle(turn) for turn in turns))
    assert (await desk.kept.participants())[0].item == 1


async def test_a_reassigned_participant_begins_anew_in_the_other_condition(desk_for: Desks, clock: MovingClock) -> None:
    desk = desk_for(factors=DOMAINS)
    talk = Talk(desk, "ann", clock)
    await talk.join()
    await talk.say("I like Heat")
    before = (await desk.kept.participants())[0].cell
    other = "domain=book" if before == "domain=movie" else "domain=movie"
    with pytest.raises(UsageError, match="choose one of: domain=movie; domain=book"):
        await desk.kept.reassign(1, "domain=opera", "olga")
    with pytest.raises(UsageError, match="no participant 7"):
        await desk.kept.reassign(7, other, "olga")
    await desk.kept.reassign(1, other, "olga")
    await talk.say("hello")
    assert "Your task" in talk.text
    await talk.say("I like Heat")
    participant = (await desk.kept.participants())[0]
    assert participant.cell == other
    assert participant.progress["preferences"] == 1
    assert [(line.action, line.detail) for line in await desk.kept.audit()] == [("reassign", f"1: {other}")]


async def test_a_page_sees_every_kind_of_step(desk_for: Desks, clock: MovingClock) -> None:
    desk = desk_for(
        questionnaires={"before": ["arena"], "after": []},
        tasks=[{"id": "like", "text": "Tell the bot two films.", "preferences": 2, "minutes": 10}],
        battles={"variants": ["ppr", "popularity"]},
    )
    user = UserKey("test", "ann")
    assert await desk.view(user) is None
    talk = Talk(desk, "ann", clock)
    await talk.join()
    view = await desk.view(user)
    assert view is not None
    assert (view.kind, view.number, view.total, view.answered) == ("questionnaire", 1, 3, 0)
    await talk.say("", view.questions[0].options[0].id)
    view = await desk.view(user)
    assert view is not None
    assert view.seconds_left is not None
    assert 0 < view.seconds_left <= 600
    await talk.say("I like Heat")
    view = await desk.view(user)
    assert view is not None
    assert [(goal.name, goal.done, goal.wanted) for goal in view.goals] == [("preferences", 1, 2)]
    await talk.say("I like The Godfather")
    view = await desk.view(user)
    assert view is not None
    assert view.kind == "battle"
    assert [len(one) for one in view.lists] == [5, 5]
    await talk.say("", view.questions[0].options[2].id)
    view = await desk.view(user)
    assert view is not None
    assert view.lists == ()
    await talk.say("they are much the same")
    view = await desk.view(user)
    assert view is not None
    assert (view.kind, view.code) == ("done", "C0DE42")
