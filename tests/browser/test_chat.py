"""The open chat in a real browser: consent, keyboard, two tabs, a server that goes away, no scripts."""

import signal

from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import PHONE, WebServer, check_accessibility, fits_the_width, visit


async def begin(page: Page) -> None:
    """Agrees and comes to the chat."""
    await page.goto("/")
    await page.get_by_role("button", name="I agree").click()
    await expect(page.get_by_role("button", name="movies", exact=True)).to_be_visible()


async def send(page: Page, text: str) -> None:
    """Sends a message by keyboard alone."""
    await page.locator("#chat[data-ready]").wait_for()
    await page.get_by_label("Your message").fill(text)
    await page.keyboard.press("Enter")


async def said(page: Page) -> list[str]:
    """What the visitor said, as the page shows it."""
    return [text.removeprefix("You: ") for text in await page.locator(".me").all_text_contents()]


async def test_a_chat_by_keyboard_in_two_tabs(phone: Page) -> None:
    await phone.goto("/")
    await check_accessibility(phone)
    await begin(phone)
    other = await phone.context.new_page()
    await other.goto("/")
    await send(phone, "I love Pulp Fiction, but I hated Kill Bill")
    await expect(other.locator(".bot", has_text="Kill Bill")).to_be_visible()
    await send(other, "what should I watch tonight?")
    await expect(phone.locator(".item")).to_be_visible()
    await check_accessibility(phone)
    await phone.get_by_role("button", name="Why?").press("Enter")
    await expect(other.locator(".me", has_text="Why?")).to_be_visible()
    await expect(phone.locator(".me", has_text="Why?")).to_have_count(1)
    await phone.get_by_role("button", name="Books").click()
    await expect(phone.get_by_role("button", name="Books", pressed=True)).to_be_visible()
    assert await fits_the_width(phone)
    await expect(other.locator(".me")).to_contain_text(await said(phone))


async def test_nothing_is_lost_when_the_server_goes_away(phone: Page, web_server: WebServer) -> None:
    await begin(phone)
    await send(phone, "I love Titanic")
    await expect(phone.locator(".pending")).to_have_count(0)
    await web_server.stop(signal.SIGKILL)
    await send(phone, "I hate Avatar")
    await expect(phone.get_by_text("I keep trying").first).to_be_visible()
    await phone.evaluate("window.stayed = true")
    await web_server.start()
    await expect(phone.locator(".bot", has_text="Avatar")).to_be_visible(timeout=30_000)
    await expect(phone.locator(".pending")).to_have_count(0)
    await expect(phone.locator("#status")).to_be_empty()
    assert await phone.evaluate("window.stayed") is True
    before = await said(phone)
    await phone.reload()
    assert await said(phone) == before
    assert before.count("I hate Avatar") == 1


async def test_what_was_typed_before_leaving_is_sent_later(phone: Page) -> None:
    await begin(phone)
    await phone.context.set_offline(True)
    await send(phone, "I like jazz")
    await phone.context.set_offline(False)
    await phone.goto("/privacy")
    await check_accessibility(phone)
    await phone.goto("/")
    await expect(phone.locator(".me", has_text="I like jazz")).to_have_count(1)
    await expect(phone.locator(".pending")).to_have_count(0)


async def test_italian_and_forgetting(phone: Page) -> None:
    await phone.goto("/")
    await phone.get_by_role("button", name="Italiano").click()
    await expect(phone.locator("html")).to_have_attribute("lang", "it")
    await phone.get_by_role("button", name="Sono d'accordo").click()
    await expect(phone.get_by_role("log")).to_contain_text("libri")
    await phone.locator("summary").click()
    await check_accessibility(phone)
    await phone.get_by_role("button", name="Cancella i miei dati").click()
    await check_accessibility(phone)
    await phone.get_by_role("button", name="Sì, cancella tutto").click()
    await expect(phone.get_by_role("heading", name="È tutto cancellato")).to_be_visible()
    await phone.goto("/")
    await expect(phone.get_by_role("button", name="Sono d'accordo")).to_be_visible()


async def test_a_chat_without_scripts(browser: Browser, web_server: WebServer) -> None:
    async with visit(browser, web_server, viewport=PHONE, java_script_enabled=False) as page:
        await page.goto("/")
        await page.get_by_role("button", name="I agree").click()
        await page.get_by_role("button", name="movies", exact=True).click()
        await page.get_by_label("Your message").fill("I love Titanic")
        await page.get_by_role("button", name="Send").click()
        await expect(page.locator(".me")).to_contain_text(["movies", "I love Titanic"])  # once the page is there
        assert "Titanic (1997)" in await page.locator(".bot").last.inner_text()


async def test_a_page_that_does_not_exist(phone: Page) -> None:
    response = await phone.goto("/study/nothing")
    assert response is not None
    assert response.status == 404
    await check_accessibility(phone)
    await expect(phone.get_by_role("heading", name="There is nothing here")).to_be_visible()
