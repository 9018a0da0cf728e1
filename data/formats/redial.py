"""The ReDial dataset: JSON Lines, one dialogue a line, movies marked as `@id` in the text.

Source of the format: Li et al., "Towards Deep Conversational Recommendations" (2018), and its released files. Known
quirks that are no faults: `[]` for an empty dictionary of questions, movies mentioned but not labelled, names without a
year, no final newline, and the variant of later projects whose messages carry `turn_id`, `entity`, `item` … instead of
`timeOffset` and `messageId`.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from data.formats.base import numbered
from data.formats.encoding import head_of
from data.formats.jsontext import JsonStyle, read_lines, styled_like
from data.formats.model import Dialogue, EntityLabel, Mention, Participant, Role, Utterance, is_number, moment
from data.formats.problems import Checker, Report
from data.model import Qid

Record = dict[str, Any]

STYLE = JsonStyle()
FIELDS = (
    "movieMentions",
    "respondentQuestions",
    "messages",
    "conversationId",
    "respondentWorkerId",
    "initiatorWorkerId",
    "initiatorQuestions",
)
_MESSAGE = ("timeOffset", "text", "senderWorkerId", "messageId")
_VARIANT = ("turn_id", "entity", "item", "thread", "masked_text", "word")
_QUESTIONS: Mapping[str, frozenset[int]] = {
    "suggested": frozenset({0, 1}),
    "seen": frozenset({0, 1, 2}),
    "liked": frozenset({0, 1, 2}),
}
_PARTIES: tuple[tuple[Role, str], ...] = (("seeker", "initiator"), ("recommender", "respondent"))
_MENTION = re.compile(r"@(\d+)")
_FIRST_FREE = 1_000_000_001
"""Above all ids of movies, for entities that have no number."""
_NUMBERED = re.compile(r"(?:Q|tt0*)?([0-9]{1,9})")


class RedialFormat:
    """Reader, checker, writer and statistics of ReDial files."""

    name = "redial"
    suffix = ".jsonl"
    one_file_each = False
    held = frozenset(
        {
            "domain.movie",
            "seeker.text",
            "seeker.id",
            "recommender.text",
            "recommender.id",
            "utterance.id",
            "utterance.at",
            "mention.entity",
            "mention.text",
            "entities",
        }
    )

    def kind(self, path: Path) -> str | None:
        """By the keys of the first line."""
        if path.suffix not in {".jsonl", ".json"}:
            return None
        head = head_of(path, 65_536)
        named = any(f'"{name}"' in head for name in ("movieMentions", "initiatorWorkerId", "respondentWorkerId"))
        return "dialogues" if named and '"messages"' in head else None

    def read(self, path: Path, kind: str, report: Report) -> Iterator[Record]:  # noqa: ARG002 - one kind only
        """The dialogues of one file."""
        yield from read_lines(path, report)

    def check(self, path: Path, kind: str, report: Report) -> Iterator[Record]:
        """Fields and types, senders, answers within their codes, ids unique, mentions and labels known."""
        conversations: set[object] = set()
        messages: set[object] = set()
        for number, record in numbered(lambda told: self.read(path, kind, told), report):
            checker = Checker(path, f"{number} (conversation {str(record.get('conversationId'))[:20]})", report)
            if checker.keys(record, FIELDS):
                _check_record(record, checker, messages)
                if _key(record["conversationId"]) in conversations:
                    checker.problem("conversationId", "occurs twice")
                conversations.add(_key(record["conversationId"]))
            yield record

    def copy(self, source: Path, kind: str, target: Path, report: Report) -> int:
        """Reads and writes one file in the source's own layout."""
        return _write(target, self.read(source, kind, report), styled_like(source, STYLE))

    def dialogues(self, path: Path, report: Report) -> Iterator[Dialogue]:
        """The initiator is the seeker, the respondent the recommender."""
        yield from map(_dialogue, _usable(path, self.read(path, "dialogues", report), report))

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        """Mentions whose words stand in the text become `@id`; ids that are no numbers get one."""
        running, numbers = itertools.count(1), _Numbers()
        records = (_record(dialogue, number, running, numbers) for number, dialogue in enumerate(dialogues, 1))
        return _write(target, records, JsonStyle(final_newline=True))

    def statistics(self, files: Mapping[Path, str], report: Report) -> dict[str, Any]:
        """The counts of the dataset's card."""
        found: Counter[str] = Counter()
        workers: set[object] = set()
        movies: set[str] = set()
        answers: Counter[str] = Counter()
        for path in files:
            for record in _usable(path, self.read(path, "dialogues", report), report):
                found["dialogues"] += 1
                found["messages"] += len(record["messages"])
                workers |= {_key(record["initiatorWorkerId"]), _key(record["respondentWorkerId"])}
                movies |= set(record["movieMentions"] or ())
                found["mentions"] += sum(len(_MENTION.findall(message["text"])) for message in record["messages"])
                for answer in (record["initiatorQuestions"] or {}).values():
                    answers.update(f"{name}={answer.get(name)}" for name in _QUESTIONS)
        return {
            "dialogues": found["dialogues"],
            "messages": found["messages"],
            "messages_per_dialogue": round(found["messages"] / max(found["dialogues"], 1), 2),
            "workers": len(workers),
            "movies": len(movies),
            "movie_mentions": found["mentions"],
            "seeker_answers": dict(sorted(answers.items())),
        }


