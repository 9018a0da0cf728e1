"""Aliases that would mislead: codes, signs, small words, and titles that are better known for something else."""

import dataclasses
import re
from collections.abc import Collection, Iterator, Sequence

from data.model import Entity

__all__ = ["without_misleading_aliases"]

_THINGS = frozenset({"country", "language", "place", "subject", "company", "award", "organisation"})
"""Kinds whose Wikidata aliases hold codes (IT, ESP) and nicknames that are titles (La La Land)."""
_CODE = re.compile(r"[A-Za-z]{1,3}")


def without_misleading_aliases(
    entities: Sequence[Entity], small_words: Collection[str], abbreviations: Collection[str]
) -> list[Entity]:
    """Entities without the aliases that name something else in a chat.

    Args:
        entities: all of a catalogue.
        small_words: words that are never a name, in lower case ("it").
        abbreviations: short names of countries and places that people do use ("US").
    """
    titles = {entity.label.casefold() for entity in entities if entity.is_item}

    def kept(entity: Entity) -> Iterator[str]:
        for alias in entity.aliases:
            folded = alias.casefold()
            if folded in small_words or not any(character.isalnum() for character in alias):
                continue
            if entity.kind in _THINGS and alias not in abbreviations and (_CODE.fullmatch(alias) or folded in titles):
                continue
            yield alias

    return [dataclasses.replace(entity, aliases=tuple(kept(entity))) for entity in entities]
