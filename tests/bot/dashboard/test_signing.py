"""Who gets in, and what a viewer and a stranger cannot do."""

import pytest
from sqlalchemy import select

from bot.dashboard.accounts import LASTS, LOCKED_FOR, MOST_FAILURES, AccountStore
from bot.errors import UsageError
from bot.storage.accounts import accounts, sessions
from bot.storage.store import SqlStore
from tests.bot.dashboard.conftest import PASSWORD, Browser, SettableClock

PAGES = [
    "/admin", "/admin/new", "/admin/upload", "/admin/accounts", "/admin/log", "/admin/studies/tastes",
    "/admin/studies/tastes/participants", "/admin/studies/tastes/participants/1", "/admin/studies/tastes/report",
    "/admin/studies/tastes/export", "/admin/studies/tastes/study.yaml", "/admin/studies/tastes/payments.csv",
]  # fmt: skip
CHANGES = [
    "/admin/new",
    "/admin/upload",
    "/admin/accounts",
    "/admin/studies/tastes",
    "/admin/studies/tastes/participants/1",
]
OWNERS = ["/admin/new", "/admin/accounts", "/admin/studies/tastes/export", "/admin/studies/tastes/payments.csv"]
WRONG = [("olga", "wrong password"), ("nobody", PASSWORD), ("", ""), ("olga", "x" * 500)]


async def test_strangers_are_led_to_the_login(browser: Browser) -> None:
    for page in PAGES:
        response = await browser.get(page)
        assert (response.status_code, response.headers["location"]) == (303, "/admin/login"), page


async def test_signing_in_and_out(browser: Browser) -> None:
    response = await browser.sign_in("olga")
    assert (response.status_code, response.headers["location"]) == (303, "/admin")
    cookie = response.headers["set-cookie"].casefold()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    home = await browser.get("/admin")
    assert "Tastes in films" in home.text
    await browser.send("/admin/logout")
    assert (await browser.get("/admin")).status_code == 303


async def test_a_stolen_cookie_is_worth_nothing_after_signing_out(browser: Browser) -> None:
    await browser.sign_in("olga")
    stolen = browser.client.cookies["researcher"]
    await browser.get("/admin")
    await browser.send("/admin/logout")
    browser.client.cookies.set("researcher", stolen, path="/admin")
    assert (await browser.get("/admin")).status_code == 303


async def test_sessions_end_by_themselves(browser: Browser, clock: SettableClock) -> None:
    await browser.sign_in("olga")
    clock.wait(seconds=LASTS.total_seconds() - 1)
    assert (await browser.get("/admin")).status_code == 200
    clock.wait(seconds=1)
    assert (await browser.get("/admin")).status_code == 303


async def test_a_wrong_login_tells_nothing(browser: Browser) -> None:
    for name, password in WRONG:
        response = await browser.sign_in(name, password)
        assert response.status_code == 401
        assert "Name or password are wrong" in response.text
        assert (await browser.get("/admin")).status_code == 303


async def test_an_account_is_locked_after_failures_and_opens_again(
    browser: Browser, store: SqlStore, clock: SettableClock
) -> None:
    account = AccountStore(store)
    for _ in range(MOST_FAILURES):
        assert await account.sign_in("olga", "wrong password") is None
    assert await account.sign_in("olga", PASSWORD) is None
    clock.wait(seconds=LOCKED_FOR.total_seconds())
    assert await account.sign_in("olga", PASSWORD) is not None
    lines, _ = await account.audit(0, 100)
    assert [line.action for line in lines[:2]] == ["signed in", "sign-in refused"]


async def test_one_address_cannot_go_on_trying(browser: Browser) -> None:
    codes = [(await browser.sign_in("olga", f"wrong password {n}")).status_code for n in range(12)]
    assert codes[0] == 401
    assert codes[-1] == 429


async def test_passwords_and_cookies_are_kept_as_hashes_only(browser: Browser, store: SqlStore) -> None:
    await browser.sign_in("olga")
    async with store.reading() as connection:
        hashes = (await connection.execute(select(accounts.c.password))).scalars().all()
        tokens = (await connection.execute(select(sessions.c.token))).scalars().all()
    assert all(one.startswith("$argon2id$") and PASSWORD not in one for one in hashes)
    assert browser.client.cookies["researcher"] not in tokens


async def test_a_form_from_elsewhere_is_refused(browser: Browser) -> None:
    await browser.sign_in("olga")
    browser.token = "made up"
    for page in CHANGES:
        assert (await browser.send(page, status="closed", action="add", name="eve")).status_code == 403, page


async def test_a_viewer_changes_nothing(browser: Browser) -> None:
    await browser.sign_in("vera")
    await browser.get("/admin")
    for page in CHANGES:
        assert (await browser.send(page, status="closed", action="add", name="eve")).status_code == 403, page


async def test_a_viewer_only_looks(browser: Browser) -> None:
    await browser.sign_in("vera")
    assert (await browser.get("/admin/studies/tastes")).status_code == 200
    for page in OWNERS:
        assert (await browser.get(page)).status_code == 403, page


async def test_accounts_are_made_and_removed(browser: Browser, store: SqlStore) -> None:
    await browser.sign_in("olga")
    await browser.get("/admin/accounts")
    assert (
        await browser.send("/admin/accounts", action="add", name="eve", role="viewer", password="short")
    ).status_code == 400
    await browser.send("/admin/accounts", action="add", name="eve", role="viewer", password=PASSWORD)
    assert "eve" in (await browser.get("/admin/accounts")).text
    refused = await browser.send("/admin/accounts", action="remove", name="olga")
    assert "cannot remove the account" in refused.text
    await browser.send("/admin/accounts", action="remove", name="vera")
    assert [account.name for account in await AccountStore(store).all()] == ["eve", "olga"]
    log = (await browser.get("/admin/log")).text
    assert "account added" in log
    assert "eve (viewer)" in log


async def test_a_new_password_signs_everybody_out(browser: Browser, store: SqlStore) -> None:
    await browser.sign_in("olga")
    with pytest.raises(UsageError, match="no account 'eve'"):
        await AccountStore(store).set_password("eve", PASSWORD, "test")
    await AccountStore(store).set_password("olga", "another password", "test")
    assert (await browser.get("/admin")).status_code == 303
    assert (await browser.sign_in("olga")).status_code == 401
    assert (await browser.sign_in("olga", "another password")).status_code == 303