def _usable(path: Path, records: Iterable[Record], report: Report) -> Iterator[Record]:
    """The records that dialogues can be made from; says which are left out."""
    for record in records:
        if is_record(record):
            yield record
        else:
            Checker(path, str(record.get("conversationId")), report).problem("", "no dialogue; left out", lost=True)


def is_record(record: Record) -> bool:
    """Whether the fields that dialogues are made from are usable."""
    return (
        all(name in record for name in FIELDS)
        and isinstance(record["messages"], list)
        and all(isinstance(message, dict) and isinstance(message.get("text"), str) for message in record["messages"])
        and all(isinstance(record[name] or {}, dict) for name in ("movieMentions", *_question_fields()))
        and all(isinstance(answer, dict) for name in _question_fields() for answer in (record[name] or {}).values())
    )


def _question_fields() -> tuple[str, str]:
    return "initiatorQuestions", "respondentQuestions"


def _key(value: object) -> str:
    return repr(value)


def _check_record(record: Record, checker: Checker, known_messages: set[object]) -> None:
    mentions = record["movieMentions"]
    if mentions is None or isinstance(mentions, list):
        mentions = {} if not mentions else checker.problem("movieMentions", "a list with entries") or {}
    if not checker.is_type("movieMentions", mentions, dict):
        mentions = {}
    for movie, name in mentions.items():
        if name is not None:
            checker.is_type(f"movieMentions.{movie}", name, str)
    for field in _question_fields():
        _check_questions(record[field], field, mentions, checker)
    if checker.is_type("messages", record["messages"], list):
        workers = (record["initiatorWorkerId"], record["respondentWorkerId"])
        for position, message in enumerate(record["messages"]):
            _check_message(message, f"messages[{position}]", workers, checker, known_messages)


def _check_questions(value: object, field: str, mentions: Mapping[str, object], checker: Checker) -> None:
    if value == []:
        return
    if not isinstance(value, dict):
        checker.is_type(field, value, dict)
        return
    for movie, answer in value.items():
        where = f"{field}.{movie}"
        if movie not in mentions:
            checker.problem(where, "not in movieMentions")
        if not checker.is_type(where, answer, dict) or not checker.keys(answer, tuple(_QUESTIONS)):
            continue
        for name, codes in _QUESTIONS.items():
            if checker.is_type(f"{where}.{name}", answer[name], int):
                checker.one_of(f"{where}.{name}", answer[name], codes)


def _check_message(
    message: object, where: str, workers: tuple[object, ...], checker: Checker, known: set[object]
) -> None:
    if not isinstance(message, dict):
        checker.is_type(where, message, dict)
        return
    variant = "turn_id" in message
    expected = ("senderWorkerId", "text", *_VARIANT) if variant else _MESSAGE
    if not checker.keys(message, expected):
        return
    checker.is_type(f"{where}.text", message["text"], str)
    if message["senderWorkerId"] not in workers:
        checker.problem(f"{where}.senderWorkerId", "neither the initiator nor the respondent")
    if variant:
        checker.is_type(f"{where}.turn_id", message["turn_id"], int)
        return
    checker.is_type(f"{where}.timeOffset", message["timeOffset"], int, float)
    if _key(message["messageId"]) in known:
        checker.problem(f"{where}.messageId", "occurs twice")
    known.add(_key(message["messageId"]))


def _dialogue(record: Record) -> Dialogue:
    questions = {role: record[f"{party}Questions"] or {} for role, party in _PARTIES}
    names = {movie: name if isinstance(name, str) else None for movie, name in (record["movieMentions"] or {}).items()}
    return Dialogue(
        id=str(record["conversationId"]),
        domain="movie",
        clock="offset",
        participants=tuple(Participant(str(record[f"{party}WorkerId"]), role) for role, party in _PARTIES),
        utterances=tuple(
            _utterance(message, position, record, names) for position, message in enumerate(record["messages"])
        ),
        entities=tuple(_label(movie, name, questions) for movie, name in names.items()),
    )


def _utterance(message: Record, position: int, record: Record, names: Mapping[str, str | None]) -> Utterance:
    offset = message.get("timeOffset")
    return Utterance(
        id=str(message.get("messageId", message.get("turn_id", position))),
        role="seeker" if message.get("senderWorkerId") == record["initiatorWorkerId"] else "recommender",
        text=message["text"],
        at=moment(offset * 1000) if isinstance(offset, int | float) else None,
        mentions=tuple(
            Mention(text=names.get(movie) or "", entity=movie) for movie in _MENTION.findall(message["text"])
        ),
        details={name: message[name] for name in _VARIANT if name in message},
    )


