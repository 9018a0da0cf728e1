"""The statements of every turn, built once: to build one again costs as much as to run it.

The parameters of a user or an update are those of `key_of`.
"""

from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Delete,
    Insert,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from bot.channels.base import Turn, UserKey
from bot.storage import schema

NEW = "new_"
"""Before the names of parameters that hold new values of columns."""


def key_of(whose: UserKey | Turn) -> dict[str, str]:
    """The parameters that name a user, or the update of a turn."""
    if isinstance(whose, Turn):
        return {**key_of(whose.user), "of_update_id": whose.update_id}
    return {"of_channel": whose.channel, "of_external_id": whose.external_id}


def is_user(user: UserKey) -> ColumnElement[bool]:
    """Condition for the row of a user."""
    return and_(schema.users.c.channel == user.channel, schema.users.c.external_id == user.external_id)


def is_named_user() -> ColumnElement[bool]:
    """The same for the user that the parameters name."""
    users = schema.users
    return and_(users.c.channel == bindparam("of_channel"), users.c.external_id == bindparam("of_external_id"))


@cache
def advisory_lock() -> Select[Any]:
    """Locks a `number` until the transaction ends (PostgreSQL)."""
    return select(func.pg_advisory_xact_lock(bindparam("number")))


@cache
def consented() -> Select[Any]:
    """When a user agreed."""
    return select(schema.users.c.consented_at).where(is_named_user())


@cache
def known() -> Select[Any]:
    """What one row tells of a user: who they are, where the conversation stands, how an update was answered."""
    users, updates, states = schema.users, schema.updates, schema.conversations
    answered = and_(updates.c.user_id == users.c.id, updates.c.update_id == bindparam("of_update_id"))
    return (
        select(users.c.id, users.c.consented_at, updates.c.reply, states.c.version, states.c.state)
        .select_from(users.outerjoin(updates, answered).outerjoin(states, states.c.user_id == users.c.id))
        .where(is_named_user())
    )


@cache
def listed(table: Table, place: str) -> Select[Any]:
    """What a table has of the user with an id (`user_id`), in order of a column."""
    columns = [column for column in table.c if column.name not in ("user_id", place)]
    return select(*columns).where(table.c.user_id == bindparam("user_id")).order_by(table.c[place])


@cache
def changed(table: Table, key: str, *columns: str) -> Update:
    """Gives columns new values in the rows with a key (`owner`)."""
    values = {name: bindparam(NEW + name, type_=table.c[name].type) for name in columns}
    return update(table).where(table.c[key] == bindparam("owner")).values(values)


@cache
def added(table: Table) -> Insert:
    """Adds rows."""
    return insert(table)


@cache
def cut(table: Table, place: str) -> Delete:
    """Deletes what a table has of a user (`owner`) from a place on (`same`)."""
    return delete(table).where(table.c.user_id == bindparam("owner"), table.c[place] >= bindparam("same"))


@cache
def stamp(*columns: str) -> Update:
    """Gives columns of an update new values."""
    table = schema.updates
    values = {name: bindparam(NEW + name, type_=table.c[name].type) for name in columns}
    return update(table).where(_is_update()).values(values)


@cache
def claim() -> Update:
    """Claims an update's reply at the moment `now`, unless a claim between `lapsed` and `ahead` holds."""
    table = schema.updates
    at = table.c.claimed_at
    free = or_(at.is_(None), at < bindparam("lapsed", type_=at.type), at > bindparam("ahead", type_=at.type))
    return (
        update(table)
        .where(_is_update(), table.c.sent_at.is_(None), free, ~_waits())
        .values(claimed_at=bindparam("now", type_=at.type))
        .returning(table.c.parts_sent)
    )


@cache
def claimed() -> Select[Any]:
    """When an update's reply was sent, and whether an earlier one is not."""
    return select(schema.updates.c.sent_at, _waits().label("waits")).where(_is_update())


def _is_update() -> ColumnElement[bool]:
    owner = select(schema.users.c.id).where(is_named_user()).scalar_subquery()
    return and_(schema.updates.c.user_id == owner, schema.updates.c.update_id == bindparam("of_update_id"))


def _waits() -> ColumnElement[bool]:
    """Condition for an earlier reply to the user that is not sent yet."""
    table = schema.updates
    earlier = table.alias()
    return exists().where(earlier.c.user_id == table.c.user_id, earlier.c.id < table.c.id, earlier.c.sent_at.is_(None))
