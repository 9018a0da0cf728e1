"""Records as dialogues, which every other format can be written from."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.errors import UsageError
from bot.export import Written
from bot.export.answers import Answers, StudyData
from bot.records import Record
from data.formats.base import DialogueWriter
from data.formats.model import Dialogue, EntityLabel, Mention, Participant, Role, Utterance, not_held
from data.model import Entity, Polarity, Qid

SYSTEM = "converse"
Lookup = Callable[[Qid], Entity | None]
"""What the catalogue knows about an id."""


@dataclass(frozen=True, slots=True)
class Conversations:
    """The dialogues of an export with the database's id of each one's user, which never leaves.

    Attributes:
        left_out: domain to the number of messages of each intent that are no part of a dialogue (commands, media).
    """

    dialogues: Sequence[tuple[int, Dialogue]] = ()
    left_out: Mapping[str, Counter[str]] = field(default_factory=dict)

    def of(self, users: Iterable[int]) -> dict[str, list[Dialogue]]:
        """Domain to the dialogues of some users."""
        wanted, found = set(users), defaultdict(list)
        for user, dialogue in self.dialogues:
            if user in wanted:
                found[dialogue.domain or ""].append(dialogue)
        return dict(found)


def to_dialogues(written: Written, lookup: Lookup, studies: StudyData) -> Conversations:
    """One dialogue for each user, domain and condition, with the bot's answers.

    Users are numbered by first appearance and dialogues in order. Labels of knowledge and interest are the bot's
    estimate (second person) and, where a study asked, the user's own (first person).

    Args:
        written: users' ids and records, in the order of arrival.
        lookup: names and external ids of entities.
        studies: what participants answered.
    """
    numbers: dict[int, int] = {}
    left_out: dict[str, Counter[str]] = defaultdict(Counter)
    found: dict[tuple[str, int, str], list[tuple[int, Record]]] = defaultdict(list)
    for user, record in written:
        if record.exported:
            number = numbers.setdefault(user, len(numbers) + 1)
            found[record.domain, number, record.condition or ""].append((user, record))
        else:
            left_out[record.domain][record.intent] += 1
    running, made = itertools.count(1), []
    for place, ((domain, number, condition), part) in enumerate(sorted(found.items(), key=lambda item: item[0]), 1):
        user = part[0][0]
        scribe = _Scribe(studies.of(user, condition), lookup, running)
        dialogue = scribe.dialogue([record for _, record in part], number)
        votes = tuple(replace(vote, user=str(number)) for vote in studies.votes.get(user, ()))
        made.append((user, replace(dialogue, id=str(place), domain=domain, votes=votes)))
    return Conversations(made, dict(left_out))


def write_dialogues(found: Mapping[str, Sequence[Dialogue]], writer: DialogueWriter, out: Path) -> Counter[str]:
    """Writes a file, or a folder where the format wants one, for each domain.

    Returns:
        Name of each field that the format lacks, to the number of values that are not in the files.

    Raises:
        UsageError: it cannot be written there.
    """
    lost: Counter[str] = Counter()
    for domain, dialogues in found.items():
        target = out / domain / ("dialogues" if writer.one_file_each else f"dialogues{writer.suffix}")
        try:
            (target if writer.one_file_each else target.parent).mkdir(parents=True, exist_ok=True)
            writer.write_dialogues(target, dialogues)
        except OSError as error:
            raise UsageError(f"cannot write {target} ({error.strerror}): choose another folder with --out") from error
        for dialogue in dialogues:
            lost += not_held(dialogue, writer.held)
    return lost


class _Scribe:
    """Writes down one dialogue."""

    def __init__(self, answers: Answers, lookup: Lookup, running: Iterator[int]) -> None:
        self._answers = answers
        self._lookup = lookup
        self._running = running

    def dialogue(self, records: Sequence[Record], number: int) -> Dialogue:
        condition = records[0].condition
        parties = (
            Participant(str(number), "seeker", dict(self._answers.opinions)),
            Participant(f"{SYSTEM} ({condition})" if condition else SYSTEM, "recommender"),
        )
        return Dialogue(
            id="",
            utterances=tuple(utterance for record in records for utterance in self._exchange(record)),
            participants=parties,
            entities=tuple(self._labels(records)),
            satisfaction=self._answers.satisfaction,
        )

    def _exchange(self, record: Record) -> Iterator[Utterance]:
        """The message of the user and each text of the answer."""
        said = tuple(self._mention(qid, polarity) for qid, polarity in record.recognized_objects)
        details = {
            "intent": record.intent,
            "contexts": ", ".join(record.contexts),
            "events": ", ".join(record.events),
            "pagerankCycle": record.pagerank_cycle,
            "numberRecommendationList": record.number_recommendation_list,
            "interactionType": record.interaction_type,
        }
        at = int(record.received_at.timestamp() * 1000)
        yield Utterance(str(next(self._running)), "seeker", record.message, at, said, details)
        after = int(record.answered_at.timestamp() * 1000)
        shown = (self._mention(record.recommended, None),) if record.recommended else ()
        for place, text in enumerate(record.reply.texts, 1):
            is_last = place == len(record.reply.texts)
            yield Utterance(str(next(self._running)), "recommender", text, after, shown if is_last else ())

    def _mention(self, qid: Qid, polarity: Polarity | None) -> Mention:
        """With the bot's estimate: whoever has an opinion on something knows it; of a suggestion nothing is known."""
        estimate = {"+": ("yes", "yes"), "-": ("yes", "no"), None: ("unsure", "unsure")}[polarity]
        own = self._answers.states.get(qid, {})
        knowledge, interest = (
            {"recommender": label} | ({"seeker": own[name]} if name in own else {})
            for name, label in zip(("knowledge", "interest"), estimate, strict=True)
        )
        entity = self._lookup(qid)
        return Mention(
            text=entity.label if entity else "",
            entity=entity.ids.get("imdb") if entity else None,
            qid=qid,
            polarity=polarity,
            knowledge=knowledge,
            interest=interest,
        )

    def _labels(self, records: Sequence[Record]) -> Iterator[EntityLabel]:
        """Items that were suggested or that the user has an opinion on; the last opinion counts."""
        suggested = {record.recommended for record in records if record.recommended}
        opinions = {qid: polarity for record in records for qid, polarity in record.recognized_objects}
        for qid in dict.fromkeys([*opinions, *sorted(suggested)]):
            entity = self._lookup(qid)
            if entity is None or not entity.is_item:
                continue
            parties: tuple[Role, ...] = ("recommender", "seeker") if qid in self._answers.states else ("recommender",)
            liked: dict[str, bool | None] = {"recommender": {"+": True, "-": False}.get(opinions.get(qid, ""))}
            if "seeker" in parties:
                liked["seeker"] = {"yes": True, "no": False}.get(self._answers.states[qid].get("interest", ""))
            yield EntityLabel(
                entity=entity.ids.get("imdb", qid),
                name=entity.titled,
                qid=qid,
                suggested=dict.fromkeys(parties, qid in suggested),
                seen=dict.fromkeys(parties),
                liked=liked,
            )
