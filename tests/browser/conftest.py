"""A real browser and a real `converse web` process, both started once."""

import asyncio
import os
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE = {"width": 390, "height": 780}
START_SECONDS = 180
PATIENCE_MS = 20_000
STUDY = Path(__file__).parent / "study.yaml"


class WebServer:
    """The real process on one data folder and one port; it can be killed and started again."""

    def __init__(self, folder: Path, rasa_url: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = folder
        self.environment = {
            **os.environ,
            "RASA_URL": rasa_url,
            "CONVERSE_DATA_DIR": str(folder),
            "CONVERSE_WEB_PORT": str(self.port),
            "CONVERSE_LOG_LEVEL": "INFO",
            "CONVERSE_SEED": "1",
            "OMP_NUM_THREADS": "1",
        }
        self.process: asyncio.subprocess.Process | None = None
        self.log = folder / "log"

    async def start(self) -> None:
        """Starts the process and waits until it answers."""
        command = (sys.executable, "-m", "bot.cli", "web", "--study", str(STUDY))
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(*command, env=self.environment, stderr=log)
        async with httpx.AsyncClient(base_url=self.url, trust_env=False) as client:
            for _ in range(START_SECONDS * 5):
                assert self.process.returncode is None, self.log.read_text()
                try:
                    await client.get("/healthz", timeout=START_SECONDS)
                except httpx.TransportError:
                    await asyncio.sleep(0.2)
                else:
                    return
        raise AssertionError(self.log.read_text())

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ends the process; gives its exit code."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(number)
        return await self.process.wait()


@pytest.fixture(scope="session")
async def web_server(tmp_path_factory: pytest.TempPathFactory, rasa_url: str) -> AsyncIterator[WebServer]:
    """The web server with the study of `study.yaml`; its dashboard is at /admin."""
    server = WebServer(tmp_path_factory.mktemp("web"), rasa_url)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium fonts-noto-color-emoji")
    async with async_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        launched = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield launched
        await launched.close()


@asynccontextmanager
async def visit(browser: Browser, server: WebServer, **options: Any) -> AsyncIterator[Page]:
    """A page of a new visitor; fails when a script of the page fails."""
    faults: list[str] = []
    context: BrowserContext = await browser.new_context(base_url=server.url, **options)
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    try:
        yield page
    finally:
        await context.close()
    assert faults == []


@pytest.fixture
async def phone(browser: Browser, web_server: WebServer) -> AsyncIterator[Page]:
    """A page on a phone."""
    async with visit(browser, web_server, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        yield page


async def check_accessibility(page: Page) -> None:
    """No fault that axe-core calls serious or critical, in light and in dark."""
    faults: list[tuple[str, str, str]] = []
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = (await Axe().run(page)).response["violations"]
        grave = [fault for fault in found if fault["impact"] in {"serious", "critical"}]
        faults += [(page.url, scheme, f"{fault['id']}: {fault['nodes'][0]['html'][:300]}") for fault in grave]
    await page.emulate_media(color_scheme="light")
    assert faults == []


async def fits_the_width(page: Page) -> bool:
    """Whether nothing sticks out to the side."""
    return bool(await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


async def say(page: Page, text: str) -> None:
    """Sends a message and waits for the answer."""
    await page.locator("#chat[data-ready]").wait_for()
    await page.get_by_label("Your message").fill(text)
    await page.keyboard.press("Enter")
    await expect(page.locator(".me", has_text=text)).to_be_visible()
    await expect(page.locator(".pending")).to_have_count(0)


async def answer_all(page: Page) -> None:
    """Chooses the fourth answer to each question of the page, which must stay accessible, and goes on."""
    groups = page.get_by_role("group")
    await groups.first.wait_for()
    for place in range(await groups.count()):
        await groups.nth(place).get_by_role("radio").nth(3).check()
    await check_accessibility(page)
    await page.get_by_role("button", name="Continue").click()
    await page.wait_for_load_state()
