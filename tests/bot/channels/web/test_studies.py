"""A study by its pages: who one is, what is taken, what is shown again. The study itself is real."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import select

from bot.channels.base import Turn
from bot.channels.throttle import Throttle
from bot.channels.web.app import create_app
from bot.channels.web.chat import FILTERS
from bot.channels.web.pages import Pages
from bot.channels.web.studies import StudyPages
from bot.channels.web.talks import Talks
from bot.logs import UserHash
from bot.metrics import Metrics
from bot.records import TurnResult
from bot.storage.store import SqlStore
from bot.storage.studies import answers, participants, votes
from bot.study.desk import StudyDesk
from tests.bot.channels.web.conftest import Visitor, Web, no_problems
from tests.bot.study.conftest import MovingClock, clock, desk_for, store

__all__ = ["clock", "desk_for", "store"]

LINK = "/study/tastes?PROLIFIC_PID=abc123&STUDY_ID=s1&SESSION_ID=x1"
RECOMMIND = {"questionnaires": {"before": ["recommind"], "after": ["sus"]}}


class OneDesk:
    """The studies that run, of which there is one."""

    def __init__(self, desk: StudyDesk) -> None:
        self._desk = desk

    async def desk(self, name: str) -> StudyDesk | None:
        return self._desk if name == self._desk.study.name else None

    async def handle(self, turn: Turn) -> TurnResult:
        return await self._desk.handle(turn)


Study = Callable[..., Web]


@pytest.fixture
def study(desk_for: Callable[..., StudyDesk], store: SqlStore, clock: MovingClock) -> Study:
    """Makes the site of a study with the given changes."""

    def make(**changes: Any) -> Web:
        pages = Pages()
        pages.filters.update(FILTERS)
        talks = Talks(store, Throttle(1000), UserHash(b"key"), Metrics())
        made = StudyPages(pages, talks, OneDesk(desk_for(**changes)), clock).router()
        return Web(create_app(pages, no_problems, Throttle(1000), made), talks, store)

    return make


@asynccontextmanager
async def taking_part(web: Web, link: str = LINK) -> AsyncIterator[Visitor]:
    """A visitor who has agreed, at their first step."""
    async with web.visitor() as visitor:
        await visitor.get(link)
        await visitor.get("/study/tastes")
        joined = await visitor.post("/study/tastes/consent", {"answer": "agree", "eligible": "yes"})
        assert joined.status_code == 303
        await visitor.get("/study/tastes")
        yield visitor


def choices(page: str, number: int) -> dict[str, str]:
    """The answer of that number to each question of a page."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="(q\d+)" value="([^"]+)"', page):
        found.setdefault(name, []).append(value)
    return {name: values[number - 1] for name, values in found.items()}


async def answer(visitor: Visitor, fields: dict[str, str]) -> Any:
    hidden = {name: visitor.hidden(name) for name in ("form_id", "step")}
    return await visitor.post("/study/tastes/answers", {**hidden, **fields})


async def rows(web: Web, table: Any) -> list[Any]:
    async with web.store.reading() as connection:
        return list(await connection.execute(select(table)))


async def test_the_link_is_remembered_and_leaves_the_address(study: Study) -> None:
    web = study()
    async with web.visitor() as visitor:
        first = await visitor.get(LINK + "&utm=spam")
        assert first.status_code == 303
        assert first.headers["location"] == "/study/tastes"
        assert "utm" not in first.headers["set-cookie"]
        assert await rows(web, participants) == []
    async with taking_part(web):
        (one,) = await rows(web, participants)
    assert one.recruited == {"PROLIFIC_PID": "abc123", "STUDY_ID": "s1", "SESSION_ID": "x1"}


async def test_a_person_is_the_same_in_every_browser_and_session(study: Study) -> None:
    web = study(**RECOMMIND)
    async with taking_part(web) as visitor:
        await answer(visitor, choices(visitor.page, 2))
    async with web.visitor() as elsewhere:
        await elsewhere.get(LINK.replace("SESSION_ID=x1", "SESSION_ID=x2"))
        page = await elsewhere.get("/study/tastes")
    assert "Tell the bot two films" in page.text
    assert len(await rows(web, participants)) == 1


async def test_others_are_others(study: Study) -> None:
    web = study()
    links = (LINK, LINK.replace("abc123", "abc124"), "/study/tastes?token=t1", "/study/tastes")
    for link in links:
        async with taking_part(web, link):
            pass
    assert len(await rows(web, participants)) == len(links)


async def test_without_the_conditions_nobody_is_let_in(study: Study) -> None:
    web = study()
    async with web.visitor() as visitor:
        await visitor.get("/study/tastes")
        await visitor.post("/study/tastes/consent", {"answer": "agree"})
        declined = await visitor.post("/study/tastes/consent", {"answer": "decline"})
    assert "nothing was stored" in declined.text
    assert await rows(web, participants) == []


@pytest.mark.parametrize(("status", "said"), [("paused", "paused"), ("closed", "no more participants")])
async def test_a_study_that_is_not_open_says_so(
    study: Study, desk_for: Callable[..., StudyDesk], status: Any, said: str
) -> None:
    web = study()
    await desk_for().kept.set_status(status, "test")
    async with web.visitor() as visitor:
        page = await visitor.get("/study/tastes")
    assert said in page.text
    assert "I agree" not in page.text


async def test_a_missing_answer_is_asked_for_and_the_others_are_kept(study: Study) -> None:
    web = study(**RECOMMIND)
    async with taking_part(web) as visitor:
        given = choices(visitor.page, 5)
        del given["q1"]
        again = await answer(visitor, given)
        assert again.status_code == 422
        assert "Some answers are missing" in again.text
        assert again.text.count("checked") == 3
        assert await rows(web, answers) == []
        visitor.page = again.text
        done = await answer(visitor, choices(again.text, 5))
    assert done.status_code == 303
    assert {row.value for row in await rows(web, answers)} == {5}


async def test_a_form_that_is_sent_twice_counts_once(study: Study) -> None:
    web = study(**RECOMMIND)
    async with taking_part(web) as visitor:
        first = choices(visitor.page, 1)
        await answer(visitor, first)
        await answer(visitor, choices(visitor.page, 4))  # the same page, from the browser's history
        page = await visitor.get("/study/tastes")
    assert {row.value for row in await rows(web, answers)} == {1}
    assert "Tell the bot two films" in page.text


async def test_an_answer_that_was_never_offered_is_none(study: Study) -> None:
    web = study(**RECOMMIND)
    async with taking_part(web) as visitor:
        given = {name: value[:-1] + "9" for name, value in choices(visitor.page, 1).items()}
        assert (await answer(visitor, given)).status_code == 422
    assert await rows(web, answers) == []


async def test_a_questionnaire_without_questions_is_passed(study: Study) -> None:
    web = study(questionnaires={"before": ["entities"]})
    async with taking_part(web) as visitor:
        await answer(visitor, {})
        page = await visitor.get("/study/tastes")
    assert "Tell the bot two films" in page.text


async def test_a_task_shows_what_is_left(study: Study) -> None:
    web = study(tasks=[{"id": "like", "text": "Tell the bot two films.", "preferences": 2, "minutes": 5}])
    async with taking_part(web) as visitor:
        assert "0/2" in visitor.page
        assert "5 min left" in visitor.page
        headers = {"X-CSRF-Token": visitor.hidden("csrf")}
        said = await visitor.client.post("/study/tastes/messages", data={"text": "I love Titanic"}, headers=headers)
        bar = await visitor.get("/study/tastes/bar")
    assert "Titanic" in said.text
    assert "1/2" in bar.text


async def test_a_battle_is_voted_once_and_may_be_explained(study: Study) -> None:
    web = study(
        tasks=[{"id": "like", "text": "Tell the bot a film.", "preferences": 1}],
        questionnaires={},
        battles={"variants": ["ppr", "popularity"]},
    )
    async with taking_part(web) as visitor:
        headers = {"X-CSRF-Token": visitor.hidden("csrf")}
        await visitor.client.post("/study/tastes/messages", data={"text": "I love Titanic"}, headers=headers)
        await visitor.get("/study/tastes")
        assert "ppr" not in visitor.page
        tie = re.findall(r'name="choice" value="([^"]+)"', visitor.page)[2]
        fields = {name: visitor.hidden(name) for name in ("form_id", "step")}
        await visitor.post("/study/tastes/vote", {**fields, "choice": tie})
        await visitor.post("/study/tastes/vote", {**fields, "choice": tie})
        await visitor.get("/study/tastes")
        fields = {name: visitor.hidden(name) for name in ("form_id", "step")}
        await visitor.post("/study/tastes/vote", {**fields, "choice": "send", "opinion": "Both <b>old</b>."})
        end = await visitor.get("/study/tastes")
    (vote,) = await rows(web, votes)
    assert (vote.choice, vote.feedback) == ("tie", "Both <b>old</b>.")
    assert "C0DE42" in end.text


async def test_a_participant_takes_the_data_along_or_leaves(study: Study) -> None:
    web = study(**RECOMMIND)
    async with taking_part(web) as visitor:
        await answer(visitor, choices(visitor.page, 3))
        data = (await visitor.get("/study/tastes/data")).json()
        await visitor.get("/study/tastes/privacy")
        gone = await visitor.post("/study/tastes/forget", {"sure": "yes"})
    assert len(data["study_answers"]) == 4
    assert "Everything is deleted" in gone.text
    assert await rows(web, participants) == []
    assert await rows(web, answers) == []


async def test_pages_speak_a_language_of_the_study(study: Study) -> None:
    web = study(languages=["it"])
    async with web.visitor() as visitor:
        page = await visitor.get("/study/tastes", **{"Accept-Language": "en"})
    assert '<html lang="it">' in page.text


async def test_what_leads_nowhere(study: Study) -> None:
    web = study()
    async with web.visitor() as visitor:
        for path in ("/study/other", "/study/tastes/bar", "/study/other/messages"):
            assert (await visitor.get(path)).status_code in {404, 405}
        await visitor.get("/study/tastes")
        for path in ("answers", "vote"):
            assert (await visitor.post(f"/study/tastes/{path}", {"step": "1"})).status_code == 303
    assert await rows(web, participants) == []
