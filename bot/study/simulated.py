"""Simulated participants: hidden tastes, an agenda of tasks, and the habits of people in released dialogues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from bot.channels.base import Option, Reply
from data.catalogue import Catalogue
from data.model import Entity, Qid

_TASTED = ("P136", "P57", "P50", "P175", "P161")
"""Properties that tastes are about: genre, director, author, performer, actor."""
_KNOWN_ITEMS = 300
"""A simulated participant knows so many of the best-known items of a domain."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a simulated participant does: writes, or presses an option. `leaves` ends their participation."""

    text: str = ""
    option: Option | None = None
    leaves: bool = False


@cache
def habits() -> Mapping[str, Any]:
    """Shares and sentences, from `simulation.yaml`."""
    loaded: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("simulation.yaml").read_text(encoding="utf-8"))
    return loaded


class Taste:
    """What a participant likes, hidden from the bot: a weight for some property values."""

    def __init__(self, catalogue: Catalogue, domain: str, rng: Random) -> None:
        self._catalogue = catalogue
        self._rng = rng
        items = list(catalogue.items(domain)[:_KNOWN_ITEMS])
        self.known: list[Entity] = items
        values = sorted({value for item in items for name in _TASTED for value in item.relations.get(name, ())[:3]})
        tastes = habits()["tastes"]
        liked = rng.sample(values, min(int(tastes["liked_properties"]) * 3, len(values)))
        disliked = rng.sample(values, min(int(tastes["disliked_properties"]) * 3, len(values)))
        self._weights: dict[Qid, float] = dict.fromkeys(liked, 1.0) | dict.fromkeys(disliked, -1.0)
        self._bias = rng.gauss(0.35, 0.2)

    def likes(self, qid: Qid, quality: float = 0.0) -> bool:
        """Whether they like an item; the same answer each time.

        Args:
            qid: the item.
            quality: added to what they feel, for planted effects.
        """
        entity = self._catalogue.get(qid)
        values = [value for name in _TASTED for value in entity.relations.get(name, ())] if entity else []
        felt = sum(self._weights.get(value, 0.0) for value in values)
        mood = Random(f"{qid}/{self._bias}").gauss(0, 0.6)
        return felt + mood + self._bias + quality > 0


class SimulatedParticipant:
    """Decides what to do next from the bot's last reply and what is on show.

    `quality` plants an effect: how much more they like what is shown.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        domain: str,
        language: str,
        rng: Random,
        *,
        quality: float = 0.0,
    ) -> None:
        self._rng = rng
        self._catalogue = catalogue
        self._habits = habits()
        self._sentences = self._habits["sentences"].get(language) or self._habits["sentences"]["en"]
        self._language = language
        self._quality = quality
        self._asked: set[tuple[str, Qid]] = set()
        self.enter(domain)

    def enter(self, domain: str) -> None:
        """A condition begins, perhaps in another domain: tastes are drawn anew there."""
        self._domain = domain
        self.taste = Taste(self._catalogue, domain, self._rng)
        self._told: set[Qid] = set()

    def plant(self, quality: float) -> None:
        """Changes the planted effect, when the condition changes."""
        self._quality = quality

    def answer(self, reply: Reply) -> Act:
        """An answer to a question with options that is not about taste: any of them."""
        return Act(option=self._rng.choice(reply.options))

    def act(self, missing: Mapping[str, int], shown: Qid | None) -> Act:
        """The next message in a task.

        Args:
            missing: what the task still needs.
            shown: item on show.
        """
        share = self._habits["behaviour"]
        if self._rng.random() < share["small_talk"]:
            return self._say("small_talk")
        if shown is not None and ("ratings" in missing or "requests" not in missing):
            return self._on_show(shown)
        if "preferences" in missing:
            return self._tell()
        if "requests" in missing or "ratings" in missing:
            return self._say("request")
        if "profile" in missing:
            return self._say("profile")
        return Act(leaves=True)

    def _on_show(self, shown: Qid) -> Act:
        share = self._habits["behaviour"]
        for name in ("why", "details", "preview"):
            if (name, shown) not in self._asked:
                self._asked.add((name, shown))
                if self._rng.random() < share[name]:
                    return self._say(name)
        if self._rng.random() < share["skip"]:
            return self._say("skip")
        if not self.taste.likes(shown, self._quality):
            return self._say("rate_dislike")
        return self._say("critique" if self._rng.random() < share["critique"] else "rate_like")

    def _tell(self) -> Act:
        choice = [item for item in self.taste.known if item.qid not in self._told]
        item = self._rng.choice(choice or self.taste.known)
        self._told.add(item.qid)
        name = item.labels.get(self._language, item.label)
        if self._rng.random() < self._habits["behaviour"]["typo"]:
            name = _mistyped(name, self._rng)
        return self._say("like" if self.taste.likes(item.qid) else "dislike", name=name)

    def _say(self, kind: str, **values: str) -> Act:
        nouns = self._habits["nouns"][self._domain]
        fields = {
            "noun": nouns.get(self._language, nouns["en"]),
            "verb": self._habits["verbs"][self._domain],
            "property": self._habits["properties"][self._domain],
        }
        return Act(self._rng.choice(self._sentences[kind]).format(**fields, **values))

    def gives_up(self) -> bool:
        """Whether they leave after a turn that brought nothing."""
        return bool(self._rng.random() < self._habits["behaviour"]["give_up"])


def _mistyped(name: str, rng: Random) -> str:
    """The name with two neighbouring letters swapped."""
    places: Sequence[int] = [n for n in range(1, len(name) - 1) if name[n].isalpha() and name[n + 1].isalpha()]
    if len(name) < 6 or not places:
        return name
    place = rng.choice(places)
    return name[:place] + name[place + 1] + name[place] + name[place + 2 :]
