"""What researchers see and do: making, watching, intervening, taking results along."""

import io
import re
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert
from sqlalchemy.engine import URL

from bot.storage.schema import records, updates, users
from bot.storage.store import SqlStore, open_store
from bot.storage.studies import answers, participants
from bot.study.config import StudyConfig
from bot.study.designs import DesignStore
from bot.study.figures import figures
from bot.study.population import Filter, population
from bot.study.store import StudyStore
from bot.study.studies import Studies
from tests.bot.dashboard.conftest import NOW, Browser, SettableClock

STUDY = "/admin/studies/tastes"


def participant(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "user_id": number, "study": "tastes", "number": number, "recruited": {"PROLIFIC_PID": f"pid{number}"},
        "language": "en", "consent_version": "1", "cell": "domain=movie" if number % 2 else "domain=book",
        "sequence": 0, "step": 3, "item": 0, "progress": {}, "prompted": False,
        "started_at": NOW - timedelta(hours=number), "step_at": NOW, "active_at": NOW, "finished_at": NOW,
    }  # fmt: skip
    return row | changes


def message(number: int, place: int, **changes: Any) -> list[dict[str, Any]]:
    """A stored message of a participant: its update, and its record."""
    at = NOW - timedelta(minutes=50 - place)
    condition = f"domain={'movie' if number % 2 else 'book'}, mode=nl"
    reply = {"texts": ["Noted."], "options": [{"id": "x", "label": "Yes"}]}
    update = {
        "user_id": number, "update_id": str(place), "kind": "text", "text": "I like Heat", "received_at": at,
        "reply": reply, "parts_sent": 0,
    }  # fmt: skip
    record = {
        "user_id": number, "update_id": str(place), "message": "I like Heat. Write to me@example.org",
        "received_at": at,
        "answered_at": at + timedelta(milliseconds=40), "intent": "preference", "contexts": [],
        "recognized_objects": [["Q1", "+"]], "events": [], "pagerank_cycle": 0, "number_recommendation_list": 0,
        "interaction_type": "NL", "domain": "movie" if number % 2 else "book", "coarse_intent": "preference",
        "confidence": 1.0, "ranking": [], "reply": reply, "exported": True, "recommended": None,
        "recommendation_list": [], "condition": condition, "backends": {}, "stages_ms": {},
    }  # fmt: skip
    return [update | {name: changes[name] for name in ("text",) if name in changes}, record | changes]


async def fill(store: SqlStore, people: int, conversation: list[dict[str, Any]]) -> None:
    """Participants who all had the same conversation."""
    numbers = range(1, people + 1)
    made = [message(number, place, **turn) for number in numbers for place, turn in enumerate(conversation)]
    for _, record in made:
        record.pop("text", None)
    owners = [{"id": n, "channel": "web", "external_id": str(n), "created_at": NOW, "seen_at": NOW} for n in numbers]
    async with store.writing() as connection:
        await connection.execute(insert(users), owners)
        await connection.execute(insert(participants), [participant(n) for n in numbers])
        if made:
            await connection.execute(insert(updates), [update for update, _ in made])
            await connection.execute(insert(records), [record for _, record in made])


CONVERSATION: list[dict[str, Any]] = [
    {"events": ["disambiguation", "question"], "recognized_objects": []},
    {"intent": "preference - disambiguation"},
    {"intent": "request_recommendation", "recognized_objects": [], "recommended": "Q5"},
    {"intent": "request_recommendation - preference", "recognized_objects": [["Q5", "+"]], "recommended": "Q6"},
    {"intent": "request_recommendation - why", "recognized_objects": [], "recommended": "Q6"},
    {"intent": "request_recommendation - preference", "recognized_objects": [["Q6", "-"]], "recommended": "Q7"},
    {"intent": "request_recommendation - skip", "recognized_objects": [], "recommended": None},
    {"intent": "Default Fallback Intent", "recognized_objects": []},
]


async def test_figures_count_what_was_said(database: URL, clock: SettableClock, studies: Studies) -> None:
    async with open_store(database, clock) as store:
        await fill(store, 4, CONVERSATION)
        await check_figures(StudyStore(store, next(iter(studies)).study), next(iter(studies)).study)


async def check_figures(kept: StudyStore, study: StudyConfig) -> None:
    people = await population(kept, study, Filter())
    found = await figures(kept, study, Filter(), people)
    assert [(talk.condition, talk.messages, talk.fallbacks, talk.preferences, talk.asked) for talk in found.talks] == [
        ("domain=book, mode=nl", 16, 2, 2, 2),
        ("domain=movie, mode=nl", 16, 2, 2, 2),
    ]
    assert [(one.qid, one.shown, one.liked, one.disliked, one.skipped) for one in found.items] == [
        ("Q5", 4, 4, 0, 0),
        ("Q6", 4, 0, 4, 0),
        ("Q7", 4, 0, 0, 4),
    ]
    assert found.waits is not None
    assert found.waits.median == pytest.approx(40)
    narrowed = await figures(kept, study, Filter(domain="movie"), people)
    assert narrowed.messages == 16
    nobody = await figures(kept, study, Filter(until="2026-06-01"), people)
    assert nobody.messages == 0


