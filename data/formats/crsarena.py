"""The CRSArena-Dial dataset: dialogues as a JSON list, votes as CSV, and dialogues merged with their vote.

Source of the format: Bernard et al., "CRS Arena: Crowdsourced Benchmarking of Conversational Recommender Systems"
(2024), and its files. In the files the utterance id is `{crs}-{user}_{n}`; that of the card, `{crs}_{user}_{n}`, is
accepted too.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from data.formats.base import has_utterances, is_utterance, numbered
from data.formats.csvtext import read_csv
from data.formats.dialoguekit import STYLE, conversation
from data.formats.encoding import head_of
from data.formats.jsontext import read_array, styled_like
from data.formats.model import Dialogue, Participant, Role, Utterance, Vote
from data.formats.problems import Checker, Report
from data.formats.rankings import Outcome, bradley_terry, elo

Record = dict[str, Any]

FIELDS = ("conversation ID", "agent", "user", "conversation", "metadata")
VOTE_FIELDS = ("session_id", "user_id", "crs1", "crs2", "vote", "feedback")
SENTIMENTS = ("satisfied", "frustrated")
TIE = "tie"
_UTTERANCE = ("participant", "utterance", "utterance ID")
_ROLES: Mapping[str, Role] = {"USER": "seeker", "AGENT": "recommender"}


class CrsArenaFormat:
    """Reader, checker, writer and statistics of CRSArena-Dial files."""

    name = "crsarena"
    suffix = ".json"
    one_file_each = False
    held = frozenset(
        {
            "domain.movie",
            "seeker.text",
            "seeker.id",
            "recommender.text",
            "recommender.id",
            "utterance.id",
            "satisfaction",
            "votes",
        }
    )

    def kind(self, path: Path) -> str | None:
        """By the first keys of the file or the header of the CSV."""
        head = head_of(path, 65_536) if path.suffix in {".csv", ".json"} else ""
        if path.suffix == ".csv":
            header = head.partition("\n")[0]
            return "votes" if all(name in header for name in VOTE_FIELDS[:4]) else None
        return "dialogues" if '"conversation ID"' in head and '"agent"' in head else None

    def read(self, path: Path, kind: str, report: Report) -> Iterator[Record]:
        """The dialogues or votes of one file."""
        if kind == "votes":
            yield from _read_votes(path, report)
            return
        yield from read_array(path, report)

    def check(self, path: Path, kind: str, report: Report) -> Iterator[Record]:
        """Fields, types, participants, ids built from their parts, and votes for one of the two."""
        ids: set[object] = set()
        for number, record in numbered(lambda told: self.read(path, kind, told), report):
            checker = Checker(path, str(number), report)
            if kind == "votes":
                _check_vote(record, checker)
            elif checker.keys(record, FIELDS, ("vote_result",)):
                _check_dialogue(record, checker)
                if str(record["conversation ID"]) in ids:
                    checker.problem("conversation ID", "occurs twice")
                ids.add(str(record["conversation ID"]))
            yield record

    def copy(self, source: Path, kind: str, target: Path, report: Report) -> int:
        """Reads and writes one file in the source's own layout and key order."""
        if kind == "votes":
            records = list(self.read(source, kind, report))
            _write_votes(target, records, "\r\n" if b"\r\n" in source.read_bytes() else "\n")
            return len(records)
        return styled_like(source, STYLE).write_array(target, self.read(source, kind, report))

    def dialogues(self, path: Path, report: Report) -> Iterator[Dialogue]:
        """The dialogues, each with the votes of its user on its system when a votes file lies beside."""
        votes = _votes_beside(path, report)
        for record in self.read(path, "dialogues", report):
            if _is_usable(record, path, report):
                yield _dialogue(record, votes)

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        """The dialogues, and a votes file beside when there are votes."""
        records: list[Record] = []
        votes: list[Vote] = []
        pairs: set[str] = set()
        for dialogue in dialogues:
            records.append(_record(dialogue, pairs))
            votes += [vote for vote in dialogue.votes if vote not in votes]
        target.write_bytes(STYLE.dump(records))
        if votes:
            rows = [dict(zip(VOTE_FIELDS, _vote_values(vote), strict=True)) for vote in votes]
            _write_votes(target.with_name(f"votes_{target.stem}.csv"), rows)
        return len(records)

    def statistics(self, files: Mapping[Path, str], report: Report) -> dict[str, Any]:
        """Dialogues and satisfaction by system, and rankings of the systems from the votes, in order of time."""
        systems: Counter[str] = Counter()
        satisfied: Counter[str] = Counter()
        found: Counter[str] = Counter()
        users: set[str] = set()
        cast_votes: list[tuple[str, Outcome]] = []
        for path, kind in files.items():
            for record in self.read(path, kind, report):
                if kind == "votes":
                    cast_votes += [(str(record.get("session_id")), outcome) for outcome in _outcome(record)]
                elif isinstance(record.get("conversation"), list):
                    dialogue = _dialogue(record, {})
                    system = _party(dialogue, "recommender")
                    systems[system] += 1
                    satisfied[system] += dialogue.satisfaction == "satisfied"
                    users.add(_party(dialogue, "seeker"))
                    found["utterances"] += len(dialogue.utterances)
                    found["no_agent_turn"] += not any(u.role == "recommender" for u in dialogue.utterances)
        votes = [outcome for _, outcome in sorted(cast_votes)]
        return {
            "dialogues": systems.total(),
            "utterances": found["utterances"],
            "users": len(users),
            "dialogues_without_agent_turn": found["no_agent_turn"],
            "dialogues_by_crs": dict(sorted(systems.items())),
            "percent_satisfied": {
                name: round(100 * satisfied[name] / count, 1) for name, count in sorted(systems.items())
            },
            "votes": len(votes),
            "ties": sum(score == 0.5 for _, _, score in votes),
            "elo": elo(votes),
            "bradley_terry": bradley_terry(votes),
        }


