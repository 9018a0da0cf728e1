"""What channels and the dialogue manager exchange, free of any channel's own notions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from recommender.sketch import Sketch

TurnKind = Literal["text", "option", "media"]


@dataclass(frozen=True, slots=True)
class UserKey:
    """Who writes, as the channel knows them: ("telegram", "12345"), ("console", "anna")."""

    channel: str
    external_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing a user did.

    Attributes:
        update_id: unique per user within the channel; a repeated one is answered with the stored reply.
        kind: "text" (commands such as "/movies" too), "option" (a pressed button), "media" (photo, sticker, voice).
        text: what was written; for an option its label when known; empty for media.
        option: id of the pressed option.
        language: of the user's program, as a two-letter code, where the channel tells; for a new conversation.
        received_at: time of arrival, with time zone.
    """

    user: UserKey
    update_id: str
    kind: TurnKind
    text: str
    received_at: datetime
    option: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A choice on offer. The id is short (≤ 40 bytes), stable within the question, and never holds a title."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to show beside the text (preview, details)."""

    label: str
    url: str

    @property
    def is_web(self) -> bool:
        """Whether the address is one that a browser opens; others are not shown as links."""
        parts = urlsplit(self.url)
        return parts.scheme in {"http", "https"} and bool(parts.netloc)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the bot answers: plain texts (one message each), at most one image, options and links for the last text.

    Attributes:
        attachment: "my_data" when the user's own data goes along as a file.
        sketch: why an item is recommended, for channels that can show a drawing; the texts say it too.
    """

    texts: tuple[str, ...]
    options: tuple[Option, ...] = ()
    image: str | None = None
    links: tuple[Link, ...] = ()
    attachment: Literal["my_data"] | None = None
    sketch: Sketch | None = None
