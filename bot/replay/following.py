"""The bot's state before a published row, rebuilt from that user's earlier rows."""

from dataclasses import dataclass, field, replace

from bot.dialogue.labels import contexts_after
from bot.dialogue.published import PublishedState, state_after
from bot.dialogue.state import Choice, DialogueState, Phase, Preference, Profile, Question
from bot.replay.rows import Conversation, Row, names, objects
from data.model import Qid

__all__ = ["Follower"]

LIST_LENGTH = 5
"""Items in a list of the original."""

_WAITING = {Phase.DISAMBIGUATING, Phase.DISAMBIGUATING_WHILE_RECOMMENDING}


@dataclass(slots=True)
class Follower:
    """Follows one user's rows.

    The options of a question and the item on show are not in the rows. The options are those that the bot itself
    would have offered for the message that raised the question. The item is the one that a later row rates.

    Attributes:
        fillers: items that stand for those of a list that no row rates.
    """

    conversation: Conversation
    fillers: tuple[Qid, ...]
    published: PublishedState = field(default_factory=PublishedState)
    profile: Profile = field(default_factory=Profile)
    contexts: dict[str, int] = field(default_factory=dict)
    asked: Question | None = None
    position: int = 0
    lists: int = 0

    def before(self, index: int) -> DialogueState:
        """The state before the row at an index."""
        state = self.published
        question = self._question()
        waiting = (replace(question, times=1, age=0),) if question else ()
        shown = state.shown and state.phase is not Phase.RESET_MENU
        position = min(self.position, LIST_LENGTH - 1) if shown else None
        return DialogueState(
            domain=self.conversation.domain,
            mode=self.conversation.mode,
            phase=state.phase,
            questions=waiting,
            recommendations=self._list(index) if shown else (),
            position=position,
            contexts=dict(self.contexts),
            cycles={self.conversation.domain: (self.lists, self.lists)},
            turns=index,
            domain_chosen=True,
        )

    def _question(self) -> Question | None:
        state = self.published
        if state.phase is Phase.RESET_MENU:
            names_of = ("items", "properties", "everything")
            return Question("reset", tuple(Choice("", name) for name in names_of), domain=self.conversation.domain)
        if state.phase is Phase.RESET_CONFIRMATION:
            choices = (Choice("", "yes"), Choice("", "no"))
            return Question("reset_confirmation", choices, state.reset or "", domain=self.conversation.domain)
        if state.phase not in _WAITING:
            return None
        if self.asked is not None and state.question in {self.asked.kind, "item", None}:
            return self.asked
        return Question(state.question or "item", polarity="+", domain=self.conversation.domain)

    def _list(self, index: int) -> tuple[Qid, ...]:
        listed = list(self.fillers[:LIST_LENGTH])
        shown = self._rated_from(index)
        place = min(self.position, LIST_LENGTH - 1)
        if shown in listed:
            listed.remove(shown)
            listed.append(self.fillers[LIST_LENGTH])
        if shown:
            listed[place] = shown
        return tuple(listed)

    def _rated_from(self, index: int) -> Qid | None:
        """The item that the rows from here on rate before it changes."""
        for row in self.conversation.rows[index:]:
            intent, events = str(row["intent"]), names(row, "events")
            if "recommendation" not in events:
                return None
            if objects(row) and intent.startswith("request_recommendation -"):
                return objects(row)[0][0]
            if intent.endswith(("- skip", "- stop")) or intent == "request_recommendation":
                return None
        return None

    def after(self, row: Row, raised: Question | None) -> None:
        """Takes in a row, and the question that the bot would have raised for it."""
        before, intent, events = self.published, str(row["intent"]), names(row, "events")
        self.contexts = contexts_after(self.contexts, intent, domain=self.conversation.domain, question=before.question)
        self.published = state_after(before, row)
        if "disambiguation" in events:
            self.asked = raised
        if "recommendation" in events and "disambiguation" not in events:
            self._move_on(intent, int(row["numberRecommendationList"]), was_shown=before.shown)
        for qid, polarity in objects(row):
            given = Preference(qid, polarity, self.conversation.domain)  # type: ignore[arg-type]
            self.profile = replace(self.profile, preferences=(*self.profile.preferences, given))

    def _move_on(self, intent: str, lists: int, *, was_shown: bool) -> None:
        if intent == "request_recommendation" and (lists != self.lists or not was_shown):
            self.position = 0
        elif not intent.endswith(("- why", "- details", "- trailer", "- help", "allback")):
            self.position += 1
        self.lists = lists
