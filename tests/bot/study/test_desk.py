"""Participants from the link to the completion code, on the real parts."""

from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import select

from bot.storage import schema
from bot.storage import studies as tables
from bot.storage.store import SqlStore
from bot.study.desk import StudyDesk
from tests.bot.study.conftest import MovingClock, Talk

Desks = Callable[..., StudyDesk]


async def rows(store: SqlStore, table: object) -> list[object]:
    async with store.reading() as connection:
        return list(await connection.execute(select(table)))  # type: ignore[call-overload]


async def test_a_participant_goes_from_link_to_code(desk_for: Desks, store: SqlStore, clock: MovingClock) -> None:
    talk = Talk(desk_for(), "ann", clock)
    await talk.say("/start tastes__PROLIFIC_PID-p1__SESSION_ID-s9")
    assert "You can take part if: you are 18 or older" in talk.text
    assert await rows(store, schema.users) == []
    await talk.press("I agree")
    assert "Your task: Tell the bot two films" in talk.text
    await talk.say("I like Heat")
    await talk.say("I love The Godfather")
    assert "Well done" in talk.text
    assert "How do you feel about the conversation?" in talk.text
    await talk.press("Satisfied")
    assert "C0DE42" in talk.text
    participant = (await desk_for().kept.participants())[0]
    assert participant.finished_at is not None
    answer = (await rows(store, tables.answers))[0]
    assert (answer.questionnaire, answer.item, answer.value) == ("arena", "sentiment", 1)
    assert "C0DE42" in "\n".join((await talk.say("hello?")).texts)


async def test_declining_stores_nothing(desk_for: Desks, store: SqlStore, clock: MovingClock) -> None:
    talk = Talk(desk_for(), "ann", clock)
    await talk.say("/start tastes")
    await talk.press("No, thanks")
    assert "nothing was stored" in talk.text
    assert await rows(store, schema.users) == []


async def test_answers_may_be_written_and_wrong_ones_are_asked_again(desk_for: Desks, clock: MovingClock) -> None:
    talk = Talk(desk_for(questionnaires={"before": ["recommind"]}), "ann", clock)
    await talk.join()
    assert talk.said[-1].texts[0].startswith("1/4")
    await talk.say("perhaps")
    assert talk.said[-1].texts[0] == "Please choose one of the answers."
    await talk.say("4")
    assert talk.said[-1].texts[0].startswith("2/4")
    old = talk.said[0]
    await talk.say("1 – not at all")
    assert talk.said[-1].texts[0].startswith("3/4")
    await talk.say("x", option=talk.said[1].options[0].id)
    assert talk.said[-1].texts[0] == "Please choose one of the answers."
    assert old is not talk.said[-1]


async def test_conditions_fix_mode_and_domain_and_are_logged(
    desk_for: Desks, store: SqlStore, clock: MovingClock
) -> None:
    factors = {
        "mode": {"levels": ["nl", "buttons"], "design": "within"},
        "domain": {"levels": ["book"]},
    }
    talk = Talk(desk_for(factors=factors, tasks=[{"id": "like", "text": "Tell one.", "preferences": 1}]), "ann", clock)
    await talk.join()
    await talk.say("I like Dune")
    await talk.say("I like Dracula")
    records = await rows(store, schema.records)
    assert {record.condition for record in records} == {"domain=book, mode=nl", "domain=book, mode=buttons"}
    assert {record.domain for record in records} == {"book"}
    assert {record.interaction_type for record in records} == {"NL", "buttons"}


async def test_a_hint_when_stuck_and_an_end_when_time_is_over(desk_for: Desks, clock: MovingClock) -> None:
    task = {"id": "like", "text": "Tell the bot two films.", "preferences": 2, "minutes": 30, "prompt_minutes": 5}
    talk = Talk(desk_for(tasks=[task], questionnaires={}), "ann", clock)
    await talk.join()
    await talk.say("hi")
    assert "A hint" not in talk.text
    clock.moment += timedelta(minutes=6)
    await talk.say("hi")
    assert "tell me 2 more things" in talk.text
    await talk.say("hi")
    assert "A hint" not in talk.text
    clock.moment += timedelta(minutes=30)
    await talk.say("hi")
    assert "time for this task is over" in talk.text
    assert "C0DE42" in talk.text