async def test_a_large_study_needs_no_more_queries_than_a_small_one(
    browser: Browser, store: SqlStore, studies: Studies
) -> None:
    await fill(store, 600, CONVERSATION[2:4])
    await browser.sign_in("vera")
    counted: list[str] = []
    engine = store._engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *args: counted.append(args[2]))
    page = await browser.get(STUDY)
    assert ">600<" in page.text
    people = await browser.get(f"{STUDY}/participants?page=3&condition=domain%3Dmovie%2C+mode%3Dnl")
    assert people.text.count('<th scope="row">') == 50
    assert "300 participants" in people.text
    assert len([one for one in counted if one.lstrip().startswith(("SELECT", "WITH"))]) <= 20


async def test_the_page_of_a_study_shows_who_is_where(browser: Browser, store: SqlStore, clock: SettableClock) -> None:
    await fill(store, 3, CONVERSATION)
    gone = {"finished_at": None, "step": 1, "active_at": NOW - timedelta(days=2)}
    here = {"finished_at": None, "step": 0, "active_at": NOW - timedelta(minutes=45)}
    async with store.writing() as connection:
        for number, changes in ((1, gone), (2, here)):
            table = participants
            await connection.execute(table.update().where(table.c.number == number).values(**changes))
    await browser.sign_in("vera")
    text = (await browser.get(STUDY)).text
    tiles = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)", text))
    assert (tiles["joined"], tiles["finished"], tiles["taking part"], tiles["dropped out"]) == ("3", "1", "1", "1")
    assert tiles["not understood"] == "12.5 %"
    assert "1 unfinished participants have been silent" in text
    assert "<svg" in text
    assert "style=" not in text
    assert re.search(r'aria-label="went on: 1, are there now: 1, stopped there: 1|aria-label="went on: 2, are', text)
    for address in ("?stage=1", "?since=2026-06-02", "?condition=nothing", "?since=rubbish&stage=x"):
        assert (await browser.get(STUDY + address)).status_code == 200


async def test_conversations_show_no_one(browser: Browser, store: SqlStore) -> None:
    turns = [{"text": "/start tastes__PROLIFIC_PID-secret1"}, {"text": "mail me at a@b.org <script>"}]
    await fill(store, 1, turns)
    await browser.sign_in("vera")
    text = (await browser.get(f"{STUDY}/participants/1")).text
    assert "mail me at [email] &lt;script&gt;" in text
    assert "secret1" not in text
    assert "pid1" not in text
    assert "Q1 liked" in text
    last = re.search(r"after=(\d+)", text)
    assert last
    more = await browser.get(f"{STUDY}/participants/1?after={last[1]}", headers={"HX-Request": "true"})
    assert "exchange" not in more.text.replace("exchanges", "")
    assert (await browser.get(f"{STUDY}/participants/9")).status_code == 404


async def test_owners_pause_exclude_and_move(browser: Browser, store: SqlStore, studies: Studies) -> None:
    await fill(store, 2, [])  # they have said nothing yet
    async with store.writing() as connection:
        await connection.execute(participants.update().values(finished_at=None))
    desk = await studies.desk("tastes")
    assert desk is not None
    await browser.sign_in("olga")
    await browser.get(STUDY)
    await browser.send(STUDY, status="paused")
    assert await desk.kept.status() == "paused"
    assert (await browser.send(STUDY, status="burnt")).status_code == 400
    empty = await browser.send(f"{STUDY}/participants/1", action="exclude", reason=" ")
    assert "give a reason" in empty.text
    await browser.send(f"{STUDY}/participants/1", action="exclude", reason="a test of our own")
    await browser.send(f"{STUDY}/participants/2", action="reassign", cell="domain=movie")
    wrong = await browser.send(f"{STUDY}/participants/2", action="reassign", cell="domain=opera")
    assert "there is no condition" in wrong.text
    people = {one.number: one for one in await desk.kept.participants()}
    assert people[1].excluded == "a test of our own"
    assert people[2].cell == "domain=movie"
    assert [(line.who, line.action) for line in await desk.kept.audit()] == [
        ("olga", "status"), ("olga", "exclude"), ("olga", "reassign"),
    ]  # fmt: skip
    assert "a test of our own" in (await browser.get(f"{STUDY}/participants")).text


