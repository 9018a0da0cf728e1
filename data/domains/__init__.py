"""The domains: one YAML file each, read and checked here. A new domain is a new file, no code."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from data.errors import ConfigError, MissingFileError, UsageError
from data.model import Domain, PropertyId, Qid

__all__ = ["DomainConfig", "MoodConfig", "PropertyConfig", "find_domain", "load_domain", "load_domains"]

_QidText = Annotated[Qid, StringConstraints(pattern=r"^Q[1-9][0-9]*$")]
_PropertyText = Annotated[PropertyId, StringConstraints(pattern=r"^P[1-9][0-9]*$")]


class PropertyConfig(BaseModel):
    """A property that items of a domain have.

    Attributes:
        labels: its name by language code; English is needed.
        aliases: other words for it by language code ("starring", "cast").
        clauses: how an item is told to have a value, by language code ("is directed by {value}").
        values: kind of its values, as far as nothing else is known of them: "person", "genre" …
        weight: strength of its edges in the item graph, 0 to 1.
        recognisable: whether its values can be liked or disliked.
        filterable: whether a request may ask for its values ("with Tom Hanks").
        in_details: whether the details of an item show it.
        in_explanations: whether an explanation may name it.
        role: whether its values are people who may hold other roles too, so that the role is asked.
        collective: of its words, those that mean all of its values: "the cast", "the actors".
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    labels: Mapping[str, str]
    aliases: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    clauses: Mapping[str, Annotated[str, StringConstraints(pattern=r"^[^{}]*\{value\}[^{}]*$")]] = Field(
        default_factory=dict
    )
    values: str = "subject"
    weight: float = Field(ge=0, le=1)
    recognisable: bool = True
    filterable: bool = True
    in_details: bool = True
    in_explanations: bool = True
    role: bool = False
    collective: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    def label(self, language: str = "en") -> str:
        """Its name in that language, or in English."""
        return self.labels.get(language, self.labels["en"])


class MoodConfig(BaseModel):
    """A mood that requests ask for, and the genres that come closest to it.

    Attributes:
        words: words for it by language code ("light", "to laugh").
        more: words for more of it ("lighter").
        ages: the youngest and the oldest person whom its genres suit; its words then tell whom something is for.
        genres: the ids of the genres.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: Mapping[str, tuple[str, ...]]
    more: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    ages: tuple[int, int] | None = None
    genres: tuple[_QidText, ...] = Field(min_length=1)


class DomainConfig(BaseModel):
    """What can be recommended in one domain, and what is known of it.

    Attributes:
        name: the domain's name; the file's stem.
        order: its place among the domains.
        labels: its name for users by language code ("movies").
        nouns: words for one or several of its items by language code ("movie", "film").
        verbs: words for what is done with them by language code ("watch"); they count where no noun names a domain.
        classes: Wikidata classes of its items, subclasses included, and the kind they make; the first that fits counts.
        occupations: occupations of people who are items themselves (music artists), and the kind they make.
        kinds: kinds of its items in the catalogue, the usual one first.
        kind_words: words of a request that ask for some kinds only, by language code and word ("song").
        moods: moods and the genres that stand for them.
        properties: the properties, most telling first.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[Domain, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    order: int = 100
    labels: Mapping[str, str]
    nouns: Mapping[str, tuple[str, ...]]
    verbs: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    classes: Mapping[_QidText, str] = Field(min_length=1)
    occupations: Mapping[_QidText, str] = Field(default_factory=dict)
    kinds: tuple[str, ...] = Field(min_length=1)
    kind_words: Mapping[str, Mapping[str, tuple[str, ...]]] = Field(default_factory=dict)
    moods: tuple[MoodConfig, ...] = ()
    properties: Mapping[_PropertyText, PropertyConfig] = Field(min_length=1)

    @model_validator(mode="after")
    def _kinds_agree(self) -> Self:
        made = {*self.classes.values(), *self.occupations.values()}
        if unknown := made - set(self.kinds):
            raise ValueError(f"classes make kinds that `kinds` does not list: {', '.join(sorted(unknown))}")
        named = {kind for words in self.kind_words.values() for kinds in words.values() for kind in kinds}
        if unknown := named - set(self.kinds):
            raise ValueError(f"`kind_words` names kinds that `kinds` does not list: {', '.join(sorted(unknown))}")
        return self

    def label(self, language: str = "en") -> str:
        """Its name in that language, or in English."""
        return self.labels.get(language, self.labels["en"])


def load_domain(path: Path) -> DomainConfig:
    """Reads one domain file.

    Raises:
        MissingFileError: there is no such file.
        ConfigError: it is no YAML, or a key is unknown, missing or has a wrong value.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        config = DomainConfig.model_validate(raw)
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no domain file {path}; give the path of a YAML file.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no valid YAML in UTF-8 ({_one_line(error)}); correct it.") from error
    except ValidationError as error:
        raise ConfigError(f"{path}: {_problems(error)}; correct it (docs/catalogue.md lists the keys).") from error
    for labels in (config.labels, *(known.labels for known in config.properties.values())):
        if "en" not in labels:
            raise ConfigError(f"{path}: labels {dict(labels)} have no English name; add `en`.")
    return config


def load_domains(folder: Path | None = None) -> Mapping[Domain, DomainConfig]:
    """Reads every domain file of a folder, by name; the domains that ship when none is given.

    Raises:
        MissingFileError: the folder holds no domain file.
        ConfigError: a file is broken, or two give the same name.
    """
    return _load_folder(folder or Path(__file__).parent)


def find_domain(name: str, domains: Mapping[Domain, DomainConfig]) -> DomainConfig:
    """The domain of that name. Raises UsageError when there is none."""
    if name not in domains:
        raise UsageError(f"there is no domain {name!r}; choose one of {', '.join(domains)}")
    return domains[name]


@functools.cache
def _load_folder(folder: Path) -> Mapping[Domain, DomainConfig]:
    domains: dict[Domain, DomainConfig] = {}
    for path in sorted(folder.glob("*.yaml")):
        config = load_domain(path)
        if config.name in domains:
            raise ConfigError(f"{path}: the domain {config.name!r} is defined twice; rename one.")
        domains[config.name] = config
    if not domains:
        raise MissingFileError(f"{folder} holds no domain file (*.yaml); add one such as movie.yaml.")
    return dict(sorted(domains.items(), key=lambda found: (found[1].order, found[0])))


def _problems(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, found['loc']))}: {found['msg']}" for found in error.errors()[:5])


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
