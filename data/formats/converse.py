"""The ConveRSE dataset: `{domain}/messages_{nl,mixed,buttons}.json`, one row a user message.

Source of the format: Iovine et al., "A Dataset of Real Dialogues for Conversational Recommender Systems" (2019), and
its six released files, which `dump_rows` reproduces to the byte.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from data.formats.base import numbered
from data.formats.encoding import head_of
from data.formats.jsontext import JsonStyle, read_array
from data.formats.model import Dialogue, Mention, Participant, Utterance, moment
from data.formats.problems import Checker, Report
from data.model import Polarity

Row = dict[str, Any]

STYLE = JsonStyle(indent=4, ascii_only=True, line_end="\r\n")
FIELDS: Mapping[str, type] = {
    "messageID": str,
    "userID": int,
    "message": str,
    "timestampStart": int,
    "timestampEnd": int,
    "intent": str,
    "contexts": str,
    "toCheck": bool,
    "recognizedObjects": str,
    "events": str,
    "pagerankCycle": int,
    "numberRecommendationList": int,
    "interactionType": str,
}
"""The 13 fields in their order, with their types."""

CONTEXTS = (
    "property_type_disambiguation",
    "preference-followup",
    "request_recommendation-preference-followup",
    "show_profile-reset-followup",
    "request_recommendation-followup",
    "show_profile-reset-reset_everything-followup",
    "show_profile-reset-reset_movies-followup",
    "confirmation",
    "show_profile-followup",
    "request_recommendation-critiquing-followup",
    "preference-disambiguation-followup",
    "show_profile-delete_preference-followup",
    "reset_profile-followup",
    "show_profile-reset-reset_properties-followup",
)
"""The context names in the order in which a row lists them."""

_TOLD_OTHERWISE = frozenset({"messageID", "userID", "message", "timestampStart", "recognizedObjects"})
EVENTS = frozenset(
    {"preference", "question", "disambiguation", "recommendation", "finished_recommendation", "suggestion"}
)
INTERACTION_TYPES = {"NL": "nl", "mixed": "mixed", "buttons": "buttons"}
"""`interactionType` to the part of the file name."""

_INTENT_ROOTS = ("preference", "request_recommendation", "show_profile", "reset", "reset_profile")
_SINGLE_INTENTS = frozenset({"start", "help", "skip", "Default Fallback Intent", "Default Welcome Intent"})
_OBJECT = re.compile(r"^Q\d+[+-]$")
_MESSAGE_ID = re.compile(r"^(\d+|mid\.\$.+)$")
_FOREIGN = re.compile(r'"(conversation ID|dialog_id)"')
_FILE_NAME = re.compile(r"^messages_(nl|mixed|buttons)\.json$")


def dump_rows(rows: Sequence[Row]) -> bytes:
    """The file for these rows, byte for byte as the dataset is published."""
    return STYLE.dump(rows)


def split(joined: str) -> tuple[str, ...]:
    """The parts of a field that joins a list with ", "."""
    return tuple(part for part in joined.split(", ") if part)


def by_user(rows: Iterable[Row]) -> dict[Any, list[Row]]:
    """The rows of each `userID` of one file, in order. Ids restart in each file."""
    users: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        users[row["userID"]].append(row)
    return dict(users)


def domain_of(path: Path) -> str:
    """The domain of a file: the name of its folder."""
    return path.resolve().parent.name


class ConverseFormat:
    """Reader, checker, writer and statistics of ConveRSE files."""

    name = "converse"
    suffix = ".json"
    one_file_each = False
    held = frozenset(
        {
            "seeker.text",
            "seeker.id",
            "domain.*",
            "mention.qid",
            "mention.outside_text",
            "mention.polarity",
            "utterance.id",
            "utterance.at",
            *(f"utterance.{name}" for name in FIELDS),
        }
    )

    def kind(self, path: Path) -> str | None:
        """By the keys of its first rows, else by its name, so that a broken file is still told."""
        if path.suffix != ".json":
            return None
        head = head_of(path, 8192)
        named = _FILE_NAME.match(path.name) and not _FOREIGN.search(head)
        return "dialogues" if named or '"recognizedObjects"' in head else None

    def read(self, path: Path, kind: str, report: Report) -> Iterator[Row]:  # noqa: ARG002 - one kind only
        """The rows of one file."""
        yield from read_array(path, report)

    def check(self, path: Path, kind: str, report: Report) -> Iterator[Row]:
        """Fields, order, types and values of each row; ids unique; rows in order of time."""
        ids: set[object] = set()
        expected = _FILE_NAME.match(path.name)
        before = 0
        for number, row in numbered(lambda told: self.read(path, kind, told), report):
            checker = Checker(path, str(number), report)
            if _check_shape(row, checker):
                _check_values(row, checker)
                if row["messageID"] in ids:
                    checker.problem("messageID", f"{row['messageID']} occurs twice")
                ids.add(row["messageID"])
                if row["timestampStart"] < before:
                    checker.problem("timestampStart", "earlier than the row before")
                before = row["timestampStart"]
                mode = INTERACTION_TYPES.get(row["interactionType"])
                if mode and expected and mode != expected[1]:
                    checker.problem("interactionType", f"{row['interactionType']} in a file named {path.name}")
            yield row

    def copy(self, source: Path, kind: str, target: Path, report: Report) -> int:
        """Reads and writes one file."""
        return STYLE.write_array(target, self.read(source, kind, report))

    def dialogues(self, path: Path, report: Report) -> Iterator[Dialogue]:
        """One dialogue a user, of the user's side only: the bot's answers are not recorded."""
        said = usable(path, self.read(path, "dialogues", report), report, ("userID", "message"))
        for user, rows in by_user(said).items():
            yield Dialogue(
                id=f"{path.parent.name}/{path.stem}/{user}",
                domain=domain_of(path),
                participants=(Participant(str(user), "seeker"),),
                utterances=tuple(map(_utterance, rows)),
            )

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        """Seeker messages as rows; where no intent is recorded it is the fallback's, and a person should look at it."""
        rows: list[Row] = []
        used: set[str] = set()
        count = 0
        for count, dialogue in enumerate(dialogues, 1):
            for utterance in dialogue.utterances:
                if utterance.role == "seeker":
                    known = utterance.id if _MESSAGE_ID.match(utterance.id) and utterance.id not in used else None
                    rows.append(_row(utterance, count, known or _next_id(used, len(rows))))
                    used.add(rows[-1]["messageID"])
        target.write_bytes(dump_rows(sorted(rows, key=lambda row: cast("int", row["timestampStart"]))))
        return count

    def statistics(self, files: Mapping[Path, str], report: Report) -> dict[str, Any]:
        """The paper's table by domain."""
        from data.formats.converse_statistics import domain_table

        domains: dict[str, dict[str, list[Row]]] = defaultdict(dict)
        for path in files:
            rows = self.read(path, "dialogues", report)
            domains[domain_of(path)][path.name] = list(usable(path, rows, report))
        return {"domains": {domain: domain_table(parts) for domain, parts in sorted(domains.items())}}