def _read_votes(path: Path, report: Report) -> Iterator[Record]:
    rows = read_csv(path, report)
    header = next(rows, [])
    for row in filter(None, rows):
        spare = {"": row[len(header) :]} if len(row) > len(header) else {}
        yield {**dict.fromkeys(header), **dict(zip(header, row, strict=False)), **spare}


def _write_votes(target: Path, rows: Iterable[Record], line_end: str = "\r\n") -> None:
    with target.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.DictWriter(file, VOTE_FIELDS, extrasaction="ignore", lineterminator=line_end)
        writer.writeheader()
        writer.writerows(rows)


def _check_vote(row: Record, checker: Checker) -> None:
    if not checker.keys(row, VOTE_FIELDS):
        return
    if any(row[name] is None for name in VOTE_FIELDS):
        checker.problem("", "too few columns")
        return
    for name in ("session_id", "user_id", "crs1", "crs2"):
        if not row[name]:
            checker.problem(name, "empty")
    if row["crs1"] == row["crs2"]:
        checker.problem("crs2", "the same as crs1")
    checker.one_of("vote", row["vote"], (row["crs1"], row["crs2"], TIE))


def _check_dialogue(record: Record, checker: Checker) -> None:
    parties = {}
    for name, kind in (("agent", "AGENT"), ("user", "USER")):
        party = record[name]
        if checker.is_type(name, party, dict) and checker.keys(party, ("id", "type")):
            checker.one_of(f"{name}.type", party["type"], (kind,))
            parties[name] = party["id"]
    if checker.is_type("metadata", record["metadata"], dict):
        checker.one_of("metadata.sentiment", record["metadata"].get("sentiment", SENTIMENTS[0]), SENTIMENTS)
    if not checker.is_type("conversation", record["conversation"], list) or len(parties) < 2:
        return
    if record["conversation ID"] != f"{parties['agent']}_{parties['user']}":
        checker.problem("conversation ID", "not made of the agent's and the user's id")
    for number, utterance in enumerate(record["conversation"]):
        ids = tuple(f"{parties['agent']}{sign}{parties['user']}_{number}" for sign in ("-", "_"))
        _check_utterance(utterance, number, ids, checker)


