"""A researcher makes a study, watches somebody take part as it happens, and takes the results along."""

import zipfile
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page, expect

from bot.clock import utc_now
from bot.config import load_settings
from bot.dashboard.accounts import AccountStore
from bot.storage.store import open_store
from tests.browser.conftest import PHONE, WebServer, check_accessibility, fits_the_width, say, visit

PASSWORD = "correct horse battery"


@pytest.fixture
async def desktop(browser: Browser, web_server: WebServer) -> AsyncIterator[Page]:
    """A page on a large screen, with an account to sign in with."""
    async with open_store(load_settings(data_dir=web_server.folder).database, utc_now) as store:
        await AccountStore(store).add("olga", "owner", PASSWORD, "test")
    async with visit(browser, web_server, viewport={"width": 1200, "height": 900}, accept_downloads=True) as page:
        yield page


async def sign_in(page: Page) -> None:
    """Signs in on the researchers' pages."""
    await page.goto("/admin")
    await check_accessibility(page)
    await page.get_by_label("Name").fill("olga")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()


async def exported_participants(page: Page) -> str:
    """The table of participants in the export of the study on the page."""
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Export").click()
    with zipfile.ZipFile(await (await download.value).path()) as archive:
        assert "evening-films/study.yaml" in archive.namelist()
        return archive.read("evening-films/report/data/participants.csv").decode("utf-8")


async def look_at_the_rest(page: Page) -> None:
    """Pages that a study's way does not lead to."""
    for address in ("/admin/log", "/admin/accounts", "/admin/upload", "/admin"):
        await page.goto(address)
        await check_accessibility(page)
        assert await fits_the_width(page), address


async def test_a_researcher_creates_watches_and_exports(desktop: Page, browser: Browser, web_server: WebServer) -> None:
    await sign_in(desktop)
    await desktop.get_by_role("link", name="New study").click()
    await check_accessibility(desktop)
    await desktop.get_by_label("Short name").fill("Evening Films")
    await desktop.get_by_label("Title").fill("Films for the evening")
    await desktop.get_by_role("button", name="Check and create").click()
    await expect(desktop.get_by_role("alert")).to_contain_text("small letters, digits and hyphens")
    await check_accessibility(desktop)
    await desktop.get_by_label("Short name").fill("evening-films")
    await desktop.get_by_role("button", name="Check and create").click()
    await expect(desktop.get_by_role("heading", name="Films for the evening")).to_be_visible()
    await expect(desktop.get_by_text("Nobody has joined yet")).to_be_visible()

    async with visit(browser, web_server, viewport=PHONE) as phone:
        await phone.goto("/study/evening-films")
        await phone.get_by_label("All of this is true of me.").check()
        await phone.get_by_role("button", name="I agree").click()
        await desktop.reload()
        await check_accessibility(desktop)
        await desktop.get_by_role("link", name="Participant 1").click()
        await expect(desktop.get_by_text("Your task: Tell the chatbot three things")).to_be_visible()
        await check_accessibility(desktop)
        await say(phone, "I love The Godfather")
        await expect(desktop.locator(".said", has_text="I love The Godfather")).to_be_visible()  # without reloading

    await desktop.get_by_label("Exclude, because").fill("a test of our own")
    await desktop.get_by_role("button", name="Exclude").click()
    await expect(desktop.get_by_text("Excluded: a test of our own")).to_be_visible()
    await desktop.get_by_role("link", name="all participants").click()
    await check_accessibility(desktop)
    await desktop.get_by_role("link", name="Films for the evening").click()
    assert "a test of our own" in await exported_participants(desktop)
    await desktop.get_by_role("button", name="Close").click()
    await expect(desktop.locator(".badge.closed")).to_be_visible()
    await desktop.set_viewport_size(PHONE)
    assert await fits_the_width(desktop)
    await look_at_the_rest(desktop)
    await desktop.get_by_role("button", name="Sign out").click()
    await expect(desktop.get_by_role("heading", name="Sign in")).to_be_visible()
