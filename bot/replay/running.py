"""Both replays over a whole dataset, and the documented JSON of what they found."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any

from bot.dialogue.manager import DialogueManager
from bot.dialogue.state import DialogueState
from bot.replay.free import Free, MemoryStore, run_free
from bot.replay.guided import Guided, GuidedReplay
from bot.replay.rows import Conversation

__all__ = ["Found", "replay"]

AT_ONCE = 4
"""Conversations that are played side by side: while one waits for Rasa, another one thinks."""

Done = Callable[[], None]


@dataclass(slots=True)
class Found:
    """What both replays found."""

    guided: Guided = field(default_factory=Guided)
    free: Free = field(default_factory=Free)
    free_by_file: dict[str, Free] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "trusted": self.guided.trusted.document(),
            "all": self.guided.all.document(),
            "by_file": {
                file: {**agreement.document(), **self.free_by_file[file].document()}
                for file, agreement in sorted(self.guided.by_file.items())
            },
            **self.free.document(),
        }


async def replay(bot: DialogueManager, conversations: Sequence[Conversation], done: Done) -> Found:
    """Replays conversations, guided and free.

    Args:
        bot: gives what the bot knows and how it understands; its store is not touched.
        conversations: published ones.
        done: called twice for every row.
    """
    found = Found()
    guided = GuidedReplay(bot.know, bot.understander)
    known = frozenset(entity.qid for entity in bot.know.catalogue.entities())

    async def one(conversation: Conversation) -> None:
        await guided.run(conversation, found.guided, done)
        free = found.free_by_file.setdefault(conversation.file, Free())
        await run_free(_free_bot(bot, conversation), conversation, (found.free, free), known, done)

    await _side_by_side(one, conversations)
    return found


def _free_bot(bot: DialogueManager, conversation: Conversation) -> DialogueManager:
    """A bot with an empty memory in the conversation's domain and mode."""
    know = bot.know
    return DialogueManager(
        MemoryStore(),
        bot.understander,
        know.recommender,
        know.catalogue,
        know.domains,
        clock=lambda: datetime.now(UTC),
        rng=Random(0),
        policy=know.policy,
        initial=DialogueState(domain=conversation.domain, mode=conversation.mode, domain_chosen=True),
    )


async def _side_by_side(play: Callable[[Conversation], Any], conversations: Iterable[Conversation]) -> None:
    waiting = iter(conversations)

    async def worker() -> None:
        for conversation in waiting:
            await play(conversation)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(worker())
