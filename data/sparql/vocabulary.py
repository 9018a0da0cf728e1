"""How Wikidata's properties and classes are read, whatever the domain: `vocabulary.yaml`."""

import functools
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

import yaml
from pydantic import BaseModel, ConfigDict

from data.model import PropertyId, Qid

__all__ = ["Vocabulary", "load_vocabulary"]


class Vocabulary(BaseModel):
    """What the properties and classes mean that every domain shares.

    Attributes:
        years: properties that date something, the one that counts first.
        ids: properties of external ids, with the name that `Entity.ids` gives them.
        image: address of a picture, with `{name}` for its file name.
        kinds: classes with the kind that they make of an entity that is no item of a domain.
        inverses: properties with the one that says the same from the value's side.
        small_words: words that titles write small.
        unrelated: classes that very many entities have and no item.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    years: tuple[PropertyId, ...]
    ids: Mapping[PropertyId, str]
    image: str
    kinds: Mapping[Qid, str]
    inverses: Mapping[PropertyId, PropertyId]
    small_words: frozenset[str]
    unrelated: frozenset[Qid]

    @property
    def literals(self) -> tuple[PropertyId, ...]:
        """Properties whose values are no entities: dates and external ids."""
        return (*self.years, *self.ids)

    def external(self, pid: PropertyId, value: str) -> tuple[str, str]:
        """Name and value of an external id; a picture becomes its address.

        Args:
            pid: one of `ids`.
            value: as Wikidata gives it; for a picture its file name or an address that ends in it.
        """
        name = self.ids[pid]
        if name == "image":
            value = self.image.format(name=quote(unquote(value.rsplit("/", 1)[-1]).replace(" ", "_")))
        return name, value


@functools.cache
def load_vocabulary() -> Vocabulary:
    """Reads `vocabulary.yaml`."""
    path = Path(__file__).with_name("vocabulary.yaml")
    return Vocabulary.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
