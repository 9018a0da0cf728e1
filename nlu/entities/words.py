"""What the linker knows of languages: word lists from `words/*.yaml`, one file a language, merged into one value."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from data.errors import DataError
from nlu.entities.folding import tokenize

_FOLDER = Path(__file__).parent / "words"

Value = TypeVar("Value")

Phrase = tuple[str, ...]
"""Folded words in order."""


class YearPhrase(BaseModel):
    """Bounds that a word puts on the year: absolute, or from the present ("recent") or the item on show ("newer")."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at_least_years_ago: int | None = None
    at_most_years_ago: int | None = None
    than_shown: str | None = None


class LanguageWords(BaseModel):
    """One language file; every key must be there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    articles: list[str]
    particles: list[str]
    pronouns: list[str]
    possessives: list[str]
    indefinite: list[str]
    interjections: list[str]
    wishes: list[str]
    subjects: list[str]
    opinion: list[str]
    leads: list[str]
    about: list[str]
    by_people: list[str]
    seeds: list[str]
    frame: list[str]
    verbs_after: list[str]
    after_titles: list[str]
    part_words: list[str]
    title_links: list[str]
    title_joints: list[str]
    place_leads: list[str]
    year_links: list[str]
    comparing: list[str]
    joins: list[str]
    breaks: list[str]
    small_talk: list[str]
    negations: list[str]
    habits: list[str]
    negation_phrases: list[str]
    demonstratives: list[str]
    measures: list[str]
    item_pronouns: list[str]
    determiners: list[str]
    role_links: list[str]
    role_words: list[str]
    noun_kinds: dict[str, list[str]]
    verb_before: list[str]
    numbers: dict[str, int]
    ordinals: dict[str, int]
    first_of_several: list[str]
    last_of_several: list[str]
    every: list[str]
    pair: list[str]
    none: list[str]
    before: list[str]
    after: list[str]
    between: list[str]
    decades: dict[str, int]
    decade_nouns: list[str]
    recency: dict[str, YearPhrase]
    present: list[str]
    past: list[str]
    vague_counts: dict[str, int]
    units_of_years: dict[str, int]
    runtime: dict[str, str]
    by: dict[str, list[str]]
    by_names: list[str]
    speech: list[str]
    nationalities: dict[str, str]
    in_language: list[str]
    attaching: list[str]
    anything: list[str]
    more: list[str]
    less: list[str]
    intensity: list[str]
    qualities: list[str]
    comparatives: list[str]
    politeness: list[str]
    untold: list[str]
    refusals: list[str]
    counted: list[str]
    time_units: dict[str, int]
    under: list[str]
    over: list[str]
    bound_leads: list[str]
    age_units: list[str]
    age_leads: list[str]
    age_links: list[str]
    range_links: list[str]
    no_ages: list[str]
    spelled_ages: dict[str, int]
    exceptions: list[str]
    provisos: list[str]
    exclusions: list[str]
    person_pronouns: list[str]
    same: list[str]
    others: list[str]
    doers: list[str]
    deeds: dict[str, list[str]]
    kinds: dict[str, str]
    kind_with_year: str
    beside_titles: list[str]
    question_words: list[str]
    why_words: list[str]
    trailer_words: list[str]
    commands: dict[str, list[str]]


class Words:
    """The merged word lists; words and phrases are folded as messages are."""

    def __init__(self, languages: Mapping[str, LanguageWords]) -> None:
        """Takes the validated files by language code."""
        self.languages = languages
        self.fingerprint = repr(sorted(languages.items()))
        every = list(languages.values())
        self._read_names(every)
        self._read_sentences(every)
        self._read_requests(every)
        self._read_wishes(every)
        self._read_answers(every)

    def _read_names(self, every: Sequence[LanguageWords]) -> None:
        """What stands in names and around them."""
        self.articles = _words(lists.articles for lists in every)
        self.particles = _words(lists.particles for lists in every)
        self.pronouns = _words(lists.pronouns for lists in every)
        self.possessives = _words(lists.possessives for lists in every)
        self.indefinite = _words(lists.indefinite for lists in every)
        self.interjections = _words(lists.interjections for lists in every)
        self.subjects = _words(lists.subjects for lists in every)
        self.opinion = _words(lists.opinion for lists in every)
        self.leads = _phrases(lists.leads for lists in every)
        self.about = _words(lists.about for lists in every)
        self.by_people = _words(lists.by_people for lists in every)
        self.frame = _words(lists.frame for lists in every)
        self.verbs_after = _words(lists.verbs_after for lists in every)
        self.after_titles = _words(lists.after_titles for lists in every)
        self.part_words = _words(lists.part_words for lists in every)
        self.title_links = _words(lists.title_links for lists in every)
        self.title_joints = _phrases(lists.title_joints for lists in every)
        self.joins = _words(lists.joins for lists in every)
        self.breaks = _words(lists.breaks for lists in every)
        self.demonstratives = _words(lists.demonstratives for lists in every)
        self.measures = _words(lists.measures for lists in every)
        self.item_pronouns = _words(lists.item_pronouns for lists in every)
        self.role_words = _words(lists.role_words for lists in every)
        self.noun_kinds = _mapping(lists.noun_kinds for lists in every)
        self.verb_before = _words(lists.verb_before for lists in every)

    def _read_sentences(self, every: Sequence[LanguageWords]) -> None:
        """What tells kinds of sentences."""
        self.small_talk = _phrases(lists.small_talk for lists in every)
        self.habits = _words(lists.habits for lists in every)
        self.negations = _words(lists.negations for lists in every)
        self.negation_phrases = _phrases(lists.negation_phrases for lists in every)
        self.determiners = _words(lists.determiners for lists in every)
        self.role_links = _words(lists.role_links for lists in every)
        self.exceptions = _phrases(lists.exceptions for lists in every)
        self.provisos = _phrases(lists.provisos for lists in every)
        self.exclusions = _phrases(lists.exclusions for lists in every)
        self.person_pronouns = _words(lists.person_pronouns for lists in every)
        self.speech = _words(lists.speech for lists in every)
        self.beside_titles = _words(lists.beside_titles for lists in every)
        self.question_words = _words(lists.question_words for lists in every)
        self.why_words = _words(lists.why_words for lists in every)
        self.trailer_words = _words(lists.trailer_words for lists in every)
        self.commands = {
            intent: _phrases(lists.commands.get(intent, ()) for lists in every)
            for intent in dict.fromkeys(intent for lists in every for intent in lists.commands)
        }

    def _read_requests(self, every: Sequence[LanguageWords]) -> None:
        """What tells conditions."""
        self.wishes = _words(lists.wishes for lists in every)
        self.seeds = _phrases(lists.seeds for lists in every)
        self.place_leads = _phrases(lists.place_leads for lists in every)
        self.comparing = _words(lists.comparing for lists in every)
        self.year_links = _words(lists.year_links for lists in every)
        self.before = _words(lists.before for lists in every)
        self.after = _words(lists.after for lists in every)
        self.between = _words(lists.between for lists in every)
        self.decades = _mapping(lists.decades for lists in every)
        self.decade_nouns = _words(lists.decade_nouns for lists in every)
        self.recency = _phrase_mapping(lists.recency for lists in every)
        self.present = _words(lists.present for lists in every)
        self.past = _words(lists.past for lists in every)
        self.counts = _mapping({**lists.numbers, **lists.vague_counts} for lists in every)
        self.units_of_years = _mapping(lists.units_of_years for lists in every)
        self.runtime = _phrase_mapping(lists.runtime for lists in every)
        self.by = {
            word: tuple(properties)
            for lists in every
            for phrase, properties in lists.by.items()
            for word in [_folded(phrase)]
        }
        self.by_names = _words(lists.by_names for lists in every)
        self.same = _words(lists.same for lists in every)
        self.others = _words(lists.others for lists in every)
        self.doers = self.person_pronouns | _words(lists.doers for lists in every)
        self.deeds = _mapping(lists.deeds for lists in every)
        self.nationalities = _mapping(lists.nationalities for lists in every)
        self.in_language = _words(lists.in_language for lists in every)

    def _read_wishes(self, every: Sequence[LanguageWords]) -> None:
        """What tells wishes that are hard to meet."""
        self.attaching = _words(lists.attaching for lists in every)
        self.anything = _words(lists.anything for lists in every)
        self.more = _words(lists.more for lists in every)
        self.less = _words(lists.less for lists in every)
        self.degrees = self.more | self.less | _words(lists.intensity for lists in every)
        self.qualities = _words(lists.qualities for lists in every)
        self.comparatives = _words(lists.comparatives for lists in every)
        self.politeness = _words(lists.politeness for lists in every)
        self.untold = _phrases(lists.untold for lists in every)
        self.refusals = _words(lists.refusals for lists in every)
        self.counted = _words(lists.counted for lists in every)
        self.time_units = _mapping(lists.time_units for lists in every)
        self.under = _words(lists.under for lists in every)
        self.over = _words(lists.over for lists in every)
        self.bound_leads = _words(lists.bound_leads for lists in every)
        self.age_units = _phrases(lists.age_units for lists in every)
        self.age_leads = _words(lists.age_leads for lists in every)
        self.age_links = _words(lists.age_links for lists in every)
        self.range_links = _words(lists.range_links for lists in every)
        self.no_ages = _words(lists.no_ages for lists in every)
        self.spelled_ages = _mapping(counts for lists in every for counts in (lists.numbers, lists.spelled_ages))

    def _read_answers(self, every: Sequence[LanguageWords]) -> None:
        """What tells which of several options is meant."""
        self.numbers = _mapping(lists.numbers for lists in every)
        self.digits = {word: str(number) for word, number in self.numbers.items() if number > 1}
        self.number_words = {str(number): word for word, number in self.languages["en"].numbers.items() if number > 1}
        self.ordinals = _mapping(lists.ordinals for lists in every)
        self.first_of_several = _words(lists.first_of_several for lists in every)
        self.last_of_several = _words(lists.last_of_several for lists in every)
        self.every = _phrases(lists.every for lists in every)
        self.pair = _phrases(lists.pair for lists in every)
        self.none = _phrases(lists.none for lists in every)

    @cached_property
    def determining(self) -> frozenset[str]:
        """Words before a noun: "every minute", "its ending"."""
        return self.indefinite | self.possessives | self.demonstratives | self.determiners

    @property
    def before_people(self) -> frozenset[str]:
        """Of the words that people and the like may follow, those that ask for them: "by", not "in"."""
        return self.by_people & self.by.keys()

    @cached_property
    def common(self) -> frozenset[str]:
        """Words that by themselves are no sign of a title."""
        return (
            self.articles
            | self.pronouns
            | self.opinion
            | frozenset(word for lead in self.leads for word in lead)
            | self.about
            | self.by_people
            | self.frame
            | self.joins
            | self.breaks
            | self.negations
            | self.demonstratives
            | self.role_words
            | self.possessives
            | self.interjections
            | frozenset(word for phrases in (self.recency, self.runtime) for words in phrases for word in words)
            | frozenset(word for phrase in self.decades for word in phrase.split())
            | frozenset(self.numbers)
            | frozenset(self.ordinals)
        )

    def kind_name(self, kind: str, language: str) -> str:
        """The user's word for a kind of entity."""
        lists = self.languages.get(language, self.languages["en"])
        return lists.kinds.get(kind, self.languages["en"].kinds.get(kind, kind))

    def kind_with_year(self, language: str) -> str:
        """How a kind and a year are put together, with places for `kind` and `year`."""
        return self.languages.get(language, self.languages["en"]).kind_with_year


