"""The RecomMind dataset: one Japanese dialogue a file under `dialogues/`, one movie a file under `movies/`.

Source of the format: Kodama et al., "RecomMind: Movie Recommendation Dialogue with Seeker's Internal State" (2024), its
card and its files. Labels of knowledge and interest are first-person ("seeker") and second-person ("recommender").
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from data.formats.base import has_utterances, is_utterance
from data.formats.encoding import head_of
from data.formats.jsontext import JsonStyle, read_document, styled_like
from data.formats.model import STATE_LABELS, Dialogue, Mention, Participant, Role, Utterance, moment
from data.formats.problems import Checker, Report

Record = dict[str, Any]

STYLE = JsonStyle(indent=2, ascii_only=False)
FIELDS = ("dialog_id", "created_timestamp", "archived_timestamp", "recommender", "seeker", "utterances")
QUESTIONS = ("knowledge", "enjoyment", "recommendation_success", "movie_num")
"""Five-point questions asked of both parties."""
STATES: Mapping[str, str] = dict(zip(("あり", "どちらとも言えない", "なし", "不適切"), STATE_LABELS, strict=True))
"""The labels of knowledge and interest, with our names for them."""

_UTTERANCE = ("id", "speaker", "text", "timestamp", "internal_states")
_SEARCHES = ("searches", "checked")
_SEARCH = ("timestamp", "query", "genres", "results")
_HEAD = 1 << 18
"""More bytes than any published file has, so that keys may come in any order."""
_ROLES: tuple[Role, ...] = ("recommender", "seeker")
_MOVIE_PARTS = (
    "title", "summary", "year", "time", "director", "cast", "original", "theme_song", "country", "box_office",
    "genre", "review", "plot",
)  # fmt: skip
_MOVIE_LISTS = frozenset({"cast", "genre", "review", "plot"})
_STATE_NAMES = {name: label for label, name in STATES.items()}
_NOT_APPLICABLE = _STATE_NAMES["not applicable"]


class RecomMindFormat:
    """Reader, checker, writer and statistics of RecomMind folders."""

    name = "recommind"
    suffix = ".json"
    one_file_each = True
    held = frozenset(
        {
            "domain.movie",
            "seeker.text",
            "seeker.id",
            "recommender.text",
            "recommender.id",
            "questionnaire",
            "utterance.id",
            "utterance.at",
            "utterance.timestamp",
            "utterance.searches",
            "utterance.checked",
            "dialogue.created_timestamp",
            "dialogue.archived_timestamp",
            "mention.text",
            "mention.outside_text",
            "mention.knowledge",
            "mention.interest",
        }
    )

    def kind(self, path: Path) -> str | None:
        """By the first key of the file."""
        if path.suffix != ".json":
            return None
        head = head_of(path, _HEAD)
        if not head.lstrip("\ufeff \t\r\n").startswith("{"):
            return None
        if '"dialog_id"' in head and '"utterances"' in head:
            return "dialogues"
        return "movies" if all(f'"{name}"' in head for name in ("id", "title", "wiki_text")) else None

    def read(self, path: Path, kind: str, report: Report) -> Iterator[Record]:  # noqa: ARG002 - told apart in `check`
        """The one record of the file."""
        record = read_document(path, report)
        if isinstance(record, dict):
            yield record
        elif record is not None:
            Checker(path, "", report).problem("", "expected an object", lost=True)

    def check(self, path: Path, kind: str, report: Report) -> Iterator[Record]:
        """Fields, types, speakers, labels and five-point answers; the file is named after its id."""
        for record in self.read(path, kind, report):
            name = "dialog_id" if kind == "dialogues" else "id"
            checker = Checker(path, str(record.get(name, "")), report)
            if kind == "dialogues":
                _check_dialogue(record, checker)
            else:
                _check_movie(record, checker)
            if record.get(name) != path.stem:
                checker.problem(name, f"the file is named {path.name}")
            yield record

    def copy(self, source: Path, kind: str, target: Path, report: Report) -> int:
        """Reads and writes one file in the source's own layout."""
        style = styled_like(source, STYLE)
        records = list(self.read(source, kind, report))
        for record in records:
            target.write_bytes(style.dump(record) + (style.line_end.encode() if style.final_newline else b""))
        return len(records)

    def dialogues(self, path: Path, report: Report) -> Iterator[Dialogue]:
        """The one dialogue of the file."""
        for record in self.read(path, "dialogues", report):
            if _is_usable(record, path, report):
                yield _dialogue(record)

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        """One file a dialogue in the folder `target`, named after its id."""
        target.mkdir(parents=True, exist_ok=True)
        count = 0
        for dialogue in dialogues:
            record = _record(dialogue)
            count += 1
            (target / f"{record['dialog_id']}.json").write_bytes(STYLE.dump(record))
        return count

    def statistics(self, files: Mapping[Path, str], report: Report) -> dict[str, Any]:
        """Counts of dialogues, utterances by speaker, entities and labels, movies and mean answers."""
        found: Counter[str] = Counter()
        labels: Counter[str] = Counter()
        answers: dict[str, list[int]] = {}
        for path, kind in files.items():
            if kind == "movies":
                found["movies"] += 1
                continue
            for dialogue in self.dialogues(path, report):
                _count(dialogue, found, labels, answers)
        return {
            "dialogues": found["dialogues"],
            "utterances": found["recommender"] + found["seeker"],
            "recommender_utterances": found["recommender"],
            "seeker_utterances": found["seeker"],
            "entities": found["entities"],
            "searches": found["searches"],
            "movies": found["movies"],
            "labels": dict(sorted(labels.items())),
            "mean_answers": {name: round(sum(part) / len(part), 2) for name, part in sorted(answers.items())},
        }