async def test_a_study_is_made_by_the_form(browser: Browser, studies: Studies, store: SqlStore) -> None:
    await browser.sign_in("olga")
    page = await browser.get("/admin/new")
    fields = set(re.findall(r'name="(\w+)"', page.text))
    single = dict.fromkeys(("information", "consent", "debriefing"), "An example that is long enough to be read.")
    content = {
        **single, "name": "moods", "title": "Moods", "consent_version": "2", "completion_code": "CODE99", "seed": "3",
        "participants": "40", "languages": ["en"], "factors": ["mode", "domain", "explanations"],
        "mode_design": "within", "mode_levels": ["nl", "mixed"], "domain_design": "none",
        "explanations_design": "between", "explanations_levels": ["true", "false"],
        "task_text": ["Say what you like.", "", "Look."], "task_preferences": ["3", "", ""], "task_profile": ["2"],
        "task_minutes": ["12.5", "", ""], "after": ["sus"], "battle_variants": ["ppr", "random"], "battles": "2",
    }  # fmt: skip
    assert content.keys() <= fields
    wrong = await browser.send("/admin/new", **{**content, "name": "My Moods", "completion_code": "x"})
    assert wrong.status_code == 400
    assert "small letters, digits and hyphens" in wrong.text
    assert "recruiting.completion_code" in wrong.text
    made = await browser.send("/admin/new", **content)
    assert made.headers["location"] == "/admin/studies/moods"
    desk = await studies.desk("moods")
    assert desk is not None
    study = desk.study
    assert {name: (factor.levels, factor.design) for name, factor in study.factors.items()} == {
        "mode": (("nl", "mixed"), "within"), "explanations": ((True, False), "between"),
    }  # fmt: skip
    tasks = [(task.preferences, task.profile, task.minutes) for task in study.tasks]
    assert tasks == [(3, False, 12.5), (0, True, None)]
    assert study.battles is not None
    assert study == await DesignStore(store).find("moods")
    again = await browser.send("/admin/new", **content)
    assert "already" in again.text
    assert "Moods" in (await browser.get("/admin")).text


async def test_a_file_is_checked_before_it_is_taken(browser: Browser) -> None:
    await browser.sign_in("olga")
    page = await browser.get("/admin/upload")
    assert "# What participants agree to" in page.text
    broken = await browser.send("/admin/upload", text="name: a\ntitle: [b\n")
    assert "line 3" in broken.text
    token = {"csrf": browser.token}
    binary = await browser.client.post("/admin/upload", data=token, files={"file": ("a.yaml", b"\xff\xfe\x00")})
    assert "no text in UTF-8" in binary.text
    unknown = await browser.send("/admin/upload", text=example().replace("[movie, book, music]", "[movie, opera]"))
    assert "&#39;opera&#39; is none of" in unknown.text
    made = await browser.client.post("/admin/upload", data=token, files={"file": ("a.yaml", example().encode())})
    assert made.headers["location"] == "/admin/studies/fresh"


def example() -> str:
    from bot.dashboard.forms import example_text

    return example_text().replace("my-study", "fresh")


async def test_everything_can_be_taken_along(browser: Browser, store: SqlStore) -> None:
    await fill(store, 4, CONVERSATION)
    row = {"step": 3, "condition": "", "questionnaire": "arena", "value": 1, "answered_at": NOW, "study": "tastes"}
    async with store.writing() as connection:
        await connection.execute(insert(answers), [{**row, "user_id": n, "item": "sentiment"} for n in range(1, 5)])
    await browser.sign_in("olga")
    response = await browser.get(f"{STUDY}/export")
    assert response.headers["content-type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(response.content))
    names = set(archive.namelist())
    for expected in (
        "tastes/study.yaml", "tastes/report/report.html", "tastes/report/data/messages.csv",
        "tastes/dialogues/converse/movie/messages_nl.json", "tastes/dialogues/converse/DATASHEET.md",
        "tastes/dialogues/redial/DATASHEET.md", "tastes/dialogues/converse/SHA256SUMS",
    ):  # fmt: skip
        assert expected in names, expected
    everything = b"\n".join(archive.read(name) for name in names)
    assert b"pid1" not in everything
    assert b"me@example.org" not in everything
    report = await browser.get(f"{STUDY}/report")
    assert "Methods" in report.text
    assert "script" not in report.headers["content-security-policy"]
    assert "sandbox" in report.headers["content-security-policy"]
    assert (await browser.get(f"{STUDY}/study.yaml")).text.startswith("name: tastes")
    payments = (await browser.get(f"{STUDY}/payments.csv")).text.splitlines()
    assert payments[:2] == ["PROLIFIC_PID,STUDY_ID,SESSION_ID,finished", "pid1,,,yes"]


async def test_a_report_before_anyone_has_finished_says_so(browser: Browser) -> None:
    await browser.sign_in("vera")
    assert "Nobody who counts has finished" in (await browser.get(f"{STUDY}/report")).text