def usable(path: Path, rows: Iterable[Row], report: Report, needed: Iterable[str] = FIELDS) -> Iterator[Row]:
    """Rows that have the needed fields with their types, in any order; a user's id may be text. Others are reported."""
    for number, row in enumerate(rows, 1):
        wrong = [name for name in needed if not _is_of(row.get(name), FIELDS[name], name)]
        if wrong:
            Checker(path, str(number), report).problem(wrong[0], "missing or of another type", lost=True)
        else:
            yield row


def _is_of(value: object, kind: type, name: str) -> bool:
    return type(value) is kind or (name == "userID" and isinstance(value, str))


def _check_shape(row: Row, checker: Checker) -> bool:
    """All fields in their order and of their types."""
    well = checker.keys(row, tuple(FIELDS))
    if well and tuple(row) != tuple(FIELDS):
        checker.problem("", "fields are not in the published order")
    for name, kind in FIELDS.items():
        if name in row:
            well = checker.is_type(name, row[name], kind) and well
    return well


def _check_values(row: Row, checker: Checker) -> None:
    if not _MESSAGE_ID.match(row["messageID"]):
        checker.problem("messageID", f"{row['messageID'][:40]!r} is no message id")
    if row["timestampEnd"] < row["timestampStart"]:
        checker.problem("timestampEnd", "before timestampStart")
    if not is_intent(row["intent"]):
        checker.problem("intent", f"unknown intent {row['intent'][:60]!r}")
    _check_contexts(split(row["contexts"]), checker)
    for name in split(row["events"]):
        checker.one_of("events", name, EVENTS)
    for name in split(row["recognizedObjects"]):
        if not _OBJECT.match(name):
            checker.problem("recognizedObjects", f"{name[:40]!r} is not like Q42+ or Q42-")
    for name in ("pagerankCycle", "numberRecommendationList"):
        if row[name] < 0:
            checker.problem(name, "negative")
    checker.one_of("interactionType", row["interactionType"], frozenset(INTERACTION_TYPES))


def _check_contexts(contexts: Sequence[str], checker: Checker) -> None:
    unknown = [name for name in contexts if name not in CONTEXTS]
    for name in unknown:
        checker.problem("contexts", f"unknown context {name[:60]!r}")
    if not unknown and list(contexts) != sorted(contexts, key=CONTEXTS.index):
        checker.problem("contexts", "not in the published order")


def is_intent(name: str) -> bool:
    """Whether a name belongs to the published scheme (43 intents and the small-talk families)."""
    root = name.split(" - ", maxsplit=1)[0]
    return name in _SINGLE_INTENTS or root in _INTENT_ROOTS or re.match(r"^smalltalk(\.\w+){2,}$", name) is not None


def _utterance(row: Row) -> Utterance:
    mentions = tuple(
        Mention(qid=name[:-1], polarity=cast("Polarity", name[-1]))
        for name in split(str(row.get("recognizedObjects", "")))
        if _OBJECT.match(name)
    )
    details = {name: row[name] for name in FIELDS if name in row and name not in _TOLD_OTHERWISE}
    return Utterance(
        id=str(row.get("messageID", "")),
        role="seeker",
        text=row["message"],
        at=moment(row.get("timestampStart")),
        mentions=mentions,
        details=details,
    )


def _next_id(used: set[str], start: int) -> str:
    return next(str(number) for number in itertools.count(start + 1) if str(number) not in used)


def _row(utterance: Utterance, user: int, message_id: str) -> Row:
    details = utterance.details
    start = utterance.at or 0
    objects = ", ".join(f"{m.qid}{m.polarity}" for m in utterance.mentions if m.qid and m.polarity)
    return {
        "messageID": message_id,
        "userID": user,
        "message": utterance.text,
        "timestampStart": start,
        "timestampEnd": details.get("timestampEnd", start),
        "intent": details.get("intent", "Default Fallback Intent"),
        "contexts": details.get("contexts", ""),
        "toCheck": details.get("toCheck", True),
        "recognizedObjects": objects,
        "events": details.get("events", ""),
        "pagerankCycle": details.get("pagerankCycle", 0),
        "numberRecommendationList": details.get("numberRecommendationList", 0),
        "interactionType": details.get("interactionType", "NL"),
    }