def _check_dialogue(record: Record, checker: Checker) -> None:
    if not checker.keys(record, FIELDS):
        return
    for name in ("created_timestamp", "archived_timestamp"):
        _check_time(record[name], name, checker)
    for role in _ROLES:
        _check_party(record[role], role, checker)
    if not checker.is_type("utterances", record["utterances"], list):
        return
    ids: set[object] = set()
    for position, utterance in enumerate(record["utterances"]):
        where = f"utterances[{position}]"
        if checker.is_type(where, utterance, dict):
            _check_utterance(utterance, where, checker)
            if str(utterance.get("id")) in ids:
                checker.problem(f"{where}.id", "occurs twice")
            ids.add(str(utterance.get("id")))


def _check_party(party: object, role: str, checker: Checker) -> None:
    if not isinstance(party, dict) or not checker.keys(party, ("name", "questionnaire")):
        checker.is_type(role, party, dict)
        return
    answers = party["questionnaire"]
    if not isinstance(answers, dict) or not checker.keys(answers, QUESTIONS):
        checker.is_type(f"{role}.questionnaire", answers, dict)
        return
    for name in QUESTIONS:
        if answers[name] is not None and checker.is_type(f"{role}.questionnaire.{name}", answers[name], int):
            checker.one_of(f"{role}.questionnaire.{name}", answers[name], range(1, 6))


def _check_utterance(utterance: Record, where: str, checker: Checker) -> None:
    speaker = utterance.get("speaker")
    expected = (*_UTTERANCE, *_SEARCHES) if speaker == "recommender" else _UTTERANCE
    if not checker.keys(utterance, expected) or not checker.one_of(f"{where}.speaker", speaker, _ROLES):
        return
    checker.is_type(f"{where}.text", utterance["text"], str)
    _check_time(utterance["timestamp"], f"{where}.timestamp", checker)
    if checker.is_type(f"{where}.internal_states", utterance["internal_states"], list):
        for position, state in enumerate(utterance["internal_states"]):
            _check_state(state, f"{where}.internal_states[{position}]", checker)
    searches = utterance.get("searches", [])
    if checker.is_type(f"{where}.searches", searches, list):
        for position, search in enumerate(searches):
            if checker.is_type(f"{where}.searches[{position}]", search, dict):
                checker.keys(search, _SEARCH)


def _check_state(state: object, where: str, checker: Checker) -> None:
    if not isinstance(state, dict) or not checker.keys(state, ("id", "text", "knowledge", "interest")):
        checker.is_type(where, state, dict)
        return
    for name in ("knowledge", "interest"):
        labels = state[name]
        if checker.is_type(f"{where}.{name}", labels, dict) and checker.keys(labels, _ROLES):
            for role in _ROLES:
                checker.one_of(f"{where}.{name}.{role}", labels[role], tuple(STATES))


def _check_movie(record: Record, checker: Checker) -> None:
    if not checker.keys(record, ("id", *_MOVIE_PARTS)):
        return
    for name in _MOVIE_PARTS:
        parts = record[name] if name in _MOVIE_LISTS else [record[name]]
        if not checker.is_type(name, parts, list):
            continue
        for part in parts:
            if checker.is_type(name, part, dict) and not {"type", "text"} <= part.keys():
                checker.problem(name, "needs type and text")


def _check_time(value: object, field: str, checker: Checker) -> None:
    if checker.is_type(field, value, str) and _milliseconds(value) is None:
        checker.problem(field, f"{str(value)[:40]!r} is no ISO 8601 time")


