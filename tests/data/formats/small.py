"""Small files of our own in each format, with the quirks that the published ones show."""

import csv
import json
from pathlib import Path
from typing import Any


def converse_row(number: int = 1, **changes: Any) -> dict[str, Any]:
    row = {
        "messageID": str(number),
        "userID": 1,
        "message": "I like Alien",
        "timestampStart": 1_500_000_000_000 + number * 1000,
        "timestampEnd": 1_500_000_000_500 + number * 1000,
        "intent": "preference",
        "contexts": "preference-followup",
        "toCheck": False,
        "recognizedObjects": "Q103569+",
        "events": "preference",
        "pagerankCycle": 0,
        "numberRecommendationList": 0,
        "interactionType": "NL",
    }
    return row | changes


def converse(folder: Path, rows: list[dict[str, Any]] | None = None, name: str = "messages_nl.json") -> Path:
    path = folder / "movie" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    made = rows if rows is not None else [converse_row(1), converse_row(2, message="caffè è", recognizedObjects="")]
    path.write_bytes(json.dumps(made, indent=4).replace("\n", "\r\n").encode())
    return path


def redial_dialogue(number: int = 1) -> dict[str, Any]:
    return {
        "movieMentions": {"7": "Alien (1979)", "8": "Solaris", "9": None},
        "respondentQuestions": [],
        "messages": [
            {"timeOffset": 0, "text": "Hello, I liked @7", "senderWorkerId": 3, "messageId": number * 10},
            {"timeOffset": 4, "text": "Try @8 – “slow”", "senderWorkerId": 5, "messageId": number * 10 + 1},
        ],
        "conversationId": str(number),
        "respondentWorkerId": 5,
        "initiatorWorkerId": 3,
        "initiatorQuestions": {
            "7": {"suggested": 0, "seen": 1, "liked": 1},
            "8": {"suggested": 1, "seen": 0, "liked": 2},
        },
    }


def redial(folder: Path, count: int = 3, final_newline: bool = True) -> Path:
    path = folder / "train_data.jsonl"
    text = "\n".join(json.dumps(redial_dialogue(number)) for number in range(1, count + 1))
    path.write_text(text + "\n" * final_newline, encoding="utf-8")
    return path


def recommind(folder: Path) -> Path:
    state = {
        "id": "0",
        "text": "ホラー",
        "knowledge": {"recommender": "あり", "seeker": "なし"},
        "interest": {"recommender": "どちらとも言えない", "seeker": "不適切"},
    }
    answers = {"knowledge": 1, "enjoyment": 5, "recommendation_success": 5, "movie_num": 2}
    when = "2023-02-22T18:02:08.077777+09:00"
    dialogue = {
        "dialog_id": "one",
        "created_timestamp": when,
        "archived_timestamp": when,
        "recommender": {"name": "037", "questionnaire": answers},
        "seeker": {"name": "003", "questionnaire": answers},
        "utterances": [
            {
                "id": "0",
                "speaker": "recommender",
                "text": "こんばんは",
                "timestamp": when,
                "internal_states": [],
                "searches": [{"timestamp": when, "query": "ホラー", "genres": "[]", "results": "['12']"}],
                "checked": ["12_title"],
            },
            {"id": "1", "speaker": "seeker", "text": "ホラーは苦手", "timestamp": when, "internal_states": [state]},
        ],
    }
    path = folder / "dialogues" / "train" / "one.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(dialogue, indent=2, ensure_ascii=False), encoding="utf-8")
    return path


def crsarena(folder: Path) -> Path:
    dialogues = [
        {
            "conversation ID": f"{crs}_u{user}",
            "agent": {"id": crs, "type": "AGENT"},
            "user": {"id": f"u{user}", "type": "USER"},
            "metadata": {"sentiment": "satisfied" if crs == "good" else "frustrated"},
            "conversation": [
                {"participant": "USER", "utterance": "Something with “sharks”", "utterance ID": f"{crs}-u{user}_0"},
                {"participant": "AGENT", "utterance": "Jaws", "utterance ID": f"{crs}-u{user}_1"},
            ],
        }
        for user in range(3)
        for crs in ("good", "bad")
    ]
    path = folder / "crs_arena_dial_open.json"
    path.write_text(json.dumps(dialogues, indent=4), encoding="utf-8")
    rows = [
        ["2024-09-08 23:01:0" + str(user), f"u{user}", "good", "bad", vote, feedback]
        for user, (vote, feedback) in enumerate([("good", 'it said "hi", then more'), ("tie", ""), ("good", "")])
    ]
    with (folder / "votes_open.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["session_id", "user_id", "crs1", "crs2", "vote", "feedback"], *rows])
    return path


def reddit_row(conversation: str = "t3_rt7enj_0/14", order: int = 0, **changes: Any) -> dict[str, Any]:
    row = {
        "conv_id": conversation,
        "turn_id": f"t{3 if order == 0 else 1}_x{order}",
        "turn_order": order,
        "user_id": f"t2_u{order}",
        "is_seeker": order == 0,
        "utc_time": 1641234238 + order,
        "upvotes": "" if order == 0 else 6,
        "processed": repr(["USER" if order == 0 else "SYSTEM", "They love tt3501632 so far— it's “funny”!\nReally"]),
        "raw": repr(["USER" if order == 0 else "SYSTEM", "They love Thor: Ragnarok so far— it's “funny”!\nReally"]),
        "context_processed": repr([["USER", "It's summer"]] * order),
        "context_raw": repr([["USER", 'A "break"']] * order),
        "context_turn_ids": repr(["t3_x0"] * order),
    }
    return row | changes


def reddit_movie(folder: Path, rows: list[dict[str, Any]] | None = None) -> Path:
    path = folder / "train.csv"
    made = rows or [reddit_row(conversation, order) for conversation in ("t3_a_0/3", "t3_b_0/2") for order in range(3)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(made[0]))
        writer.writeheader()
        writer.writerows(made)
    (folder / "id2name.json").write_text('{"tt3501632": "Thor: Ragnarok (2017)"}', encoding="utf-8")
    return path


MAKERS = {
    "converse": converse,
    "redial": redial,
    "recommind": recommind,
    "crsarena": crsarena,
    "reddit-movie": reddit_movie,
}
