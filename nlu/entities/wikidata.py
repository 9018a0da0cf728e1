"""Looking up in Wikidata what the catalogue lacks, without ever holding up a conversation."""

import asyncio
import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from data.catalogue.genres import load_genres
from data.domains import DomainConfig
from data.errors import BackendError, StorageError
from data.model import Domain, Entity, Qid
from data.sparql.endpoint import Binding, Endpoint, EndpointError, user_agent
from data.sparql.pace import Backoff, Breaker, RateLimit
from data.sparql.reader import ANY_LANGUAGE, EntityReader, qid_of
from data.sparql.spelling import spellings
from data.sparql.templates import describe_query, find_query
from data.sparql.vocabulary import load_vocabulary
from nlu.entities.lookups import LookupCache, LookupResult, MemoryCache, decoded, encoded

__all__ = ["LookupCache", "LookupLimits", "LookupResult", "MemoryCache", "WikidataClient"]

_GENRE = "genre"
_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class LookupLimits:
    """How long and how often.

    Attributes:
        deadline: seconds that one look-up may take, everything included.
        per_second: queries a second, in the long run.
        burst: queries that may follow each other at once.
        attempts: tries of one query, as far as the deadline allows.
        candidates: entities with one of the names, at most.
        found_for: how long a find is remembered.
        missing_for: how long it is remembered that there is nothing.
    """

    deadline: float = 2.5
    per_second: float = 1.0
    burst: int = 4
    attempts: int = 3
    candidates: int = 10
    found_for: timedelta = timedelta(days=30)
    missing_for: timedelta = timedelta(days=1)


