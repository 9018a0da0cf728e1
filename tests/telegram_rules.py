"""What Telegram accepts and what it refuses, for the Bot API server of the tests."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

TAGS = {
    "a",
    "b",
    "strong",
    "i",
    "em",
    "u",
    "ins",
    "s",
    "strike",
    "del",
    "code",
    "pre",
    "tg-spoiler",
    "blockquote",
    "span",
}


class ApiError(Exception):
    """What the server answers instead of a result."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code, self.description, self.parameters = code, description, parameters


@dataclass
class Message:
    """A message that the bot sent."""

    chat: int
    id: int
    kind: str
    text: str
    buttons: list[list[dict[str, Any]]] = field(default_factory=list)
    photo: str | None = None
    file: bytes | None = None
    links: list[str] = field(default_factory=list)

    @property
    def labels(self) -> list[str]:
        return [button["text"] for row in self.buttons for button in row]


@dataclass
class Fault:
    """What happens to a call instead of its result: an error, a dropped connection or a delay before the answer."""

    error: ApiError | None = None
    drop: bool = False
    delay: float = 0.0
    after: bool = False
    """Whether the call takes effect first."""


class _Html(HTMLParser):
    """Telegram's HTML: known tags only, well nested, known entities only."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.text, self.open, self.links = "", [], []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            raise ApiError(400, f'Bad Request: can\'t parse entities: Unsupported start tag "{tag}"')
        if tag == "a":
            self.links.append(dict(attrs).get("href") or "")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise ApiError(400, f'Bad Request: can\'t parse entities: Unexpected end tag "{tag}"')

    def handle_data(self, data: str) -> None:
        if "<" in data:
            raise ApiError(400, "Bad Request: can't parse entities: Unclosed start tag")
        self.text += data

    def handle_entityref(self, name: str) -> None:
        known = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
        self.text += known.get(name, f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.text += chr(int(name[1:], 16) if name[0] in "xX" else int(name))


def parse_html(text: str) -> tuple[str, list[str]]:
    parser = _Html()
    parser.feed(text)
    parser.close()
    if parser.open:
        raise ApiError(
            400, f"Bad Request: can't parse entities: Can't find end tag corresponding to \"{parser.open[-1]}\""
        )
    return parser.text, parser.links


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def check_keyboard(rows: list[list[dict[str, Any]]]) -> None:
    if sum(len(row) for row in rows) > 100:
        raise ApiError(400, "Bad Request: reply markup is too long")
    for button in (button for row in rows for button in row):
        if not button.get("text"):
            raise ApiError(400, "Bad Request: button text is empty")
        if "url" not in button and not 1 <= len(button.get("callback_data", "").encode()) <= 64:
            raise ApiError(400, "Bad Request: BUTTON_DATA_INVALID")


def as_json(message: Message) -> dict[str, Any]:
    content: dict[str, Any] = {"text": message.text}
    if message.kind == "photo":
        size = {"file_id": f"file-{message.photo}", "file_unique_id": "x", "width": 1, "height": 1}
        content = {"photo": [size], "caption": message.text}
    if message.kind == "document":
        content = {"document": {"file_id": "x", "file_unique_id": "x"}}
    return {"message_id": message.id, "date": 1_700_000_000, **content}


def entities_of(text: str) -> list[dict[str, Any]]:
    """The commands and names in a text, as Telegram marks them."""
    return [
        {
            "type": "bot_command" if match[0].startswith("/") else "mention",
            "offset": units(text[: match.start()]),
            "length": len(match[0]),
        }
        for match in re.finditer(r"(?<!\S)(?:/\w+(?:@\w+)?|@\w+)", text)
    ]
