"""One node for each genre that users mean: applies `data/catalogue/genres.yaml`."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.catalogue.names import distinct_names
from data.errors import ConfigError
from data.model import Entity, Qid

__all__ = ["GENRE", "Genres", "load_genres", "with_one_genre_a_name"]

GENRE = "P136"
SUBJECT = "P921"
SUBCLASS = "P279"
_FILE = Path(__file__).with_name("genres.yaml")


class _Genre(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    label: str
    it: str | None = None
    same: tuple[Qid, ...] = ()
    words: tuple[str, ...] = ()


class _GenreFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    genres: Mapping[Qid, _Genre]
    narrower: Mapping[Qid, tuple[Qid, ...]] = Field(default_factory=dict)
    not_genres: frozenset[Qid] = Field(default_factory=frozenset)


class Genres:
    """Which genre ids are one genre, and what people call it."""

    def __init__(self, config: _GenreFile) -> None:
        self.not_genres = config.not_genres
        self._genres = config.genres
        self._names = {
            **{word.casefold(): qid for qid, genre in config.genres.items() for word in genre.words},
            **{genre.label.casefold(): qid for qid, genre in config.genres.items()},
        }
        self._broader: dict[Qid, tuple[Qid, ...]] = {}
        for broad, narrow in config.narrower.items():
            self._broader.update({qid: (*self._broader.get(qid, ()), broad) for qid in narrow})
        self._canonical = {same: qid for qid, genre in config.genres.items() for same in genre.same}

    def canonical(self, qid: Qid) -> Qid:
        """The id of the node that stands for this genre."""
        return self._canonical.get(qid, qid)

    def named_so(self, name: str) -> Qid | None:
        """The genre that people call by this name; None when no genre is."""
        return self._names.get(name.casefold())

    def __contains__(self, qid: Qid) -> bool:
        return qid in self._genres

    def ids(self) -> frozenset[Qid]:
        """Every id that the file names."""
        return frozenset((*self._genres, *self._canonical))

    def named(self, entity: Entity) -> Entity:
        """A genre with the names that people use for it; any other entity unchanged."""
        genre = self._genres.get(entity.qid)
        if genre is None:
            return entity
        aliases = distinct_names(genre.label, (*genre.words, entity.label, *entity.aliases))
        labels = {**entity.labels, **({"it": genre.it} if genre.it else {})}
        broader = self._broader.get(entity.qid)
        return dataclasses.replace(
            entity,
            label=genre.label,
            kind="genre",
            domain=None,
            aliases=aliases,
            labels=labels,
            relations={SUBCLASS: broader} if broader else {},
            merged=genre.same,
        )

    def applied(self, entity: Entity) -> Entity:
        """An item whose genres are the canonical ones.

        A variant of a genre that is given as subject, or only by its name, is a genre too.
        """
        names = entity.facts.get(GENRE, ())
        subjects = entity.relations.get(SUBJECT, ())
        meant = (
            *entity.relations.get(GENRE, ()),
            *(qid for qid in subjects if qid in self._canonical),
            *(qid for qid in map(self.named_so, names) if qid is not None),
        )
        relations = {
            **entity.relations,
            GENRE: tuple(dict.fromkeys(self.canonical(qid) for qid in meant if qid not in self.not_genres)),
            SUBJECT: tuple(qid for qid in subjects if qid not in self._canonical),
        }
        facts = {**entity.facts, GENRE: tuple(name for name in names if self.named_so(name) is None)}
        return dataclasses.replace(
            entity,
            relations={pid: values for pid, values in relations.items() if values},
            facts={pid: values for pid, values in facts.items() if values},
        )


@functools.cache
def load_genres(path: Path = _FILE) -> Genres:
    """Reads the genre file.

    Raises:
        ConfigError: it is broken, or gives an id to two genres.
    """
    try:
        config = _GenreFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}; correct it.") from error
    ids = [*config.genres, *(same for genre in config.genres.values() for same in genre.same)]
    if twice := {qid for qid in ids if ids.count(qid) > 1}:
        raise ConfigError(f"{path}: {', '.join(sorted(twice))} stand for two genres; keep one.")
    named = {*config.narrower, *(qid for narrow in config.narrower.values() for qid in narrow)}
    if unknown := named - config.genres.keys():
        raise ConfigError(f"{path}: `narrower` names {', '.join(sorted(unknown))}, which `genres` does not; add them.")
    return Genres(config)


def with_one_genre_a_name(entities: Sequence[Entity]) -> list[Entity]:
    """Leaves a word to one genre: to the one it is the label of, then to the best known.

    Broader genres that are not among the entities are left out, so that every id has a line of its own.
    """
    genres = sorted((found for found in entities if found.kind == "genre"), key=lambda found: -found.popularity)
    owner = {genre.label.casefold(): genre.qid for genre in reversed(genres)}
    for genre in genres:
        for alias in genre.aliases:
            owner.setdefault(alias.casefold(), genre.qid)
    known = {genre.qid for genre in genres}

    def alone(genre: Entity) -> Entity:
        broader = tuple(qid for qid in genre.relations.get(SUBCLASS, ()) if qid in known)
        relations = {pid: values for pid, values in {**genre.relations, SUBCLASS: broader}.items() if values}
        aliases = tuple(name for name in genre.aliases if owner[name.casefold()] == genre.qid)
        return dataclasses.replace(genre, aliases=aliases, relations=relations)

    return [alone(found) if found.kind == "genre" else found for found in entities]
