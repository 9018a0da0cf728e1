"""A participant goes from the link to the completion code, on a phone."""

import json
from pathlib import Path

from playwright.async_api import Page, expect
from sqlalchemy import select

from bot.clock import utc_now
from bot.config import load_settings
from bot.storage.store import open_store
from bot.storage.studies import answers, participants, votes
from tests.browser.conftest import WebServer, answer_all, check_accessibility, fits_the_width, say

LINK = "/study/tastes?PROLIFIC_PID=5f1e2d3c4b5a69788796a5b4&STUDY_ID=64aa&SESSION_ID=77bb"


async def test_from_the_link_to_the_completion_code(phone: Page, web_server: WebServer) -> None:
    await phone.goto(LINK)
    assert "PROLIFIC" not in phone.url
    await check_accessibility(phone)
    await phone.get_by_label("All of this is true of me.").check()
    await phone.get_by_role("button", name="I agree").click()

    await expect(phone.get_by_text("Tell the chatbot two things")).to_be_visible()
    await check_accessibility(phone)
    await say(phone, "I love Titanic and Alien")
    await expect(phone.get_by_text("Ask for a recommendation, and say")).to_be_visible()
    await say(phone, "recommend me a film")
    await phone.reload()  # the participant comes back to where they were
    await expect(phone.locator(".item")).to_be_visible()
    assert await fits_the_width(phone)
    await phone.get_by_role("button", name="I like it").click()
    await check_accessibility(phone)
    await phone.get_by_role("link", name="Continue").click()

    await expect(phone.get_by_role("heading", name="About the recommendations")).to_be_visible()
    await answer_all(phone)
    await expect(phone.get_by_role("heading", name="List B")).to_be_visible()
    assert await fits_the_width(phone)
    await check_accessibility(phone)
    await phone.get_by_role("button", name="A is better").click()
    await phone.get_by_role("textbox").fill("It has more of what I like.")
    await check_accessibility(phone)
    await phone.get_by_role("button", name="Send").click()
    await expect(phone.get_by_text("1/11")).to_be_visible()
    await answer_all(phone)
    await expect(phone.get_by_text("7/11")).to_be_visible()
    await answer_all(phone)

    await expect(phone.locator("#code")).to_have_text("C0DE42XY")
    await check_accessibility(phone)
    back = phone.get_by_role("link", name="Finish and go back")
    await expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=C0DE42XY")
    await check_what_is_kept(web_server.folder)
    check_what_is_logged(web_server.log.read_text())


async def check_what_is_kept(folder: Path) -> None:
    """Everything is in the database once."""
    async with open_store(load_settings(data_dir=folder).database, utc_now) as store, store.reading() as connection:
        (one,), given, (vote,) = [
            (await connection.execute(select(table).where(table.c.study == "tastes"))).all()
            for table in (participants, answers, votes)
        ]
    assert one.finished_at is not None
    assert one.recruited == {"PROLIFIC_PID": "5f1e2d3c4b5a69788796a5b4", "STUDY_ID": "64aa", "SESSION_ID": "77bb"}
    assert len(given) == 4 + 11
    assert {answer.value for answer in given} == {4}
    assert vote.feedback == "It has more of what I like."
    assert vote.choice == vote.first
    assert json.dumps(one.progress) == "{}"


def check_what_is_logged(log: str) -> None:
    """Turns, and nothing of what was said or by whom."""
    assert "turn" in log
    assert not any(private in log for private in ("5f1e2d3c4b5a69788796a5b4", "Titanic"))


async def test_who_declines_leaves_no_trace(phone: Page, web_server: WebServer) -> None:
    await phone.goto("/study/tastes")
    await phone.get_by_role("button", name="No, thanks").click()
    await expect(phone.get_by_text("nothing was stored")).to_be_visible()
    await phone.goto("/study/tastes")
    await expect(phone.get_by_role("button", name="I agree")).to_be_visible()
