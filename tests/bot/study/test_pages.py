"""What channels that show steps as pages get of a study."""

from collections.abc import Callable
from datetime import timedelta

from bot.channels.base import Turn, UserKey
from bot.study.desk import AGREE, StudyDesk
from tests.bot.study.conftest import MovingClock, Talk

TASKS = [
    {"id": "like", "text": "Tell the bot a film that you like.", "preferences": 1, "minutes": 5},
    {"id": "look", "text": "Look at your profile.", "profile": True},
]


class PageTalk(Talk):
    """A participant in a browser."""

    @property
    def user(self) -> UserKey:
        return UserKey("web", self.name)

    async def send(self, text: str = "", option: str | None = None) -> list[str]:
        number = f"said/{len(self.said)}"
        turn = Turn(self.user, number, "option" if option else "text", text, self.clock(), option)
        result = await self.desk.handle(turn)
        self.said.append(result.reply)
        return list(result.reply.texts)

    async def enter(self) -> None:
        await self.send(f"/start {self.desk.study.name}", self.desk.option(AGREE))


async def test_a_page_shows_the_next_step_itself(desk_for: Callable[..., StudyDesk], clock: MovingClock) -> None:
    desk = desk_for(tasks=TASKS)
    talk = PageTalk(desk, "anna", clock)
    await talk.enter()
    texts = await talk.send("I love Titanic")
    assert "Well done" in texts[-1]
    view = await desk.view(talk.user)
    assert view is not None
    assert (view.kind, view.text) == ("task", "Look at your profile.")


async def test_a_task_ends_by_itself_when_its_time_is_over(
    desk_for: Callable[..., StudyDesk], clock: MovingClock
) -> None:
    desk = desk_for(tasks=TASKS)
    talk = PageTalk(desk, "anna", clock)
    await talk.enter()
    before = await desk.view(talk.user)
    clock.moment += timedelta(minutes=6)
    after = await desk.view(talk.user)
    again = await desk.view(talk.user)
    assert before is not None
    assert before.text == TASKS[0]["text"]
    assert after is not None
    assert after.text == TASKS[1]["text"]
    assert again is not None
    assert again.text == TASKS[1]["text"]


async def test_a_paused_study_says_so_and_keeps_the_place(
    desk_for: Callable[..., StudyDesk], clock: MovingClock
) -> None:
    desk = desk_for(tasks=TASKS)
    talk = PageTalk(desk, "anna", clock)
    await talk.enter()
    await desk.kept.set_status("paused", "test")
    paused = await desk.view(talk.user)
    await desk.kept.set_status("open", "test")
    resumed = await desk.view(talk.user)
    await desk.kept.exclude(1, "test", "test")
    excluded = await desk.view(talk.user)
    assert paused is not None
    assert paused.kind == "stopped"
    assert resumed is not None
    assert resumed.kind == "task"
    assert excluded is not None
    assert excluded.kind == "stopped"
    assert excluded.text != paused.text
