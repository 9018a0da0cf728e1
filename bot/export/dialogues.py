"""Records as dialogues, which every other format can be written from."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bot.errors import UsageError
from bot.export import Written
from bot.records import Record
from data.formats.base import DialogueWriter
from data.formats.model import Dialogue, Mention, Participant, Utterance


def to_dialogues(written: Written) -> dict[str, list[Dialogue]]:
    """One dialogue for each user and domain, with the bot's answers; users are numbered by first appearance.

    Args:
        written: users' ids and records, in the order of arrival.

    Returns:
        Domain to dialogues.
    """
    users: dict[int, int] = {}
    found: dict[str, dict[int, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for user, record in written:
        if record.exported:
            found[record.domain][users.setdefault(user, len(users) + 1)].append(record)
    return {
        domain: [_dialogue(domain, user, records) for user, records in sorted(by_user.items())]
        for domain, by_user in sorted(found.items())
    }


def write_dialogues(found: dict[str, list[Dialogue]], writer: DialogueWriter, out: Path) -> list[Path]:
    """Writes a file, or a folder where the format wants one, for each domain.

    Returns:
        What was written.

    Raises:
        UsageError: it cannot be written there.
    """
    made = []
    for domain, dialogues in found.items():
        target = out / domain / ("dialogues" if writer.one_file_each else f"dialogues{writer.suffix}")
        try:
            (target if writer.one_file_each else target.parent).mkdir(parents=True, exist_ok=True)
            writer.write_dialogues(target, dialogues)
        except OSError as error:
            raise UsageError(f"cannot write {target} ({error.strerror}): choose another folder with --out") from error
        made.append(target)
    return made


def _dialogue(domain: str, user: int, records: list[Record]) -> Dialogue:
    utterances = [utterance for number, record in enumerate(records) for utterance in _exchange(number, record)]
    parties = (Participant(str(user), "seeker"), Participant("converse", "recommender"))
    return Dialogue(f"{domain}-{user}", tuple(utterances), domain, parties)


def _exchange(number: int, record: Record) -> Iterator[Utterance]:
    """The message of the user and each text of the answer."""
    mentions = tuple(Mention(qid=qid, polarity=polarity) for qid, polarity in record.recognized_objects)
    details = {
        "intent": record.intent,
        "contexts": ", ".join(record.contexts),
        "events": ", ".join(record.events),
        "pagerankCycle": record.pagerank_cycle,
        "numberRecommendationList": record.number_recommendation_list,
        "interactionType": record.interaction_type,
    }
    at = int(record.received_at.timestamp() * 1000)
    yield Utterance(f"{number}", "seeker", record.message, at, mentions, details)
    after = int(record.answered_at.timestamp() * 1000)
    shown = (Mention(qid=record.recommended),) if record.recommended else ()
    for place, text in enumerate(record.reply.texts, 1):
        is_last = place == len(record.reply.texts)
        yield Utterance(f"{number}.{place}", "recommender", text, after, shown if is_last else ())