def _milliseconds(value: object) -> int | None:
    try:
        return moment(datetime.fromisoformat(str(value)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _is_usable(record: Record, path: Path, report: Report) -> bool:
    """Whether a record can become a dialogue; says so when not, and when a part of it cannot."""
    return has_utterances(Checker(path, str(record.get("dialog_id", "")), report), record, "utterances", "text")


def _dialogue(record: Record) -> Dialogue:
    utterances = [part for part in record["utterances"] if is_utterance(part, "text")]
    return Dialogue(
        id=str(record.get("dialog_id", "")),
        domain="movie",
        participants=tuple(_participant(record.get(role), role) for role in _ROLES),
        utterances=tuple(_utterance(part) for part in utterances),
        details={name: record[name] for name in FIELDS[1:3] if name in record},
    )


def _participant(party: Any, role: Role) -> Participant:
    party = party if isinstance(party, dict) else {}
    answers = party.get("questionnaire")
    return Participant(str(party.get("name", "")), role, answers if isinstance(answers, dict) else {})


def _utterance(part: Record) -> Utterance:
    states = part.get("internal_states")
    return Utterance(
        id=str(part.get("id", "")),
        role="seeker" if part.get("speaker") == "seeker" else "recommender",
        text=part["text"],
        at=_milliseconds(part.get("timestamp")),
        mentions=tuple(_mention(state) for state in states if isinstance(state, dict))
        if isinstance(states, list)
        else (),
        details={name: part[name] for name in ("timestamp", *_SEARCHES) if name in part},
    )


def _mention(state: Record) -> Mention:
    def named(part: Any) -> dict[str, str]:
        return (
            {role: STATES.get(str(label), str(label)) for role, label in part.items()} if isinstance(part, dict) else {}
        )

    return Mention(
        text=str(state.get("text", "")),
        knowledge=named(state.get("knowledge")),
        interest=named(state.get("interest")),
    )


def _record(dialogue: Dialogue) -> Record:
    times = [utterance.at for utterance in dialogue.utterances if utterance.at is not None] or [0]
    return {
        "dialog_id": re.sub(r"[^\w.-]", "_", dialogue.id) or "dialogue",
        "created_timestamp": dialogue.details.get("created_timestamp", _iso(min(times))),
        "archived_timestamp": dialogue.details.get("archived_timestamp", _iso(max(times))),
        **{role: _party(dialogue.participant(role), role) for role in _ROLES},
        "utterances": _utterances(dialogue),
    }


def _party(party: Participant | None, role: str) -> Record:
    """A party; a question that was not asked has the answer null."""
    answers = party.questionnaire if party else {}
    return {"name": party.id if party else role, "questionnaire": {name: answers.get(name) for name in QUESTIONS}}


def _utterances(dialogue: Dialogue) -> list[Record]:
    made, running = [], 0
    for position, utterance in enumerate(dialogue.utterances):
        states = []
        for mention in utterance.mentions:
            states.append(_state(mention, running))
            running += 1
        record = {
            "id": str(position),
            "speaker": utterance.role,
            "text": utterance.text,
            "timestamp": utterance.details.get("timestamp", _iso(utterance.at or 0)),
            "internal_states": states,
        }
        if utterance.role == "recommender":
            record |= {name: utterance.details.get(name, []) for name in _SEARCHES}
        made.append(record)
    return made


def _state(mention: Mention, number: int) -> Record:
    """A polarity without labels is what the recommender understood: the second person's interest."""
    interest = dict(mention.interest)
    if mention.polarity and not interest:
        interest["recommender"] = "yes" if mention.polarity == "+" else "no"

    def labelled(part: Mapping[str, str]) -> dict[str, str]:
        return {role: _STATE_NAMES.get(part.get(role, ""), _NOT_APPLICABLE) for role in _ROLES}

    words = mention.text or mention.qid or mention.entity or ""
    return {"id": str(number), "text": words, "knowledge": labelled(mention.knowledge), "interest": labelled(interest)}


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="microseconds")


def _count(dialogue: Dialogue, found: Counter[str], labels: Counter[str], answers: dict[str, list[int]]) -> None:
    found["dialogues"] += 1
    for party in dialogue.participants:
        for name, value in party.questionnaire.items():
            if isinstance(value, int):
                answers.setdefault(f"{party.role}.{name}", []).append(value)
    for utterance in dialogue.utterances:
        found[utterance.role] += 1
        searches = utterance.details.get("searches")
        found["searches"] += len(searches) if isinstance(searches, list) else 0
        found["entities"] += len(utterance.mentions)
        for mention in utterance.mentions:
            labels.update(f"knowledge.{role}.{label}" for role, label in mention.knowledge.items())
            labels.update(f"interest.{role}.{label}" for role, label in mention.interest.items())
