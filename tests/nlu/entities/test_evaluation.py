"""What counts as a row, as right and as wrong."""

from collections.abc import Mapping
from typing import Any

import pytest

from data.catalogue import Catalogue
from data.model import Entity
from nlu.entities.evaluation import evaluate, mislabelled, total
from nlu.model import Candidate, Context, Linking, Mention

HARBOUR = Entity("Q1", "The Silent Harbour", "film", "movie", aliases=("Harbour of Silence",))
OTHER = Entity("Q2", "Midnight Orchard", "film", "movie")


def row(
    message: str, objects: str = "", intent: str = "preference", to_check: bool = False, events: str = ""
) -> dict[str, Any]:
    return {
        "message": message,
        "recognizedObjects": objects,
        "intent": intent,
        "toCheck": to_check,
        "userID": 1,
        "interactionType": "NL",
        "events": events,
    }


class Linker:
    """Finds what the test says it finds in a message: candidates and whether the first is accepted."""

    def __init__(self, found: Mapping[str, tuple[tuple[str, ...], bool]]) -> None:
        self.found = found

    async def link(self, text: str, context: Context) -> Linking:
        if text not in self.found:
            return Linking()
        qids, accepted = self.found[text]
        candidates = tuple(Candidate(qid, qid, "film", "movie", None, 0.5) for qid in qids)
        return Linking((Mention(0, len(text), text, candidates, accepted=qids[0] if accepted else None),))


async def figures(words, rows, found) -> dict[str, Any]:
    clean, every = await evaluate(Linker(found), Catalogue((HARBOUR, OTHER)), words, [("movie", one) for one in rows])
    return {"clean": total(list(clean.values())).figures(), "every": total(list(every.values())).figures()}


async def test_shares_are_taken_over_trusted_rows_with_one_known_object(words):
    rows = [
        row("I like the silent harbour", "Q1+"),
        row("I like silent harbour", "Q1+"),
        row("I love the silent harbor", "Q1+"),
        row("I hate the silent harbour", "Q1-"),
        row("I like both", "Q1+, Q2+"),
        row("I like nobody knows", "Q777+"),
        row("I like the silent harbour!", "Q1+", to_check=True),
        row("the silent harbour", "Q1+", intent="preference - disambiguation"),
    ]
    found = {
        "I like the silent harbour": (("Q1",), True),
        "I like silent harbour": (("Q2", "Q1"), False),
        "I love the silent harbor": (("Q2",), True),
    }

    clean = (await figures(words, rows, found))["clean"]

    assert (clean["n"], clean["accepted_or_offered"]) == (4, 0.5)
    assert (clean["accepted"], clean["accepted_right"]) == (0.5, 0.5)


async def test_rows_whose_record_is_not_what_the_text_names_count_only_in_all_rows(words):
    rows = [row("I like the silent harbour", "Q1+"), row("I like midnight orchard", "Q1+")]

    counted = await figures(words, rows, {"I like midnight orchard": (("Q2",), True)})

    assert (counted["clean"]["n"], counted["every"]["n"]) == (1, 2)
    assert counted["every"]["accepted_right"] == 0.0


async def test_mentions_in_messages_that_name_nothing_are_false(words):
    rows = [
        row("skip", intent="skip"),
        row("hello", intent="smalltalk.greetings.hello"),
        row("I love the silent harbour", intent="smalltalk.user.loves_agent"),
        row("the silent harbour", intent="preference - disambiguation"),
    ]
    found = {"hello": (("Q1",), False), "I love the silent harbour": (("Q1",), True)}

    clean = (await figures(words, rows, found))["clean"]

    assert (clean["nameless_messages"], clean["false_mentions_share"]) == (2, 0.5)


async def test_answer_to_options_on_offer_may_name_one(words):
    asked = row("I like harbours", events="disambiguation, preference, question")
    rows = [asked, row("hello", intent="smalltalk.greetings.hello"), row("hello", intent="smalltalk.greetings.hello")]

    clean = (await figures(words, rows, {"hello": (("Q1",), True)}))["clean"]

    assert (clean["nameless_messages"], clean["false_mentions_share"]) == (1, 1.0)


async def test_title_that_was_taken_for_small_talk_names_something(words):
    rows = [row("Midnight Orchard!", intent="smalltalk.agent.beautiful")]

    assert (await figures(words, rows, {"Midnight Orchard!": (("Q2",), True)}))["clean"]["nameless_messages"] == 0


async def test_nothing_counted_gives_no_share(words):
    assert (await figures(words, [], {}))["clean"]["accepted"] is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("I like the silent harbour", False),
        ("i liek silnet harbor", False),
        ("harbour of silence", False),
        ("I like Inception and the silent harbour", False),
        ("I like harbour", False),
        ("I like midnight orchard", True),
        ("I like the silent harbour 2", True),
        ("I like loud places", True),
    ],
)
def test_rule_for_wrong_records(words, text, wrong):
    assert mislabelled(text, HARBOUR, words, {"inception", "midnightorchard"}) is wrong


def test_part_of_a_name_counts_only_when_nobody_else_has_it(words):
    assert not mislabelled("I like harbour", HARBOUR, words, set())
    assert mislabelled("I like harbour", HARBOUR, words, {"harbour"})
