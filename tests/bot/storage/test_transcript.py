from bot.channels.base import UserKey
from bot.storage.store import SqlStore
from bot.storage.transcript import exchanges, last_number, state_of
from tests.bot.storage.conftest import REPLY, STATE, answer, make_turn

ANNA = UserKey("test", "anna")


async def test_what_was_said_comes_back_in_order(store: SqlStore) -> None:
    for number in range(5):
        await answer(store, make_turn(f"said/{number}", text=f"message {number}"))
        await answer(store, make_turn(f"said/{number}", user="bert", text="of somebody else"))
    await answer(store, make_turn("form/1", text="an answer"))
    async with store.reading() as connection:
        every = await exchanges(connection, ANNA, prefix="said/")
        latest = await exchanges(connection, ANNA, prefix="said/", most=2)
        before = await exchanges(connection, ANNA, prefix="said/", before=latest[0].number, most=2)
        after = await exchanges(connection, ANNA, prefix="said/", after=every[2].number)
        form = await last_number(connection, ANNA, "form/")
        nothing = await last_number(connection, ANNA, "other/")
    assert [each.text for each in every] == [f"message {number}" for number in range(5)]
    assert [each.text for each in latest] == ["message 3", "message 4"]
    assert [each.text for each in before] == ["message 1", "message 2"]
    assert [each.text for each in after] == ["message 3", "message 4"]
    assert (every[0].reply, every[0].kind) == (REPLY, "text")
    assert form > every[-1].number
    assert nothing == 0


async def test_a_prefix_is_taken_by_the_letter(store: SqlStore) -> None:
    await answer(store, make_turn("said/a%b_c.1"))
    await answer(store, make_turn("said/aXbYc.1"))
    async with store.reading() as connection:
        found = await exchanges(connection, ANNA, prefix="said/a%b_c")
    assert [each.update_id for each in found] == ["said/a%b_c.1"]


async def test_where_a_conversation_stands(store: SqlStore) -> None:
    async with store.reading() as connection:
        assert await state_of(connection, ANNA) is None
        assert await exchanges(connection, ANNA) == ()
    await answer(store, make_turn())
    async with store.reading() as connection:
        assert await state_of(connection, ANNA) == STATE
