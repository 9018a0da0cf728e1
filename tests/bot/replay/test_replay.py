"""The replay: state rebuilt from rows, agreement counted, both replays on a small conversation of our own."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.dialogue.manager import DialogueManager
from bot.dialogue.state import DialogueState, Phase
from bot.errors import ConverseError
from bot.replay.agreement import Ours, compared
from bot.replay.following import Follower
from bot.replay.free import MemoryStore
from bot.replay.rows import Conversation, conversations
from bot.replay.running import replay
from data.catalogue import Catalogue
from data.domains import DomainConfig
from nlu.understanding import Understander
from recommender.model import Recommender
from tests.dialogues.test_dialogues import ticking

TITANIC, ALIEN = "Q44578", "Q103569"
PREFERENCE, SHOWN = "preference-followup", "request_recommendation-followup"
RATED = "request_recommendation-preference-followup, request_recommendation-followup"


def row(
    message: str,
    intent: str,
    events: str,
    contexts: str = "",
    objects: str = "",
    *,
    check: bool = False,
    lists: int = 0,
) -> dict[str, Any]:
    return {
        "messageID": "1",
        "userID": 1,
        "message": message,
        "timestampStart": 1000,
        "timestampEnd": 2000,
        "intent": intent,
        "contexts": contexts,
        "toCheck": check,
        "recognizedObjects": objects,
        "events": events,
        "pagerankCycle": lists,
        "numberRecommendationList": lists,
        "interactionType": "mixed",
    }


ROWS = (
    row("/start", "start", "", check=True),
    row("I like Titanic", "preference", "preference", PREFERENCE, f"{TITANIC}+"),
    row("suggest something", "request_recommendation", "question, recommendation", f"{PREFERENCE}, {SHOWN}", lists=1),
    row(
        "I like it",
        "request_recommendation - preference",
        "recommendation, question, preference",
        RATED,
        f"{ALIEN}+",
        lists=1,
    ),
    row("why?", "request_recommendation - why", "recommendation, question", RATED, lists=1),
    row("I like Dune", "request_recommendation - skip", "recommendation, question", SHOWN, lists=1),
)
CONVERSATION = Conversation("movie/messages_mixed.json", "movie", "mixed", "1", ROWS)


def states() -> list[DialogueState]:
    follower = Follower(CONVERSATION, tuple(f"Q{number}" for number in range(1, 7)))
    found = []
    for index, one in enumerate(ROWS):
        found.append(follower.before(index))
        follower.after(one, None)
    return found


def test_the_state_before_a_row_comes_from_the_rows_before_it() -> None:
    found = states()
    assert [state.phase for state in found[:3]] == [Phase.IDLE] * 3
    assert [state.position for state in found] == [None, None, None, 0, 1, 1]
    assert found[3].recommendations[0] == ALIEN
    assert ALIEN not in found[4].recommendations
    assert set(found[3].contexts) == {PREFERENCE, SHOWN}


def test_questions_do_not_count_on_preference_rows() -> None:
    ours = Ours(
        "preference", frozenset({PREFERENCE}), frozenset({"preference", "question"}), frozenset({(TITANIC, "+")})
    )
    assert all(agrees for _, _, agrees in compared(ROWS[1], ours, {TITANIC}).values())
    assert "objects" not in compared(ROWS[1], ours, set())
    other = Ours("preference", frozenset(), frozenset({"preference", "recommendation"}), frozenset({(TITANIC, "-")}))
    assert [agrees for _, _, agrees in compared(ROWS[1], other, {TITANIC}).values()] == [True, False, False, False]


async def test_both_replays_of_a_small_dataset(
    tmp_path: Path,
    understander: Understander,
    recommender: Recommender,
    catalogue: Catalogue,
    domains: Mapping[str, DomainConfig],
) -> None:
    (tmp_path / "movie").mkdir()
    (tmp_path / "movie" / "messages_mixed.json").write_text(json.dumps(list(ROWS)), "utf-8")
    bot = DialogueManager(MemoryStore(), understander, recommender, catalogue, domains, clock=ticking(), rng=_random())
    ticks: list[None] = []
    document = (await replay(bot, conversations(tmp_path), lambda: ticks.append(None))).document()
    assert len(ticks) == 2 * len(ROWS)
    assert document["trusted"]["n"] == 5
    assert document["all"]["n"] == 6
    assert document["trusted"]["intent"] == 0.8  # the last row is mislabelled on purpose
    assert document["trusted"]["objects"] == 1.0
    assert document["fallback_share"] == 0.0
    assert document["nothing_recognised_share"] == 0.0
    assert set(document["by_file"]) == {"movie/messages_mixed.json"}


def _random() -> Any:
    from random import Random

    return Random(0)


@pytest.mark.parametrize("content", [None, "[]", "{}", "not json"])
def test_a_folder_without_readable_rows_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "movie").mkdir()
        (tmp_path / "movie" / "messages_nl.json").write_text(content, "utf-8")
    with pytest.raises(ConverseError):
        conversations(tmp_path)
