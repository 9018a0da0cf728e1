"""Simulated participants: hidden tastes, an agenda of tasks, and the habits of people in released dialogues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from bot.channels.base import Option, Reply
from bot.study.journey import Question
from data.catalogue import Catalogue
from data.model import Entity, Qid


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
        tastes = habits()["tastes"]
        self._properties: Sequence[str] = tastes["properties"]
        self.known: list[Entity] = list(catalogue.items(domain)[: tastes["known_items"]])
        values = sorted({value for item in self.known for value in self._values(item, most=3)})
        liked = rng.sample(values, min(tastes["liked_properties"] * 3, len(values)))
        disliked = rng.sample(values, min(tastes["disliked_properties"] * 3, len(values)))
        self._weights: dict[Qid, float] = dict.fromkeys(liked, 1.0) | dict.fromkeys(disliked, -1.0)
        self._bias = rng.gauss(0.35, 0.2)

    @property
    def opinions(self) -> Sequence[tuple[Entity, bool]]:
        """People and genres that are liked or disliked."""
        found = [(self._catalogue.get(qid), weight > 0) for qid, weight in self._weights.items()]
        return [(entity, liked) for entity, liked in found if entity is not None]

    def _values(self, item: Entity, most: int | None = None) -> list[Qid]:
        return [value for name in self._properties for value in item.relations.get(name, ())[:most]]

    def likes(self, qid: Qid, quality: float = 0.0) -> bool:
        """Whether they like an item; the same answer each time.

        Args:
            qid: the item.
            quality: added to what they feel, for planted effects.
        """
        entity = self._catalogue.get(qid)
        felt = sum(self._weights.get(value, 0.0) for value in self._values(entity)) if entity else 0.0
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
        self._mood = rng.gauss(0, self._habits["opinions"]["of_person"])
        self.enter(domain)

    def enter(self, domain: str) -> None:
        """A condition begins, perhaps in another domain: tastes are drawn anew there."""
        self._domain = domain
        self.taste = Taste(self._catalogue, domain, self._rng)
        self._told: set[Qid] = set()
        self._rated: list[bool] = []

    def plant(self, quality: float) -> None:
        """Changes the planted effect, when the condition changes."""
        self._quality = quality

    def answer(self, reply: Reply, question: Question | None) -> Act:
        """An answer to a question with options.

        Args:
            reply: that asks.
            question: of a questionnaire; None for battles and what else is asked, where any answer will do.
        """
        if question is not None and question.right is not None:
            if self._rng.random() >= self._habits["behaviour"]["careless"]:
                return Act(option=reply.options[question.right - 1])
        elif question is not None and question.scale.kind == "likert":
            return Act(option=reply.options[self._place(question, len(reply.options))])
        return Act(option=self._rng.choice(reply.options))

    def _place(self, question: Question, size: int) -> int:
        """Position of an answer on a scale: the more of the shown items were liked, the higher."""
        weight = self._habits["opinions"]
        liked = sum(self._rated) / len(self._rated) if self._rated else 0.5
        felt = 0.5 + weight["of_liked"] * (liked - 0.5) / 2 + self._mood + self._rng.gauss(0, weight["of_chance"])
        if question.item is not None and question.item.reverse:
            felt = 1 - felt
        return int(min(max(round(felt * (size - 1)), 0), size - 1))

    def act(self, missing: Mapping[str, int], shown: Qid | None) -> Act:
        """The next message in a task.

        Args:
            missing: what the task still needs.
            shown: item on show.
        """
        share = self._habits["behaviour"]
        if self._rng.random() < share["small_talk"]:
            return self._say("small_talk")
        if self._rng.random() < share["off_topic"]:
            return self._say("off_topic")
        if shown is not None and ("ratings" in missing or "requests" not in missing):
            return self._on_show(shown)
        if "preferences" in missing or ("requests" in missing and self._rng.random() < share["tells_more"]):
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
        self._rated.append(self.taste.likes(shown, self._quality))
        if not self._rated[-1]:
            return self._say("rate_dislike")
        return self._say("critique" if self._rng.random() < share["critique"] else "rate_like")

    def _tell(self) -> Act:
        """States a preference for something that was not named yet."""
        if self._rng.random() < self._habits["behaviour"]["about_property"] and self.taste.opinions:
            entity, liked = self._rng.choice(self.taste.opinions)
        else:
            choice = [item for item in self.taste.known if item.qid not in self._told]
            entity = self._rng.choice(choice or self.taste.known)
            liked = self.taste.likes(entity.qid)
        self._told.add(entity.qid)
        return self._say("like" if liked else "dislike", name=self._named(entity))

    def _named(self, entity: Entity) -> str:
        """How they write a name: perhaps a part of it, perhaps with a letter wrong."""
        name, share = entity.labels.get(self._language, entity.label), self._habits["behaviour"]
        if self._rng.random() < share["short_name"]:
            name = name.split(":")[0] if ":" in name else name.split()[-1]
        return _mistyped(name, self._rng) if self._rng.random() < share["typo"] else name

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
