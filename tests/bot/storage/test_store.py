import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.engine import URL

from bot.channels.base import Reply, Turn, UserKey
from bot.dialogue.state import DialogueState, Profile
from bot.storage import schema
from bot.storage.store import LEASE, SqlStore, open_store
from data.model import Entity
from tests.bot.storage.conftest import (
    PROFILE,
    REPLY,
    START,
    STATE,
    SettableClock,
    answer,
    make_outcome,
    make_record,
    make_turn,
)


async def count_rows(store: SqlStore) -> dict[str, int]:
    async with store.reading() as connection:
        counts = {}
        for name, table in schema.metadata.tables.items():
            counts[name] = (await connection.execute(select(func.count()).select_from(table))).scalar_one()
        return counts


async def test_a_stranger_is_unknown(store: SqlStore) -> None:
    async with store.open_turn(make_turn()) as opened:
        assert (opened.state, opened.profile, opened.repeated, opened.consented) == (None, Profile(), None, False)


async def test_what_a_turn_leaves_is_there_at_the_next_one(store: SqlStore) -> None:
    await answer(store, make_turn("1"))
    async with store.open_turn(make_turn("2")) as opened:
        assert opened.state == STATE
        assert opened.profile == PROFILE
        assert opened.repeated is None
        assert opened.user_id > 0


async def test_it_is_there_after_a_restart(database: URL, clock: SettableClock) -> None:
    async with open_store(database, clock) as store:
        await answer(store, make_turn("1"))
    async with open_store(database, clock) as store, store.open_turn(make_turn("2")) as opened:
        assert (opened.state, opened.profile) == (STATE, PROFILE)


async def test_a_turn_that_is_not_saved_changes_nothing(store: SqlStore) -> None:
    before = await count_rows(store)
    async with store.open_turn(make_turn()):
        pass
    with pytest.raises(RuntimeError, match="broken handler"):
        async with store.open_turn(make_turn()):
            raise RuntimeError("broken handler")
    assert await count_rows(store) == before


async def test_a_save_that_fails_changes_nothing(store: SqlStore) -> None:
    await answer(store, make_turn("1"))
    before = await count_rows(store)
    with pytest.raises(Exception, match="message"):
        await answer(store, make_turn("2"), records=(make_record(), make_record(message=None)))
    assert await count_rows(store) == before
    await answer(store, make_turn("2"))


async def test_a_repeated_update_gives_the_stored_reply(store: SqlStore) -> None:
    await answer(store, make_turn("1"))
    async with store.open_turn(make_turn("1")) as opened:
        assert opened.repeated == REPLY


async def test_updates_of_others_are_not_repeats(store: SqlStore) -> None:
    await answer(store, make_turn("1", "anna"))
    async with store.open_turn(make_turn("1", "ben")) as opened:
        assert opened.repeated is None
        assert opened.state is None


async def test_profile_keeps_its_order_through_changes(store: SqlStore) -> None:
    first, second = PROFILE.preferences
    third = replace(second, qid="Q1", role=None)
    await answer(store, make_turn("1"))
    changed = Profile((replace(first, polarity="-"), third, second), ())
    await answer(store, make_turn("2"), profile=changed)
    async with store.open_turn(make_turn("3")) as opened:
        assert opened.profile == changed
        await opened.save(make_outcome(profile=Profile((second,))))
    async with store.open_turn(make_turn("4")) as opened:
        assert opened.profile == Profile((second,))


