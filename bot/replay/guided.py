"""The guided replay: before each row the state is what the published rows say it was."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random

from bot.channels.base import Turn, UserKey
from bot.dialogue.manager import Understands
from bot.dialogue.playing import Played, play, prepared
from bot.dialogue.published import answers_options
from bot.dialogue.questions import which_item
from bot.dialogue.reading import context_of, read_directly
from bot.dialogue.scene import Action, Knowledge, Scene
from bot.dialogue.state import Choice, DialogueState, Question
from bot.dialogue.wording import Voice, load_wordings
from bot.replay.agreement import Agreement, Disagreement, Ours, compared, disagreements
from bot.replay.following import LIST_LENGTH, Follower
from bot.replay.rows import Conversation, Row, text_of
from data.model import Qid
from nlu.model import Answer, Understanding

__all__ = ["Guided", "GuidedReplay"]


@dataclass(slots=True)
class Guided:
    """What the guided replay found."""

    trusted: Agreement = field(default_factory=Agreement)
    all: Agreement = field(default_factory=Agreement)
    by_file: dict[str, Agreement] = field(default_factory=dict)
    disagreements: list[Disagreement] = field(default_factory=list)

    def add(self, conversation: Conversation, row: Row, ours: Ours, known: Sequence[Qid] | frozenset[Qid]) -> None:
        """Counts one row."""
        fields = compared(row, ours, known)
        results = {name: agrees for name, (_, _, agrees) in fields.items()}
        counted = [self.all, self.by_file.setdefault(conversation.file, Agreement())]
        for agreement in [*counted, *([] if row["toCheck"] else [self.trusted])]:
            agreement.add(results)
        self.disagreements.extend(disagreements(conversation.file, row, fields))


class GuidedReplay:
    """Plays every row from the state that the rows before it left."""

    def __init__(self, know: Knowledge, understander: Understands, *, seed: int = 0) -> None:
        """Takes what the bot knows and what understands messages."""
        self._know = replace(know, policy=replace(know.policy, explanations=False))
        self._understander = understander
        self._rng = Random(seed)
        self._voices = {language: Voice(language, wording, self._rng) for language, wording in load_wordings().items()}
        self._known = frozenset(entity.qid for entity in know.catalogue.entities())
        self._fillers: Mapping[str, tuple[Qid, ...]] = {
            domain: tuple(entity.qid for entity in know.catalogue.items(domain)[-LIST_LENGTH - 1 :])
            for domain in know.domains
        }

    async def run(self, conversation: Conversation, result: Guided, done: Callable[[], None]) -> None:
        """Replays one user's rows into the result."""
        follower = Follower(conversation, self._fillers[conversation.domain])
        for index, row in enumerate(conversation.rows):
            played, understood = await self._play(conversation, row, index, follower)
            ours = Ours(
                played.intent, frozenset(played.contexts), frozenset(played.events), frozenset(played.move.objects)
            )
            result.add(conversation, row, ours, self._known)
            follower.after(row, self._raised(conversation, played, understood))
            done()

    async def _play(
        self, conversation: Conversation, row: Row, index: int, follower: Follower
    ) -> tuple[Played, Understanding]:
        before = follower.before(index)
        turn = Turn(UserKey("replay", conversation.user), str(index), "text", text_of(row), datetime.now(UTC))
        understood, action = await self._read(turn, before)
        unlisted = before.questions and before.questions[-1].kind in {"item", "role"} and understood.answer is None
        if unlisted and answers_options(follower.published, turn.text):
            understood = replace(understood, answer=Answer((0,)))
        scene = Scene(
            state=prepared(before, self._know.policy.patience),
            phase=before.phase,
            profile=follower.profile,
            turn=turn,
            understood=understood,
            know=self._know,
            say=self._voices["en"],
            rng=self._rng,
            now=turn.received_at,
            action=action,
        )
        return play(scene, before), understood

    async def _read(self, turn: Turn, state: DialogueState) -> tuple[Understanding, Action | None]:
        direct = read_directly(turn, state, self._know, self._voices.values(), self._voices["en"])
        if isinstance(direct, tuple):
            return direct
        context = context_of(state, self._know.domains)
        return await self._understander.understand(direct.text, context), direct.action

    def _raised(self, conversation: Conversation, played: Played, understood: Understanding) -> Question | None:
        """The question that the bot raised for a message, or the one it would have had to raise to ask at all."""
        if played.move.state.questions:
            return played.move.state.questions[-1]
        mention = next(iter(understood.mentions), None)
        if mention is None:
            return None
        entity = self._know.catalogue.get(mention.accepted) if mention.accepted else None
        if entity is None or entity.is_item:
            return which_item(mention, mention.polarity or "+")
        properties = self._know.domains[conversation.domain].properties
        roles = tuple(Choice("", config.label(), entity.qid, pid) for pid, config in properties.items() if config.role)
        return Question("role", roles, mention.text, qid=entity.qid, polarity=mention.polarity or "+")
