"""Values shared by every layer: entities of the item graph and constraints on items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Polarity = Literal["+", "-"]
Domain = str
"""The name of a domain file in `data/domains`: "movie", "book", "music" or one a user adds."""

Qid = str
"""A Wikidata item id such as "Q47703"."""

PropertyId = str
"""A Wikidata property id such as "P57"."""


UNKNOWN_VALUE: Qid = "Q0"
"""Stands in a constraint for a value that the catalogue does not know: nothing has it."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the item graph: something to recommend, or a value that items have.

    Attributes:
        qid: Wikidata item id.
        label: English label, or the best known one.
        kind: what it is: "film", "book", "album", "song", "artist", "band", "person", "genre", "series", "company" …
        domain: the domain in which it can be recommended; None for a pure property value.
        year: of publication; None when unknown or not applicable.
        popularity: 0 (unknown) to 1 (best known).
        aliases: other English names.
        labels: names in other languages, by language code.
        relations: property id to the ids of its values, most important first.
        facts: property id to values known by name only (shown in details, never liked).
        ids: external ids and media: "imdb", "tmdb", "spotify_track", "youtube", "image" …
        merged: ids of its duplicates, which this node stands for (variants of a genre are one node).
    """

    qid: Qid
    label: str
    kind: str
    domain: Domain | None = None
    year: int | None = None
    popularity: float = 0.0
    aliases: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[PropertyId, tuple[Qid, ...]] = field(default_factory=dict)
    facts: Mapping[PropertyId, tuple[str, ...]] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    merged: tuple[Qid, ...] = ()

    @property
    def is_item(self) -> bool:
        """Whether it can be recommended."""
        return self.domain is not None

    @property
    def titled(self) -> str:
        """Its label, with the year that tells it from others of that name."""
        return f"{self.label} ({self.year})" if self.year else self.label


@dataclass(frozen=True, slots=True)
class Constraint:
    """One condition that a request puts on items ("from the nineties", "with Tom Hanks", "not horror").

    Attributes:
        text: the user's own words, for naming a constraint that cannot be met.
        property: a property id, "year", "runtime", "kind", "age" (of whom it is for; the values are genres that suit
            them), or None when any property may hold the value.
        values: acceptable value ids (names of kinds for "kind"); empty for a range.
        minimum: lower bound of a range, inclusive (years or minutes).
        maximum: upper bound of a range, inclusive.
        negated: whether items that satisfy it are the unwanted ones.
        loose: whether it only comes close to the words: genres for "lighter".
    """

    text: str
    property: PropertyId | Literal["year", "runtime", "kind", "age"] | None = None
    values: tuple[Qid, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    negated: bool = False
    loose: bool = False