async def test_turns_of_one_user_wait_for_each_other_in_order(store: SqlStore) -> None:
    order: list[str] = []

    async def one(number: int) -> None:
        async with store.open_turn(make_turn(str(number))) as opened:
            order.append(f"in {number}")
            turns = opened.state.turns if opened.state else 0
            await asyncio.sleep(0.005)
            await opened.save(make_outcome(state=replace(STATE, turns=turns + 1)))
            order.append(f"out {number}")

    tasks = []
    for number in range(8):
        tasks.append(asyncio.create_task(one(number)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert order == [f"{way} {number}" for number in range(8) for way in ("in", "out")]
    async with store.open_turn(make_turn("last")) as opened:
        assert opened.state == replace(STATE, turns=8)


async def test_users_do_not_wait_for_each_other(store: SqlStore) -> None:
    together = asyncio.Barrier(10)

    async def one(user: str) -> None:
        async with store.open_turn(make_turn("1", user)) as opened:
            await together.wait()
            await opened.save(make_outcome())

    async with asyncio.timeout(20):
        await asyncio.gather(*(one(f"user {number}") for number in range(10)))


async def test_nothing_is_lost_with_awkward_text(store: SqlStore) -> None:
    awkward = "a\0b \ud800 \U0001f600 <b>&amp;'; DROP TABLE users;-- \u202e שלום\r\n\x07"
    reply = Reply((awkward,))
    turn = make_turn("1", "Zoë'; --", awkward)
    await answer(store, turn, reply=reply, records=(make_record(awkward, reply=reply),))
    async with store.reading() as connection:
        message = (await connection.execute(select(schema.records.c.message))).scalar_one()
    assert message == awkward.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
    async with store.open_turn(turn) as opened:
        assert opened.repeated is not None


async def test_consent_is_given_and_withdrawn(store: SqlStore) -> None:
    await answer(store, make_turn("1"))
    for number, (change, expected) in enumerate([(None, False), (True, True), (None, True), (False, False)]):
        await answer(store, make_turn(f"c{number}"), consent=change)
        async with store.open_turn(make_turn("look")) as opened:
            assert opened.consented is expected


async def test_forgetting_leaves_no_row_of_the_user_and_all_of_others(store: SqlStore) -> None:
    await answer(store, make_turn("1", "ben"))
    only_ben = await count_rows(store)
    await answer(store, make_turn("1", "anna"), consent=True)
    await answer(store, make_turn("2", "anna"), forget=True)
    assert await count_rows(store) == only_ben
    async with store.open_turn(make_turn("3", "anna")) as opened:
        assert (opened.state, opened.consented) == (None, False)


async def test_erasing_from_outside(store: SqlStore) -> None:
    empty = await count_rows(store)
    await answer(store, make_turn())
    assert await store.erase(UserKey("test", "anna"))
    assert await count_rows(store) == empty
    assert not await store.erase(UserKey("test", "anna"))


async def test_ids_of_erased_users_are_not_used_again(store: SqlStore) -> None:
    seen = []
    for number in range(3):
        await answer(store, make_turn(str(number)))
        async with store.open_turn(make_turn("look")) as opened:
            seen.append(opened.user_id)
        await store.erase(UserKey("test", "anna"))
    assert len(set(seen)) == 3


async def unsent(store: SqlStore) -> list[tuple[Turn, Reply]]:
    return [found async for found in store.unsent("test")]


async def test_replies_are_unsent_until_marked(store: SqlStore) -> None:
    first, second = make_turn("1"), make_turn("2", "ben", "hello", kind="option", option="3:1")
    await answer(store, first)
    await answer(store, second)
    assert await unsent(store) == [(first, REPLY), (second, REPLY)]
    await store.mark_sent(first)
    assert await unsent(store) == [(second, REPLY)]
    assert [found async for found in store.unsent("other")] == []


async def test_a_reply_is_claimed_by_one_sender(store: SqlStore, clock: SettableClock) -> None:
    turn = make_turn()
    await answer(store, turn)
    assert await store.claim(turn) == 0
    assert await store.claim(turn) is None
    await store.mark_part(turn, 1)
    clock.move(seconds=LEASE.total_seconds() / 2)
    assert await store.claim(turn) is None
    clock.move(seconds=LEASE.total_seconds())
    assert await store.claim(turn) == 1, "the sender died: the next one goes on where it stopped"
    await store.mark_sent(turn)
    clock.move(hours=1)
    assert await store.claim(turn) is None


async def test_claims_survive_a_clock_that_goes_backwards(store: SqlStore, clock: SettableClock) -> None:
    turn = make_turn()
    await answer(store, turn)
    assert await store.claim(turn) == 0
    clock.move(days=-1)
    assert await store.claim(turn) == 0


async def test_only_one_of_many_claims_wins(store: SqlStore) -> None:
    turn = make_turn()
    await answer(store, turn)
    claims = await asyncio.gather(*(store.claim(turn) for _ in range(8)))
    assert sorted(claims, key=str) == [0] + [None] * 7


async def test_replies_to_a_user_are_sent_in_order(store: SqlStore, clock: SettableClock) -> None:
    first, second, other = make_turn("1"), make_turn("2"), make_turn("3", "ben")
    for turn in (first, second, other):
        await answer(store, turn)
    assert await store.claim(second) == "wait"
    assert await store.claim(other) == 0
    assert await store.claim(first) == 0
    assert await store.claim(second) == "wait"
    await store.mark_sent(first)
    assert await store.claim(first) is None
    assert await store.claim(second) == 0
    assert await store.claim(second) is None


async def test_released_claims_are_free(store: SqlStore) -> None:
    turn = make_turn()
    await answer(store, turn)
    await store.claim(turn)
    await store.release(turn)
    assert await store.claim(turn) == 0


async def test_a_reply_of_which_nothing_is_stored_may_be_sent(store: SqlStore) -> None:
    assert await store.claim(make_turn("before consent")) == 0


async def test_who_blocked_the_bot_is_left_alone_until_they_write(store: SqlStore) -> None:
    await answer(store, make_turn("1"))
    await store.mark_blocked(UserKey("test", "anna"), blocked=True)
    assert await unsent(store) == []
    await answer(store, make_turn("2"))
    assert len(await unsent(store)) == 2


async def test_learned_entities_are_kept_once(store: SqlStore) -> None:
    entity = Entity(
        "Q1", "Über", "film", "movie", 1999, relations={"P57": ("Q2",)}, aliases=("Uber",), labels={"de": "Ü"}
    )
    await answer(store, make_turn("1"), learned=(entity,))
    await answer(store, make_turn("2"), learned=(entity,))
    assert list(await store.learned()) == [entity]


async def test_lookups_are_remembered_until_they_expire(store: SqlStore, clock: SettableClock) -> None:
    assert await store.lookup("title:x") is None
    await store.remember_lookup("title:x", [], timedelta(hours=1))
    await store.remember_lookup("title:x", ["Q1"], timedelta(hours=1))
    assert await store.lookup("title:x") == ["Q1"]
    clock.move(hours=2)
    assert await store.lookup("title:x") is None


async def test_times_come_back_in_utc(store: SqlStore) -> None:
    await answer(store, make_turn())
    async with store.reading() as connection:
        assert (await connection.execute(select(schema.records.c.received_at))).scalar_one() == START


async def test_an_old_state_gets_the_defaults_of_new_fields(store: SqlStore) -> None:
    await answer(store, make_turn("1"))
    async with store.writing() as connection:
        await connection.execute(schema.conversations.update().values(state={"domain": "music", "gone": 1}))
    async with store.open_turn(make_turn("2")) as opened:
        assert opened.state == DialogueState(domain="music")


async def test_ids_that_no_database_can_hold_are_kept_and_found_again(store: SqlStore) -> None:
    turn = make_turn("1\0\ud800", kind="option", option="pick:\0:\udc80")
    await answer(store, turn)
    async with store.open_turn(turn) as opened:
        assert opened.repeated is not None
    assert await store.claim(turn) == 0
    await store.mark_sent(turn)
    assert await unsent(store) == []