def _label(movie: str, name: str | None, questions: Mapping[Role, Mapping[str, Any]]) -> EntityLabel:
    def answers(question: str) -> dict[str, bool | None]:
        codes = {role: part[movie].get(question) for role, part in questions.items() if movie in part}
        return {role: bool(code) if code in (0, 1) else None for role, code in codes.items()}

    return EntityLabel(
        entity=movie,
        name=name,
        suggested={role: bool(value) for role, value in answers("suggested").items()},
        seen=answers("seen"),
        liked=answers("liked"),
    )


def _write(target: Path, records: Iterable[Record], style: JsonStyle) -> int:
    """One `json.dumps` a line."""
    count = 0
    with target.open("wb") as file:
        for record in records:
            file.write((style.line_end.encode() if count else b"") + style.dump(record))
            count += 1
        if style.final_newline and count:
            file.write(style.line_end.encode())
    return count


def _record(dialogue: Dialogue, number: int, running: Iterator[int], numbers: "_Numbers") -> Record:
    ids = numbers.of(dialogue)
    start = next((u.at for u in dialogue.utterances if u.at is not None), 0) if dialogue.clock == "absolute" else 0
    labels = {label.entity: label for label in dialogue.entities}
    workers = _workers(dialogue)
    names = {ids[key]: labels[key].name if key in labels else name for key, name in _names(dialogue).items()}
    return {
        "movieMentions": names,
        "respondentQuestions": _questions(labels, ids, "recommender"),
        "messages": [_message(u, next(running), start, ids, workers) for u in dialogue.utterances],
        "conversationId": dialogue.id if is_number(dialogue.id) else str(number),
        "respondentWorkerId": workers["recommender"],
        "initiatorWorkerId": workers["seeker"],
        "initiatorQuestions": _questions(labels, ids, "seeker"),
    }


def _workers(dialogue: Dialogue) -> dict[Role, int]:
    """The parties' numbers; one that has none gets the first that is free."""
    ids = {party.role: int(party.id) for party in dialogue.participants if is_number(party.id)}
    if len(set(ids.values())) < len(ids):
        ids = {}
    for role, _ in _PARTIES:
        ids.setdefault(role, next(number for number in itertools.count() if number not in ids.values()))
    return ids


def entity_key(mention: Mention) -> str:
    """What tells one entity from another within a dialogue: the format's id, else the Wikidata id, else the words."""
    return mention.entity or mention.qid or mention.text


def _names(dialogue: Dialogue) -> dict[str, str]:
    names = {label.entity: label.name or "" for label in dialogue.entities}
    for utterance in dialogue.utterances:
        for mention in utterance.mentions:
            names.setdefault(entity_key(mention), mention.text or entity_key(mention))
    return names


class _Numbers:
    """Numeric ids of movies, the same throughout a file."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def of(self, dialogue: Dialogue) -> dict[str, str]:
        """Every entity of a dialogue with its number: its own, that of its Wikidata or IMDb id, else a new one."""
        qids = {label.entity: label.qid for label in dialogue.entities}
        for utterance in dialogue.utterances:
            for mention in utterance.mentions:
                qids.setdefault(entity_key(mention), mention.qid)
        return {key: self._number(key, qids.get(key)) for key in _names(dialogue)}

    def _number(self, key: str, qid: Qid | None) -> str:
        found = _NUMBERED.fullmatch(qid or key) or _NUMBERED.fullmatch(key)
        return self._given.setdefault(key, found[1] if found else str(_FIRST_FREE + len(self._given)))


def _questions(labels: Mapping[str, EntityLabel], ids: Mapping[str, str], role: str) -> dict[str, Any] | list[Any]:
    def code(value: bool | None) -> int:
        return 2 if value is None else int(value)

    made = {
        ids[key]: {
            "suggested": int(label.suggested.get(role, False)),
            "seen": code(label.seen.get(role)),
            "liked": code(label.liked.get(role)),
        }
        for key, label in labels.items()
        if role in label.suggested or role in label.seen or role in label.liked
    }
    return made or []


def _message(
    utterance: Utterance, number: int, start: int, ids: Mapping[str, str], workers: Mapping[Role, int]
) -> Record:
    text = utterance.text
    for mention in utterance.mentions:
        movie = ids[entity_key(mention)]
        if f"@{movie}" not in text and mention.text:
            text = text.replace(mention.text, f"@{movie}", 1)
    return {
        "timeOffset": (utterance.at - start) // 1000 if utterance.at is not None else 0,
        "text": text,
        "senderWorkerId": workers[utterance.role],
        "messageId": int(utterance.id) if is_number(utterance.id) else number,
    }