def _check_utterance(utterance: object, number: int, expected_ids: tuple[str, ...], checker: Checker) -> None:
    where = f"conversation[{number}]"
    if not isinstance(utterance, dict) or not checker.keys(utterance, _UTTERANCE):
        checker.is_type(where, utterance, dict)
        return
    checker.one_of(f"{where}.participant", utterance["participant"], tuple(_ROLES))
    checker.is_type(f"{where}.utterance", utterance["utterance"], str)
    if utterance["utterance ID"] not in expected_ids:
        checker.problem(f"{where}.utterance ID", f"expected {expected_ids[0]}")


def _votes_beside(path: Path, report: Report) -> dict[str, list[Vote]]:
    """The votes by user of the file `votes_X.csv` beside `…_X.json`."""
    part = path.stem.rsplit("_", maxsplit=1)[-1]
    votes: dict[str, list[Vote]] = {}
    for name in (f"votes_{part}.csv", f"votes_{path.stem}.csv"):
        beside = path.with_name(name)
        for row in _read_votes(beside, report) if beside.is_file() else ():
            if all(isinstance(row.get(field), str) for field in VOTE_FIELDS):
                vote = Vote(*(row[field] for field in VOTE_FIELDS))
                votes.setdefault(vote.user, []).append(vote)
    return votes


def _is_usable(record: Record, path: Path, report: Report) -> bool:
    """Whether a record can become a dialogue; says so when not, and when a part of it cannot."""
    return has_utterances(
        Checker(path, str(record.get("conversation ID", "")), report), record, "conversation", "utterance"
    )


def _dialogue(record: Record, votes: Mapping[str, list[Vote]]) -> Dialogue:
    agent, user = (_id(record.get(name)) for name in ("agent", "user"))
    metadata = record.get("metadata")
    parts = [part for part in record["conversation"] if is_utterance(part, "utterance")]
    return Dialogue(
        id=str(record.get("conversation ID", "")),
        domain="movie",
        participants=(Participant(user, "seeker"), Participant(agent, "recommender")),
        utterances=tuple(
            Utterance(
                str(part.get("utterance ID", "")), _ROLES.get(str(part.get("participant")), "seeker"), part["utterance"]
            )
            for part in parts
        ),
        satisfaction=metadata.get("sentiment") if isinstance(metadata, dict) else None,
        votes=tuple(vote for vote in votes.get(user, ()) if agent in (vote.first, vote.second)),
        details={"vote_result": record["vote_result"]} if "vote_result" in record else {},
    )


def _id(party: object) -> str:
    return str(party.get("id", "")) if isinstance(party, dict) else ""


def _party(dialogue: Dialogue, role: Role) -> str:
    party = dialogue.participant(role)
    return party.id if party else ""


def _record(dialogue: Dialogue, pairs: set[str]) -> Record:
    """The dialogue; a user's second one with the same agent gets the dialogue's id added, so that ids stay unique."""
    agent = _party(dialogue, "recommender") or "recommender"
    user = _party(dialogue, "seeker") or dialogue.id
    if f"{agent}_{user}" in pairs:
        user = f"{user}-{dialogue.id}"
    pairs.add(f"{agent}_{user}")
    made = conversation(dialogue, agent, user)
    for number, utterance in enumerate(made["conversation"]):
        for name in utterance.keys() - set(_UTTERANCE):
            del utterance[name]
        utterance["utterance ID"] = f"{agent}-{user}_{number}"
    sentiment = dialogue.satisfaction
    made["metadata"] = {"sentiment": sentiment} if sentiment else {}
    return {"conversation ID": f"{agent}_{user}"} | {name: made[name] for name in FIELDS[1:]}


def _vote_values(vote: Vote) -> tuple[str, ...]:
    return vote.session, vote.user, vote.first, vote.second, vote.choice, vote.feedback


def _outcome(row: Record) -> list[Outcome]:
    """The vote as (first, second, score of the first); none when it is not for one of the two."""
    first, second, vote = row.get("crs1"), row.get("crs2"), row.get("vote")
    scores = {first: 1.0, second: 0.0, TIE: 0.5}
    if not isinstance(first, str) or not isinstance(second, str) or vote not in scores:
        return []
    return [(first, second, scores[vote])]