async def test_battles_are_blind_and_balanced(desk_for: Desks, store: SqlStore, clock: MovingClock) -> None:
    battles = {"variants": ["ppr", "popularity", "random"], "count": 3}
    talk = Talk(desk_for(battles=battles, questionnaires={}), "ann", clock)
    await talk.join()
    await talk.say("I like Heat and The Godfather")
    for _ in range(3):
        assert "Which of these two lists" in talk.text
        shown = talk.said[-1]
        assert not any(name in str(shown) for name in battles["variants"])
        await talk.press("A is better")
        await talk.press("Skip")
    assert "C0DE42" in talk.text
    votes = await rows(store, tables.votes)
    assert {frozenset((vote.first, vote.second)) for vote in votes} == {
        frozenset(pair) for pair in (("ppr", "popularity"), ("ppr", "random"), ("popularity", "random"))
    }
    assert all(vote.choice == vote.first for vote in votes)


async def test_entities_of_the_conversation_are_asked_about(
    desk_for: Desks, store: SqlStore, clock: MovingClock
) -> None:
    talk = Talk(desk_for(questionnaires={"between": ["entities"]}), "ann", clock)
    await talk.join()
    await talk.say("I like Heat")
    await talk.say("I like The Godfather")
    assert "Do you know The Godfather?" in talk.text
    for _ in range(4):
        await talk.press("Yes")
    assert "C0DE42" in talk.text
    assert {answer.item.split(":")[0] for answer in await rows(store, tables.answers)} == {"knowledge", "interest"}


async def test_a_repeated_update_changes_nothing(desk_for: Desks, store: SqlStore, clock: MovingClock) -> None:
    desk = desk_for()
    talk = Talk(desk, "ann", clock)
    await talk.join()
    first = await talk.say("I like Heat")
    talk.said.pop()
    again = await talk.say("I like Heat")
    assert again == first
    assert (await desk.kept.participants())[0].progress["preferences"] == 1


async def test_returning_by_the_link_resumes(desk_for: Desks, clock: MovingClock) -> None:
    desk = desk_for()
    talk = Talk(desk, "ann", clock)
    await talk.join()
    await talk.say("I like Heat")
    await talk.say("/start tastes")
    assert "Welcome back" in talk.text
    assert "Your task" in talk.text
    assert len(await desk.kept.participants()) == 1


async def test_pause_close_exclude(desk_for: Desks, clock: MovingClock) -> None:
    desk = desk_for()
    talk = Talk(desk, "ann", clock)
    await talk.join()
    await desk.kept.set_status("paused", "olga")
    await talk.say("I like Heat")
    assert "paused" in talk.text
    await desk.kept.set_status("closed", "olga")
    late = Talk(desk, "bob", clock)
    await late.say("/start tastes")
    assert "takes no more participants" in late.text
    await talk.say("I like Heat")
    assert "Heat" in talk.text
    await desk.kept.exclude(1, "failed the attention check", "olga")
    await talk.say("I like The Godfather")
    assert "has ended" in talk.text
    assert [(line.who, line.action) for line in await desk.kept.audit()] == [
        ("olga", "status"), ("olga", "status"), ("olga", "exclude"),
    ]  # fmt: skip


async def test_forgetting_takes_everything_along(desk_for: Desks, store: SqlStore, clock: MovingClock) -> None:
    talk = Talk(desk_for(questionnaires={"before": ["arena"]}), "ann", clock)
    await talk.join()
    await talk.press("Satisfied")
    from bot.channels.base import UserKey

    assert "study_answers" in await store.my_data(UserKey("test", "ann"))
    await store.erase(UserKey("test", "ann"))
    assert await rows(store, tables.answers) == []
    assert await rows(store, tables.participants) == []


async def test_two_studies_do_not_take_each_others_participants(
    desk_for: Desks, store: SqlStore, clock: MovingClock
) -> None:
    first, second = desk_for(), desk_for(name="moods", title="Moods")
    first._otherwise = second
    talk = Talk(first, "ann", clock)
    await talk.say("/start moods")
    assert "Moods" in talk.text
    await talk.press("I agree")
    assert [len(await desk.kept.participants()) for desk in (first, second)] == [0, 1]
    assert {row.study for row in await rows(store, tables.participants)} == {"moods"}
