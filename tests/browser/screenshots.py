"""Takes the pictures of the documentation: `python -m tests.browser.screenshots FOLDER`."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from nlu.intents.server import managed_rasa
from tests.browser.conftest import CHROMIUM, FLAGS, PHONE, WebServer, answer_all, say, visit
from tests.browser.filled import NAME, PASSWORD, fill

DESKTOP = {"width": 1100, "height": 900}
PARTICIPANTS = 20


async def take(folder: Path) -> None:
    """Starts everything, and walks through the pages."""
    with tempfile.TemporaryDirectory() as place:
        async with (
            managed_rasa(Path(place) / "rasa", url=os.environ.get("RASA_URL")) as url,
            async_playwright() as playwright,
        ):
            server = WebServer(Path(place), url)
            await fill(server.folder, url, PARTICIPANTS)
            await server.start()
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            try:
                await chat(browser, server, folder)
                await study(browser, server, folder)
                await dashboard(browser, server, folder)
            finally:
                await browser.close()
                await server.stop()


async def chat(browser: Browser, server: WebServer, folder: Path) -> None:
    """The open chat, in light and in dark."""
    async with visit(browser, server, viewport=PHONE) as page:
        await page.goto("/")
        await shoot(page, folder / "web-start.png")
        await page.get_by_role("button", name="I agree").click()
        await page.get_by_role("button", name="movies", exact=True).click()
        await say(page, "I love Pulp Fiction, but I hated Kill Bill")
        await say(page, "what should I watch tonight?")
        await shoot(page, folder / "web-chat.png")
        await page.emulate_media(color_scheme="dark")
        await shoot(page, folder / "web-chat-dark.png")


async def study(browser: Browser, server: WebServer, folder: Path) -> None:
    """A participant's way."""
    async with visit(browser, server, viewport=PHONE) as page:
        await page.goto("/study/tastes")
        await shoot(page, folder / "web-study-consent.png")
        await page.get_by_role("checkbox").check()
        await page.get_by_role("button", name="I agree").click()
        await say(page, "I love Titanic and Alien")
        await say(page, "recommend me a film")
        await shoot(page, folder / "web-study-task.png")
        await say(page, "I like it")
        await page.get_by_role("link", name="Continue").click()
        await shoot(page, folder / "web-study-questionnaire.png")
        await answer_all(page)
        await shoot(page, folder / "web-study-battle.png")
        await page.get_by_role("button", name="A is better").click()
        await page.get_by_role("button", name="Skip").click()
        await answer_all(page)
        await answer_all(page)
        await shoot(page, folder / "web-study-end.png")


async def dashboard(browser: Browser, server: WebServer, folder: Path) -> None:
    """The researchers' pages."""
    async with visit(browser, server, viewport=DESKTOP) as page:
        await page.goto("/admin")
        await page.get_by_label("Name").fill(NAME)
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await shoot(page, folder / "admin-studies.png")
        await page.goto("/admin/studies/tastes")
        await shoot(page, folder / "admin-study.png")
        await page.emulate_media(color_scheme="dark")
        await shoot(page, folder / "admin-study-dark.png")
        await page.emulate_media(color_scheme="light")
        await page.goto("/admin/studies/tastes/participants/3")
        await shoot(page, folder / "admin-participant.png")
        await page.goto("/admin/new")
        await page.get_by_role("group", name="What you vary").scroll_into_view_if_needed()
        await shoot(page, folder / "admin-new.png")
        await page.goto("/admin/studies/tastes/report")
        await shoot(page, folder / "admin-report.png")


async def shoot(page: Page, file: Path) -> None:
    """A picture of what is on the screen, once it stands still."""
    await page.wait_for_load_state("load")
    await page.mouse.move(0, 0)
    await page.wait_for_timeout(500)
    await page.screenshot(path=file, animations="disabled", caret="hide")


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1])))