class WikidataClient:
    """Looks names up: exact labels and aliases, in several languages and capitalisations, one or two queries.

    It keeps to one query at a time and a steady rate, waits when it is asked to, and leaves an endpoint that is down
    alone for a while. Whatever happens, `lookup` returns within the deadline.
    """

    def __init__(
        self,
        endpoint: Endpoint | None,
        domains: Mapping[Domain, DomainConfig],
        cache: LookupCache | None = None,
        *,
        limits: LookupLimits = LookupLimits(),
        rng: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """With None as endpoint (no contact is configured) it is off and never waits."""
        self._endpoint = endpoint
        self._domains = domains
        self._cache = cache or MemoryCache(clock)
        self._limits = limits
        self._rng = rng or random.Random()
        self._clock = clock
        self._rate = RateLimit(limits.per_second, limits.burst, clock)
        self._breaker = Breaker(clock, self._rng)
        self._backoff = Backoff(first=0.2, cap=limits.deadline)
        self._turn = asyncio.Lock()
        self._under_way = False

    @classmethod
    def configured(
        cls, contact: str | None, url: str, domains: Mapping[Domain, DomainConfig], cache: LookupCache | None = None
    ) -> "WikidataClient":
        """The client as an operator's settings want it: off without a contact, which Wikidata asks for.

        Args:
            contact: e-mail or address of who runs the bot.
            url: of the endpoint.
            domains: what items and values are.
            cache: where answers are remembered; in memory when None.
        """
        endpoint = Endpoint(url, user_agent(contact)) if contact and contact.strip() else None
        return cls(endpoint, domains, cache)

    async def lookup(self, names: Sequence[str], domain: Domain, language: str = "en") -> LookupResult:
        """Looks names up.

        Args:
            names: as they stand in a message.
            domain: what is looked for: items of this domain, and people, genres and others that its items have.
            language: of the message; English and names that are the same everywhere are tried too.

        Returns:
            What was found. `failed` says that Wikidata could not be asked, or not in time.
        """
        wanted = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
        if self._endpoint is None or not wanted:
            return LookupResult()
        remembered = {name: await self._remembered(name, domain, language) for name in wanted}
        missing = [name for name, answer in remembered.items() if answer is None]
        known = [answer for answer in remembered.values() if answer is not None]
        if not missing:
            return _joined(known)
        try:
            async with asyncio.timeout(self._limits.deadline):
                answers = await self._ask(missing, domain, language)
        except (TimeoutError, BackendError) as error:
            _log.warning("look-up failed: %s", error or "no answer in time")
            return _joined(known, failed=True)
        for name, answer in answers.items():
            await self._remember(name, domain, language, answer)
        return _joined([*known, *answers.values()])

    async def _ask(self, names: Sequence[str], domain: Domain, language: str) -> dict[str, LookupResult]:
        ends = self._clock() + self._limits.deadline
        config = self._domains[domain]
        languages = tuple(dict.fromkeys((language, "en", ANY_LANGUAGE)))
        spelled = {variant: name for name in reversed(names) for variant in spellings(name)}
        vocabulary = load_vocabulary()
        rows = await self._query(find_query(spelled, languages, config, vocabulary, self._limits.candidates), ends)
        found: dict[str, dict[Qid, None]] = {name: {} for name in names}
        for row in rows:
            qid, name = qid_of(row.get("item")), spelled.get(row.get("name", ""))
            if qid is not None and name is not None:
                found[name][qid] = None
        qids = tuple(dict.fromkeys(qid for ids in found.values() for qid in ids))
        entities: dict[Qid, Entity] = {}
        if qids:
            query = describe_query(qids, languages, config, vocabulary, works=True)
            reader = EntityReader(config, vocabulary, load_genres(), languages)
            entities = reader.read(await self._query(query, ends))
        useful = {qid for qid in qids if qid in entities and _is_useful(entities[qid], entities)}
        return {
            name: _closure(name, tuple(qid for qid in ids if qid in useful), entities) for name, ids in found.items()
        }

    async def _query(self, query: str, ends: float) -> Sequence[Binding]:
        """Sends one query, again after a passing failure as long as there is time."""
        async with self._turn:
            for attempt in range(1, self._limits.attempts + 1):
                try:
                    return await self._send(query, ends)
                except EndpointError as error:
                    self._breaker.failed(error)
                    delay = max(self._backoff.delay(attempt, self._rng), error.retry_after or 0.0)
                    in_time = self._clock() + delay < ends
                    if not error.retryable or not in_time or attempt == self._limits.attempts:
                        raise
                    await asyncio.sleep(delay)
        raise EndpointError("No attempt was allowed; set attempts to 1 or more.", retryable=False)

    async def _send(self, query: str, ends: float) -> Sequence[Binding]:
        if self._breaker.is_open:
            raise EndpointError("Wikidata is left alone for a while after failures.", retryable=False)
        if self._under_way:
            raise EndpointError("Wikidata has still not answered an earlier query.", retryable=False)
        wait = self._rate.wait()
        if self._clock() + wait >= ends:
            raise EndpointError("Too many look-ups at once; later ones must wait.", retryable=False)
        await asyncio.sleep(wait)
        self._rate.take()
        assert self._endpoint is not None
        endpoint, left = self._endpoint, ends - self._clock()
        self._under_way = True
        try:
            rows = await _in_daemon_thread(lambda: endpoint.select(query, left), self._answered)
        except asyncio.CancelledError:
            self._breaker.failed(EndpointError("no answer in time"))
            raise
        self._breaker.succeeded()
        return rows

    def _answered(self) -> None:
        self._under_way = False

    async def _remembered(self, name: str, domain: Domain, language: str) -> LookupResult | None:
        try:
            answer = await self._cache.lookup(_key(name, domain, language))
            return None if answer is None else decoded(name, answer)
        except (StorageError, KeyError, TypeError, ValueError) as error:
            _log.warning("a remembered look-up cannot be read: %s", error)
            return None

    async def _remember(self, name: str, domain: Domain, language: str, answer: LookupResult) -> None:
        lifetime = self._limits.found_for if answer.entities else self._limits.missing_for
        try:
            await self._cache.remember_lookup(_key(name, domain, language), encoded(name, answer), lifetime)
        except StorageError as error:
            _log.warning("a look-up cannot be remembered: %s", error)


async def _in_daemon_thread(work: Callable[[], _Result], done: Callable[[], None]) -> _Result:
    """Runs work in a thread that neither a deadline nor the end of the program waits for; `done` runs when it ends."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[_Result] = loop.create_future()

    def finish(value: _Result | None, error: BaseException | None) -> None:
        done()
        if result.done():
            return
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(value)  # type: ignore[arg-type]

    def run() -> None:
        value, failure = None, None
        try:
            value = work()
        except Exception as error:
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(finish, value, failure)

    threading.Thread(target=run, daemon=True, name="wikidata").start()
    return await result


def _key(name: str, domain: Domain, language: str) -> str:
    return f"wikidata:{domain}:{language}:{' '.join(name.casefold().split())}"


def _is_useful(entity: Entity, entities: Mapping[Qid, Entity]) -> bool:
    """Whether a conversation can use it: items of the domain, and of people and the like only who made some."""
    return entity.is_item or entity.kind == _GENRE or any(entity.qid in _values(other) for other in entities.values())


def _closure(name: str, ids: tuple[Qid, ...], entities: Mapping[Qid, Entity]) -> LookupResult:
    """What belongs to one name: the entities called so, their values, and the works that have them as values."""
    works = [qid for qid, entity in entities.items() if set(ids) & _values(entity)]
    values = [value for qid in (*ids, *works) for value in sorted(_values(entities[qid]))]
    order = dict.fromkeys((*ids, *works, *values))
    return LookupResult(tuple(entities[qid] for qid in order), found={name: ids} if ids else {})


def _values(entity: Entity) -> set[Qid]:
    return {qid for values in entity.relations.values() for qid in values}


def _joined(results: Sequence[LookupResult], *, failed: bool = False) -> LookupResult:
    entities = {entity.qid: entity for result in results for entity in result.entities}
    found = {name: ids for result in results for name, ids in result.found.items()}
    return LookupResult(tuple(entities.values()), failed, found)
