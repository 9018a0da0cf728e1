"""Researchers' accounts and who is signed in: Argon2id hashes, sessions kept on the server, a lock after failures."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Literal, get_args

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.errors import UsageError
from bot.fingerprint import fingerprint
from bot.storage.accounts import accounts, sessions
from bot.storage.store import SqlStore
from bot.storage.studies import audit

Role = Literal["owner", "viewer"]
"""An owner may change things; a viewer only looks."""

LASTS = timedelta(hours=12)
LOCKED_FOR = timedelta(minutes=15)
MOST_FAILURES = 5
"""Wrong passwords in a row after which an account is locked for a while."""
SHORTEST, LONGEST = 10, 200
"""Characters of a password."""


@dataclass(frozen=True, slots=True)
class Account:
    """One researcher."""

    id: int
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in; forms must carry `csrf`."""

    account: Account
    csrf: str

    @property
    def may_change(self) -> bool:
        """Whether they may do more than look."""
        return self.account.role == "owner"


class AccountStore:
    """The accounts in the database."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    async def all(self) -> Sequence[Account]:
        """Every account, by name."""
        async with self._store.reading() as connection:
            rows = await connection.execute(select(accounts).order_by(accounts.c.name))
            return [Account(row.id, row.name, row.role) for row in rows]

    async def add(self, name: str, role: str, password: str, who: str) -> None:
        """Makes an account.

        Args:
            name: to sign in with.
            role: "owner" or "viewer".
            password: kept as a hash only.
            who: makes it; noted in the audit.

        Raises:
            UsageError: the name is taken or empty, the role is unknown, or the password is too short or too long.
        """
        if role not in get_args(Role):
            raise UsageError(f"there is no role {role!r}; choose one of {', '.join(get_args(Role))}")
        if not name.strip() or len(name) > 64:
            raise UsageError("an account needs a name of at most 64 characters")
        row = {
            "name": name.strip(),
            "role": role,
            "password": await _hashed(password),
            "created_at": self._store.now(),
            "failures": 0,
        }
        if any(account.name == row["name"] for account in await self.all()):
            raise UsageError(f"there is an account {name!r} already")
        try:
            async with self._store.writing() as connection:
                await connection.execute(insert(accounts), row)
        except IntegrityError as error:
            raise UsageError(f"there is an account {name!r} already") from error
        await self.note(who, "account added", f"{name} ({role})")

    async def remove(self, name: str, who: str) -> None:
        """Deletes an account and signs it out. Raises UsageError for an unknown one."""
        async with self._store.writing() as connection:
            gone = await connection.execute(delete(accounts).where(accounts.c.name == name))
        if gone.rowcount == 0:
            raise _unknown(name)
        await self.note(who, "account removed", name)

    async def set_password(self, name: str, password: str, who: str) -> None:
        """Gives an account a new password, unlocks it and signs it out. Raises UsageError."""
        values = {"password": await _hashed(password), "failures": 0, "locked_until": None}
        async with self._store.writing() as connection:
            found = await connection.execute(
                update(accounts).where(accounts.c.name == name).values(**values).returning(accounts.c.id)
            )
            row = found.first()
            if row is None:
                raise _unknown(name)
            await connection.execute(delete(sessions).where(sessions.c.account_id == row.id))
        await self.note(who, "password changed", name)

    async def sign_in(self, name: str, password: str) -> str | None:
        """Checks a password; it takes the same time whether there is such an account or not.

        Returns:
            A token for the cookie; None when name or password are wrong, or the account is locked.
        """
        async with self._store.reading() as connection:
            row = (await connection.execute(select(accounts).where(accounts.c.name == name))).first()
        right = await asyncio.to_thread(_is_right, row.password if row else _nobody(), password)
        now = self._store.now()
        if row is None:
            return None
        if row.locked_until is not None and row.locked_until > now:
            await self.note(name, "sign-in refused", "the account is locked")
            return None
        if not right:
            await self._failed(row, now)
            return None
        return await self._signed_in(row, now)

    async def _failed(self, row: Row[tuple[object, ...]], now: datetime) -> None:
        """Counts in the database, so that attempts at the same time all count."""
        async with self._store.writing() as connection:
            counted = await connection.execute(
                update(accounts)
                .where(accounts.c.id == row.id)
                .values(failures=accounts.c.failures + 1)
                .returning(accounts.c.failures)
            )
            if counted.scalar_one() >= MOST_FAILURES:
                values = {"failures": 0, "locked_until": now + LOCKED_FOR}
                await connection.execute(update(accounts).where(accounts.c.id == row.id).values(**values))
        await self.note(row.name, "sign-in failed", "wrong password")

    async def _signed_in(self, row: Row[tuple[object, ...]], now: datetime) -> str:
        token = secrets.token_urlsafe(32)
        session = {
            "token": fingerprint(token),
            "account_id": row.id,
            "csrf": secrets.token_urlsafe(24),
            "created_at": now,
            "expires_at": now + LASTS,
        }
        async with self._store.writing() as connection:
            await connection.execute(delete(sessions).where(sessions.c.expires_at < now))
            await connection.execute(
                update(accounts).where(accounts.c.id == row.id).values(failures=0, locked_until=None)
            )
            await connection.execute(insert(sessions), session)
        await self.note(row.name, "signed in", "")
        return token

    async def session(self, token: str) -> Session | None:
        """Who a cookie belongs to; None when nobody is signed in with it any more."""
        found = (
            select(accounts.c.id, accounts.c.name, accounts.c.role, sessions.c.csrf)
            .join(sessions, sessions.c.account_id == accounts.c.id)
            .where(sessions.c.token == fingerprint(token), sessions.c.expires_at > self._store.now())
        )
        async with self._store.reading() as connection:
            row = (await connection.execute(found)).first()
            return None if row is None else Session(Account(row.id, row.name, row.role), row.csrf)

    async def sign_out(self, token: str) -> None:
        """Ends a session."""
        async with self._store.writing() as connection:
            await connection.execute(delete(sessions).where(sessions.c.token == fingerprint(token)))

    async def note(self, who: str, action: str, detail: str, study: str = "") -> None:
        """Leaves a line in the audit; `study` is empty for what is about no study."""
        row = {"study": study, "at": self._store.now(), "who": who, "action": action, "detail": detail}
        async with self._store.writing() as connection:
            await connection.execute(insert(audit), row)

    async def audit(self, page: int, size: int) -> tuple[Sequence[Row[tuple[object, ...]]], int]:
        """One page of the audit, newest first, and how many lines there are in all."""
        async with self._store.reading() as connection:
            rows = await connection.execute(select(audit).order_by(audit.c.id.desc()).limit(size).offset(page * size))
            total = await connection.execute(select(func.count()).select_from(audit))
            return rows.all(), total.scalar_one()


def _unknown(name: str) -> UsageError:
    return UsageError(f"there is no account {name!r}; see: converse study account list")


@cache
def _hasher() -> PasswordHasher:
    """Argon2id with the library's recommended cost."""
    return PasswordHasher()


@cache
def _nobody() -> str:
    """A hash that no password fits."""
    return _hasher().hash(secrets.token_urlsafe(32))


async def _hashed(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password needs {SHORTEST} to {LONGEST} characters")
    hasher: Callable[[str], str] = _hasher().hash
    return await asyncio.to_thread(hasher, password)


def _is_right(known: str, password: str) -> bool:
    try:
        return len(password) <= LONGEST and _hasher().verify(known, password)
    except VerificationError:
        return False