@functools.cache
def load_words(folder: Path = _FOLDER) -> Words:
    """Reads all language files, once for each folder.

    Raises:
        DataError: a file with a missing, unknown or wrong key.
    """
    languages: dict[str, LanguageWords] = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            languages[path.stem] = LanguageWords.model_validate(_strings(path))
        except (ValidationError, yaml.YAMLError) as error:
            raise DataError(f"{path}: {error}. Mend that entry; en.yaml shows the form.") from error
    return Words(languages)


def _strings(path: Path) -> object:
    """The file with every scalar as text: "no", "on" and "yes" are words here."""
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    return yaml.load(path.read_text("utf-8"), Loader=loader)  # noqa: S506 - makes strings only


def phrase(text: str) -> Phrase:
    """Folded words of a phrase."""
    return tuple(token.word for token in tokenize(text))


def _folded(text: str) -> str:
    return " ".join(phrase(text))


def _words(lists: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(word for entries in lists for entry in entries for word in phrase(entry))


def _phrases(lists: Iterable[Iterable[str]]) -> frozenset[Phrase]:
    return frozenset(phrase(entry) for entries in lists for entry in entries)


def _mapping(dictionaries: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    return {_folded(word): value for entries in dictionaries for word, value in entries.items()}


def _phrase_mapping(dictionaries: Iterable[Mapping[str, Value]]) -> dict[Phrase, Value]:
    return {phrase(words): value for entries in dictionaries for words, value in entries.items()}
