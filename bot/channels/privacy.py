"""Consent before anything is stored, and a person's rights over what is: to read it, to take it along, to delete it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from bot.channels.base import Option, Reply, Turn, UserKey
from bot.channels.conversation import Conversation
from bot.channels.wording import ChannelWording, wording_in
from bot.dialogue.state import DialogueState
from bot.records import Record, TurnResult
from bot.storage.base import OpenTurn, Outcome

AGREE, REFUSE, FORGET, KEEP = "privacy:agree", "privacy:refuse", "privacy:forget", "privacy:keep"
_COMMANDS = {"/privacy": "privacy", "/export_my_data": "data", "/forget_me": "forget", "/forget_me yes": "forgotten"}
_BUTTONS = {FORGET: "forgotten", KEEP: "kept"}


def wish_of(turn: Turn) -> str | None:
    """What a person wants of their data by this turn; None when it is about something else."""
    return _BUTTONS.get(turn.option or "") or _COMMANDS.get(" ".join(turn.text.casefold().split()))


class ConsentStore(Protocol):
    """What is needed of the store."""

    def open_turn(self, turn: Turn) -> AbstractAsyncContextManager[OpenTurn]: ...
    async def consented(self, user: UserKey) -> bool: ...
    async def mark_sent(self, turn: Turn) -> None: ...


class PrivacyDesk:
    """Stands before the dialogue manager: strangers are asked for their consent, and nothing of them is stored."""

    def __init__(
        self,
        manager: Conversation,
        store: ConsentStore,
        wordings: Mapping[str, ChannelWording],
        initial: DialogueState,
        clock: Callable[[], datetime],
    ) -> None:
        """Takes what answers everyone else, and the state of a conversation that begins."""
        self._manager = manager
        self._store = store
        self._wordings = wordings
        self._initial = initial
        self._clock = clock

    async def handle(self, turn: Turn) -> TurnResult:
        """Answers a turn. Raises StorageError when it cannot be kept."""
        if not await self._store.consented(turn.user):
            return await self._meet(turn)
        wish = wish_of(turn)
        if wish is None and turn.option not in {AGREE, REFUSE}:
            return await self._manager.handle(turn)
        if wish is None:
            return await self._manager.handle(_started(turn))
        return await self._fulfil(turn, wish)

    async def _meet(self, turn: Turn) -> TurnResult:
        """Asks a stranger for consent, and remembers only a yes."""
        wording = wording_in(turn.language, self._wordings)
        if turn.option == AGREE:
            await self._remember(turn)
            return await self._manager.handle(_started(turn))
        if turn.option == REFUSE:
            return TurnResult(Reply((wording.says["refused"],)))
        wants_to_read = turn.text.strip().casefold() == "/privacy"
        options = (Option(AGREE, wording.labels["agree"]), Option(REFUSE, wording.labels["refuse"]))
        return TurnResult(Reply((wording.says["privacy" if wants_to_read else "consent"],), options))

    async def _remember(self, turn: Turn) -> None:
        """Stores that the user agrees, and the language, in a step of its own."""
        language = turn.language if turn.language and turn.language in self._wordings else self._initial.language
        step = replace(turn, update_id=f"consent/{turn.update_id}")
        async with self._store.open_turn(step) as opened:
            if opened.repeated is None:  # another worker may have been told too
                state = opened.state or replace(self._initial, language=language)
                await opened.save(Outcome(state, opened.profile, Reply(()), consent=True))
        await self._store.mark_sent(step)

    async def _fulfil(self, turn: Turn, wish: str) -> TurnResult:
        async with self._store.open_turn(turn) as opened:
            if opened.repeated is not None:
                return TurnResult(opened.repeated)
            state = opened.state or self._initial
            reply = self._reply(wish, wording_in(state.language, self._wordings))
            record = self._record(turn, state, wish, reply)
            forget = wish == "forgotten"
            await opened.save(Outcome(state, opened.profile, reply, () if forget else (record,), forget=forget))
        return TurnResult(reply, None if forget else record)

    def _reply(self, wish: str, wording: ChannelWording) -> Reply:
        if wish == "forget":
            options = (Option(FORGET, wording.labels["forget"]), Option(KEEP, wording.labels["keep"]))
            return Reply((wording.says["forget"],), options)
        return Reply((wording.says[wish],), attachment="my_data" if wish == "data" else None)

    def _record(self, turn: Turn, state: DialogueState, wish: str, reply: Reply) -> Record:
        return Record(
            message=turn.text,
            received_at=turn.received_at,
            answered_at=max(self._clock(), turn.received_at),
            intent=f"privacy.{wish}",
            contexts=(),
            recognized_objects=(),
            events=(),
            pagerank_cycle=0,
            number_recommendation_list=0,
            interaction_type="NL" if state.mode == "nl" else state.mode,
            domain=state.domain,
            coarse_intent="privacy",
            confidence=1.0,
            ranking=(),
            reply=reply,
            exported=False,
        )


def _started(turn: Turn) -> Turn:
    """The turn as if the user had sent /start."""
    return replace(turn, kind="text", text="/start", option=None)
