"""From the entities that words may name to the one that is meant, or the few to choose from."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from data.catalogue import Catalogue
from data.model import Domain, Entity, Qid
from nlu.entities.index import Posting
from nlu.entities.names import PERSON_KINDS, NameKind
from nlu.entities.support import RARELY_LIKED_KINDS
from nlu.entities.words import Words
from nlu.model import Candidate, Context

MOST_CANDIDATES = 6
ACCEPTED_SHARE = 0.9
SMALLEST_RATIO = 0.05

_NAME_WEIGHT = {
    NameKind.LABEL: 1.0,
    NameKind.ALIAS: 0.6,
    NameKind.FOREIGN: 0.8,
    NameKind.WITHOUT_ARTICLE: 0.4,
    NameKind.MAIN_PART: 0.15,
    NameKind.SUBTITLE: 0.25,
    NameKind.SURNAME: 0.3,
}
_TITLES = frozenset({NameKind.LABEL, NameKind.FOREIGN, NameKind.WITHOUT_ARTICLE})
_SIMILARITY_POWER = 3
_PRIOR_FLOOR = 0.05
_PRIOR_POWER = 3
_OTHER_DOMAIN = 0.05
_MUCH_BETTER_KNOWN = 0.1
_NO_DOMAIN = 0.4
_RARELY_LIKED = 0.05
_LEAST_INEXACT = 0.01
_GENRE_OF_DOMAIN = 10.0
_GENRE_OF_OTHERS = 0.1
_NAMED_AFTER = 0.3
_RECENT = 12.0
_WRONG_YEAR = 0.02
_UNKNOWN_YEAR = 0.3
_WRONG_KIND = 0.02


@dataclass(frozen=True, slots=True)
class Hints:
    """What the words around a mention say of it.

    Attributes:
        kinds: kinds that a word beside it names ("the film It"); empty when none does.
        year: "the 1982 The Thing".
        domain: domain that the message names.
    """

    kinds: frozenset[str] = frozenset()
    year: int | None = None
    domain: Domain | None = None


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An entity with its weight and the kind of name by which it was found."""

    weight: float
    entity: Entity
    kind: NameKind
    named_after: Qid | None = None


class Ranker:
    """Scores candidates by name, popularity, domain and what was said."""

    def __init__(self, catalogue: Catalogue, words: Words) -> None:
        """Takes the catalogue, and what is known of languages."""
        self._catalogue = catalogue
        self._words = words

    def rank(
        self, postings: Iterable[Posting], similarity: float, hints: Hints, context: Context
    ) -> tuple[tuple[Candidate, ...], Qid | None]:
        """The candidates, best first, and the one that needs no question, if there is one."""
        best: dict[Qid, _Weighed] = {}
        for posting in postings:
            entity = self._catalogue.get(posting.qid)
            if entity is None:
                continue
            weight = self._weight(entity, posting, similarity, hints, context)
            known = best.get(entity.qid)
            if (similarity == 1 or weight >= _LEAST_INEXACT) and (known is None or weight > known.weight):
                best[entity.qid] = _Weighed(weight, entity, posting.kind)
        ranked = sorted(_favour_namesakes(best), key=lambda found: (-found.weight, found.entity.qid))
        if not ranked:
            return (), None
        total = sum(found.weight for found in ranked)
        kept = [found for found in ranked if found.weight >= SMALLEST_RATIO * ranked[0].weight][:MOST_CANDIDATES]
        candidates = tuple(self.candidate(found.entity, found.weight / total, context.language) for found in kept)
        rivals = sum(found.weight for found in ranked[1:] if _rivals(found, ranked[0]))
        clear = ranked[0].weight / (ranked[0].weight + rivals) >= ACCEPTED_SHARE
        return candidates, candidates[0].qid if clear else None

    def _weight(self, entity: Entity, posting: Posting, similarity: float, hints: Hints, context: Context) -> float:
        weight = _NAME_WEIGHT[posting.kind] * similarity**_SIMILARITY_POWER
        weight *= _PRIOR_FLOOR + entity.popularity**_PRIOR_POWER
        weight *= self._domain_factor(entity, posting, hints.domain or context.domain)
        if entity.qid in context.recent or entity.qid == context.shown:
            weight *= _RECENT
        if hints.kinds and entity.kind not in hints.kinds:
            weight *= _WRONG_KIND
        if hints.year is not None and entity.year != hints.year:
            weight *= _UNKNOWN_YEAR if entity.year is None else _WRONG_YEAR
        return weight

    def _domain_factor(self, entity: Entity, posting: Posting, domain: Domain) -> float:
        if entity.domain is None:
            if entity.kind in RARELY_LIKED_KINDS:
                return _RARELY_LIKED
            if entity.kind == "genre":
                if not self._catalogue.roles(entity.qid, domain):
                    return _GENRE_OF_OTHERS
                return _GENRE_OF_DOMAIN if posting.kind in {NameKind.LABEL, NameKind.FOREIGN} else _NO_DOMAIN
            return 1.0 if entity.kind in PERSON_KINDS else _NO_DOMAIN
        return 1.0 if entity.domain == domain else _OTHER_DOMAIN

    def candidate(self, entity: Entity, score: float, language: str) -> Candidate:
        """A candidate as the user may choose it."""
        return Candidate(
            qid=entity.qid,
            label=entity.labels.get(language, entity.label),
            kind=entity.kind,
            domain=entity.domain,
            year=entity.year,
            score=min(1.0, round(score, 4)) if math.isfinite(score) else 0.0,
            description=self.describe(entity, language),
        )

    def describe(self, entity: Entity, language: str) -> str:
        """Kind and year for the user, e.g. "2012 film"; "film del 2012" where the language has it so."""
        kind = self._words.kind_name(entity.kind, language)
        if entity.year is None:
            return kind
        return self._words.kind_with_year(language).format(kind=kind, year=entity.year)


def _favour_namesakes(found: Mapping[Qid, _Weighed]) -> Iterator[_Weighed]:
    """Of an album and the band that it is named after, the band is meant."""
    for one in found.values():
        values = {value for values in one.entity.relations.values() for value in values}
        after = [qid for qid in found if qid in values and found[qid].entity.domain == one.entity.domain]
        yield replace(one, weight=one.weight * _NAMED_AFTER, named_after=after[0]) if after else one


def _rivals(other: _Weighed, best: _Weighed) -> bool:
    """Whether a question is due between the two.

    None is between a band and the album of its name, nor between a title and what shares only a part of it (sequels),
    unless that is much better known.
    """
    if other.named_after == best.entity.qid:
        return False
    if best.kind not in _TITLES or other.kind <= max(best.kind, NameKind.FOREIGN):
        return True
    return other.entity.popularity > best.entity.popularity + _MUCH_BETTER_KNOWN
