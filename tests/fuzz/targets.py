"""What is fed, each with good examples: readers may refuse an input with a ConverseError, and do nothing else."""

import gzip
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path

import telegram
from telegram import Update, User

from bot.channels.base import Link, Option, Reply
from bot.channels.telegram.reading import read_update
from bot.channels.telegram.rendering import LONGEST_CAPTION, LONGEST_TEXT, render
from bot.study.config import read_study
from data.building.rdf import read_triples
from data.building.wikidata_json import Interest, parse_line, reduce_entity, superclasses
from data.catalogue.files import read_entities
from data.domains import load_domains
from data.errors import ConverseError
from data.formats import FORMATS
from data.sparql.vocabulary import load_vocabulary
from nlu.intents.recognizer import _read as read_answer
from tests.data.formats import small
from tests.telegram_rules import parse_html, units

Check = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Target:
    """Something that takes input.

    Attributes:
        check: raises when an input is dealt with badly.
        examples: good inputs.
        share: of all inputs of a long run, in percent.
    """

    check: Check
    examples: Sequence[bytes]
    share: int


def on_disk(name: str, read: Callable[[Path], object]) -> Check:
    """A check that writes the input to a file and reads that."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / name

    def check(data: bytes, _keep: object = folder) -> None:
        path.write_bytes(data)
        with suppress(ConverseError):
            read(path)

    return check


def dataset(name: str) -> Target:
    """A published format: its files are detected, checked, and read as dialogues."""
    made = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        example = small.MAKERS[name](Path(folder))
        file, content = example.name, example.read_bytes()

    def read(path: Path) -> None:
        kind = made.kind(path) or "dialogues"
        for _ in made.check(path, kind, lambda _problem: None):
            pass
        for _ in made.dialogues(path, lambda _problem: None):
            pass

    return Target(on_disk(file, read), [content], 11)


CATALOGUE = b"""{"converse_catalogue": 1}
{"qid": "Q1", "label": "Heat", "kind": "film", "domain": "movie", "year": 1995, "relations": {"P57": ["Q2"]}}
{"qid": "Q2", "label": "Michael Mann", "kind": "person", "aliases": ["Mann"], "labels": {"it": "Michael Mann"}}
"""
TRIPLES = b"""@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
wd:Q1 wdt:P31 wd:Q11424 ; rdfs:label "Heat"@en ; wdt:P577 "1995-12-15" .
"""
STUDY = resources.files("bot.study").joinpath("new_study.yaml").read_bytes().replace(b"{name}", b"tastes")
ENTITY = json.dumps(
    {
        "id": "Q1",
        "labels": {"en": {"language": "en", "value": "Heat"}},
        "claims": {
            "P31": [{"rank": "normal", "mainsnak": {"snaktype": "value", "datavalue": {"value": {"id": "Q11424"}}}}],
            "P577": [{"rank": "normal", "mainsnak": {"datavalue": {"value": {"time": "+1995-12-15T00:00:00Z"}}}}],
        },
    }
).encode()
PERSON = {"id": 7, "is_bot": False, "first_name": "A", "language_code": "en"}
CHAT = {"id": 7, "type": "private"}
UPDATES = [
    {"update_id": 1, "message": {"message_id": 1, "date": 1, "chat": CHAT, "from": PERSON, "text": "/start@b x"}},
    {"update_id": 2, "message": {"message_id": 1, "date": 1, "chat": {"id": -5, "type": "group"}, "from": PERSON,
     "text": "@b hi", "entities": [{"type": "mention", "offset": 0, "length": 2}]}},
    {"update_id": 3, "callback_query": {"id": "q", "from": PERSON, "chat_instance": "1", "data": "pick:1:2",
     "message": {"message_id": 1, "date": 1, "chat": CHAT, "text": "x",
     "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "pick:1:2"}]]}}}},
]  # fmt: skip
ME = User(1, "B", True, username="b")


def check_update(data: bytes) -> None:
    """What the webhook does with a body: errors that it answers with 400 are refusals."""
    try:
        update = Update.de_json(json.loads(data), telegram.Bot("1:x"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return
    # Whatever is wrong inside is caught by the service, which logs it; what is read must be usable.
    with suppress(TypeError, AttributeError, ValueError, KeyError):
        read_update(update, ME, lambda: datetime(2026, 1, 1, tzinfo=UTC))


def check_rendering(data: bytes) -> None:
    """Any text becomes messages that Telegram takes and that show exactly that text."""
    text = data.decode("utf-8", "replace")
    half = len(text) // 2
    url = f"https://x.org/{text[:20]}"
    reply = Reply((text[:half], text[half:]), (Option("a:1", text[:30] or "x"),), url, (Link(text[:9] or "l", url),))
    for part in render(reply):
        shown, _ = parse_html(part.text)
        assert units(shown) <= (LONGEST_CAPTION if part.image else LONGEST_TEXT)
        assert part.text.strip() or part.image or part.attachment


def check_rasa(data: bytes) -> None:
    """Any JSON instead of Rasa's answer."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return
    with suppress(ConverseError):
        read_answer(answer, "http://rasa")


@cache
def interest() -> Interest:
    """What counts in a dump."""
    return Interest.of(load_domains(), load_vocabulary(), ("en",))


def check_entity(data: bytes) -> None:
    """One line of a dump: those that cannot be read raise ValueError, and who reads a dump counts them."""
    with suppress(ValueError):
        entity = parse_line(data)
        if entity is not None:
            reduce_entity(entity, interest())
            superclasses(entity)


def _study(path: Path) -> None:
    read_study(path.read_text(encoding="utf-8", errors="replace"), "study")


TARGETS: Mapping[str, Target] = {
    **{name: dataset(name) for name in FORMATS},
    "catalogue": Target(on_disk("c.jsonl", read_entities), [CATALOGUE], 7),
    "catalogue-gz": Target(on_disk("c.jsonl.gz", read_entities), [gzip.compress(CATALOGUE, mtime=0)], 5),
    "triples": Target(on_disk("c.ttl", lambda path: read_triples(path, ("Q11424",), ("en",))), [TRIPLES], 5),
    "dump-line": Target(check_entity, [ENTITY], 6),
    "study": Target(on_disk("s.yaml", _study), [STUDY], 5),
    "update": Target(check_update, [json.dumps(update).encode() for update in UPDATES], 6),
    "rendering": Target(check_rendering, [b'I like <Heat> & "Up" ' * 300, "è 😀 的\n".encode() * 700], 5),
    "rasa-answer": Target(check_rasa, [b'{"intent": {"name": "a", "confidence": 0.9}, "intent_ranking": []}'], 5),
}
__all__ = ["TARGETS", "Target"]
