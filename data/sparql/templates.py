"""The queries, from their `.rq` files with the values filled in."""

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template

from data.domains import DomainConfig
from data.model import PropertyId, Qid
from data.sparql.reader import CLASS
from data.sparql.text import entities, literal, properties
from data.sparql.vocabulary import Vocabulary

__all__ = ["describe_query", "find_query", "names_query", "page_query", "subclasses_query"]

_FOLDER = Path(__file__).parent / "queries"
_KNOWN_WORKS = 5
"""Wikipedias that a work must have an article in to come along with its maker."""
_MOST_WORKS = 40


def find_query(
    names: Iterable[str], languages: Sequence[str], config: DomainConfig, vocabulary: Vocabulary, limit: int
) -> str:
    """Query for the entities with one of these names: items of the domain, people, genres and other values.

    Rows are `?item ?name ?sitelinks`, best known first.
    """
    return render(
        "find",
        names=" ".join(literal(name, language) for name in names for language in languages),
        classes=entities((*config.classes, *vocabulary.kinds), ", "),
        occupations=entities(_occupations(config), ", "),
        limit=str(limit),
    )


def describe_query(
    qids: Sequence[Qid], languages: Sequence[str], config: DomainConfig, vocabulary: Vocabulary, *, works: bool = False
) -> str:
    """Query for what the catalogue keeps of some entities; `EntityReader` reads its rows.

    Args:
        qids: the entities.
        languages: of their names.
        config: the domain, for its properties and classes.
        vocabulary: for external ids and kinds.
        works: also the best-known items of the domain that were made by these entities.
    """
    items = entities(qids)
    spoken = ", ".join(literal(language) for language in languages)
    roles = [pid for pid, known in config.properties.items() if known.role]
    made = ""
    if works and roles:
        made = render(
            "works",
            header=False,
            items=items,
            languages=spoken,
            roles=properties(roles),
            of=entities(config.classes, ", "),
            known=str(_KNOWN_WORKS),
            limit=str(_MOST_WORKS),
        )
    return render(
        "describe",
        items=items,
        languages=spoken,
        literals=properties(vocabulary.literals),
        relations=properties(config.properties),
        classes=entities(dict.fromkeys((*config.classes, *vocabulary.kinds))),
        occupations=entities(_occupations(config)),
        works=made,
    )


def names_query(qids: Sequence[Qid], languages: Sequence[str], vocabulary: Vocabulary) -> str:
    """Query for names, kind and fame of property values; `EntityReader` reads its rows."""
    return render(
        "describe",
        items=entities(qids),
        languages=", ".join(literal(language) for language in languages),
        literals="",
        relations=properties([CLASS]),
        classes=entities(vocabulary.kinds),
        occupations=entities(vocabulary.kinds),
        works="",
    )


def subclasses_query(classes: Iterable[Qid]) -> str:
    """Query for these classes and all below them; rows are `?class`."""
    return render("subclasses", top=entities(classes))


def page_query(property_id: PropertyId, classes: Iterable[Qid], after: str, limit: int, since: str | None) -> str:
    """Query for the next ids in order; rows are `?item`.

    Args:
        property_id: P31 for instances of the classes, P106 for people of these occupations.
        classes: with their subclasses.
        after: the last IRI of the page before, "" for the first.
        limit: ids in a page.
        since: an ISO date: only what changed on it or later.
    """
    changed = render("since", header=False, date=literal(f"{since}T00:00:00Z")) if since else ""
    return render(
        "page",
        classes=entities(classes),
        property=properties([property_id]),
        since=changed,
        after=literal(after),
        limit=str(limit),
    )


def _occupations(config: DomainConfig) -> Iterable[Qid]:
    """Occupations that make items; where there are none, classes, which are nobody's: some engines want a value."""
    return config.occupations or config.classes


def render(name: str, *, header: bool = True, **values: str) -> str:
    """A query from its file, with the prefixes.

    Args:
        name: of the file, without ending.
        header: whether to put the prefixes before it.
        values: for its placeholders; made by `data.sparql.text` or by this module, never raw text.
    """
    body = _template(name).substitute(values)
    return f"{_template('prefixes').template}{body}" if header else body


@functools.cache
def _template(name: str) -> Template:
    lines = (_FOLDER / f"{name}.rq").read_text(encoding="utf-8").splitlines()
    return Template("".join(f"{line}\n" for line in lines if not line.lstrip().startswith("#")))
