"""What the linker does beyond the written cases: learning, looking up, context, any text at all."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.catalogue import Catalogue
from data.domains import load_domains
from data.model import Domain, Entity
from nlu.entities.linker import CatalogueLinker
from nlu.entities.lookups import LookupResult
from nlu.entities.ranking import MOST_CANDIDATES
from nlu.model import Context

HARBOUR_1990 = Entity("Q11", "Silent Harbour", "film", "movie", 1990, 0.5)
HARBOUR_2010 = Entity("Q12", "Silent Harbour", "film", "movie", 2010, 0.5)
HARBOUR_SONG = Entity("Q13", "Silent Harbour", "song", "music", 2010, 0.5)
ORCHARD = Entity("Q14", "Midnight Orchard", "film", "movie", 2001, 0.5, relations={"P57": ("Q15",), "P161": ("Q15",)})
BERG = Entity("Q15", "Ludmilla Bergstrom", "person", popularity=0.3)
UNKNOWN = Entity("Q99", "Velvet Cartographer", "film", "movie", 2026, 0.2)

WORDS = ("I", "like", "it", "and", ",", "not", "the", "Up", "1984", "film", "by", "Tom", "Hanks", "90s", "“", "”", "🎬")


class Lookup:
    """Finds one title; counts what it is asked."""

    def __init__(self, found: Entity | None = None, name: str = "", *, failed: bool = False) -> None:
        self.found, self.name, self.failed = found, name, failed
        self.asked: list[tuple[str, ...]] = []

    async def lookup(self, names: Sequence[str], domain: Domain, language: str = "en") -> LookupResult:
        self.asked.append(tuple(names))
        if self.found is None or self.name not in names:
            return LookupResult((), self.failed, {})
        return LookupResult((self.found,), False, {self.name: (self.found.qid,)})


def made(lookup: Lookup | None = None) -> CatalogueLinker:
    catalogue = Catalogue((HARBOUR_1990, HARBOUR_2010, HARBOUR_SONG, ORCHARD, BERG))
    return CatalogueLinker(catalogue, load_domains(), wikidata=lookup)


async def test_namesakes_are_asked_about_with_kind_and_year():
    (mention,) = (await made().link("I like Silent Harbour", Context())).mentions

    assert mention.accepted is None
    assert {one.description for one in mention.candidates} >= {"1990 film", "2010 film"}


async def test_description_is_in_the_users_language():
    (mention,) = (await made().link("mi piace Silent Harbour", Context(language="it"))).mentions

    assert "film del 1990" in {one.description for one in mention.candidates}


async def test_domain_in_force_decides_between_kinds():
    (mention,) = (await made().link("I like Silent Harbour", Context(domain="music"))).mentions

    assert mention.accepted == HARBOUR_SONG.qid


async def test_what_was_mentioned_lately_wins_among_equals():
    (mention,) = (await made().link("I like Silent Harbour", Context(recent=(HARBOUR_1990.qid,)))).mentions

    assert mention.accepted == HARBOUR_1990.qid


async def test_positions_are_those_of_the_message():
    text = "🎬 I like  “Midnight Orchard” a lot"

    (mention,) = (await made().link(text, Context())).mentions

    assert text[mention.start : mention.end] == mention.text == "Midnight Orchard"


async def test_learned_entity_is_linked_at_once():
    linker = made()
    assert (await linker.link("I like Velvet Cartographer", Context())).mentions == ()

    linker.learn(UNKNOWN)

    (mention,) = (await linker.link("I like velvet cartografer", Context())).mentions
    assert mention.accepted == UNKNOWN.qid


async def test_unknown_title_is_looked_up_and_learned():
    lookup = Lookup(UNKNOWN, "Velvet Cartographer")
    linker = made(lookup)

    linking = await linker.link("I like Velvet Cartographer", Context())

    assert linking.learned == (UNKNOWN,)
    assert [mention.accepted for mention in linking.mentions] == [UNKNOWN.qid]
    assert (await linker.link("I like Velvet Cartographer", Context())).learned == ()
    assert lookup.asked == [("Velvet Cartographer",)]


async def test_title_found_under_a_name_that_is_no_alias_is_linked():
    linker = made(Lookup(UNKNOWN, "Il cartografo di velluto"))

    linking = await linker.link("mi piace Il cartografo di velluto", Context(language="it"))

    assert [mention.accepted for mention in linking.mentions] == [UNKNOWN.qid]


async def test_failed_lookup_is_noted():
    linking = await made(Lookup(failed=True)).link("I like Velvet Cartographer", Context())

    assert linking.notes == ("lookup_failed",)
    assert linking.mentions == ()


@pytest.mark.parametrize(
    "text", ["hello", "I love you", "skip", "I like Midnight Orchard", "show me my profile", "I like it", ""]
)
async def test_nothing_is_looked_up_when_nothing_is_missing(text):
    lookup = Lookup()

    await made(lookup).link(text, Context())

    assert lookup.asked == []


async def test_answer_is_not_looked_up():
    lookup = Lookup()
    context = Context(asked="item", options=("Velvet Cartographer (2026 film)", "Other (1999 film)"))

    linking = await made(lookup).link("velvet cartographer", context)

    assert linking.answer is not None
    assert lookup.asked == []


@pytest.mark.parametrize(
    "text", ["I like Тихая гавань", "静かな港", "I love 静かな港!", "тихая гавань", "أحب الميناء الهادئ"]
)
async def test_names_in_other_scripts(text):
    names = {"ru": "Тихая гавань", "ja": "静かな港", "ar": "الميناء الهادئ"}
    film = Entity("Q30", "Quiet Haven", "film", "movie", 1999, 0.5, labels=names)
    linker = CatalogueLinker(Catalogue((film,)), load_domains())

    assert [mention.accepted for mention in (await linker.link(text, Context())).mentions] == ["Q30"]


async def test_sequel_that_is_not_known_is_asked_about():
    (mention,) = (await made().link("I like Midnight Orchard 4", Context())).mentions

    assert mention.accepted is None
    assert [one.qid for one in mention.candidates] == [ORCHARD.qid]


async def test_nationality_of_an_author_becomes_the_authors():
    country = Entity("Q38", "Italy", "country", popularity=0.9)
    author = Entity("Q20", "Carla Verdi", "person", relations={"P27": ("Q38",)})
    book = Entity("Q21", "Winter Vineyard", "book", "book", 1980, 0.5, relations={"P50": ("Q20",)})
    linker = CatalogueLinker(Catalogue((country, author, book)), load_domains())

    (constraint,) = (await linker.link("a book by an Italian author", Context(domain="book"))).constraints

    assert (constraint.property, constraint.values) == ("P50", ("Q20",))
    assert constraint.text == "by an Italian author"


async def test_newer_means_newer_than_the_item_on_show():
    linking = await made().link("something newer", Context(shown=ORCHARD.qid))

    assert [(one.property, one.minimum) for one in linking.constraints] == [("year", 2002)]


async def test_new_preference_with_an_option_in_it_is_no_answer():
    context = Context(asked="role", options=("director", "actor"), recent=(BERG.qid,))

    other = await made().link("I like the director of Midnight Orchard", context)
    same = await made().link("Ludmilla Bergstrom as an actor", context)

    assert other.answer is None
    assert same.answer is not None
    assert same.answer.chosen == (1,)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.one_of(
        st.text(max_size=80),
        st.lists(
            st.sampled_from(WORDS),
            max_size=14,
        ).map(" ".join),
    ),
    options=st.lists(st.text(max_size=12), max_size=3),
)
async def test_any_text_is_linked_within_bounds(starter_linker, text, options):
    linking = await starter_linker.link(text, Context(options=tuple(options), asked="item"))

    for mention in linking.mentions:
        assert text[mention.start : mention.end] == mention.text
        assert 1 <= len(mention.candidates) <= MOST_CANDIDATES
        assert mention.accepted in {None, *(one.qid for one in mention.candidates)}
    assert all(one.start >= other.end for other, one in zip(linking.mentions, linking.mentions[1:], strict=False))
    if linking.answer is not None:
        assert all(0 <= chosen < len(options) for chosen in linking.answer.chosen)
    json.dumps([mention.text for mention in linking.mentions])


async def test_very_long_message_is_linked(starter_linker):
    linking = await starter_linker.link("I like Pulp Fiction. " + "blah " * 2_000, Context())

    assert linking.mentions[0].candidates[0].label == "Pulp Fiction"


@pytest.mark.parametrize(
    ("setting", "mentioned", "wanted"), [({}, 1, 1), ({"filterable": False}, 1, 0), ({"recognisable": False}, 0, 0)]
)
async def test_a_domain_file_says_which_properties_count(setting, mentioned, wanted):
    author = Entity("Q20", "Carla Verdi", "person", popularity=0.5)
    book = Entity("Q21", "Winter Vineyard", "book", "book", 1980, 0.5, relations={"P50": ("Q20",)})
    domains = dict(load_domains())
    properties = dict(domains["book"].properties)
    properties["P50"] = properties["P50"].model_copy(update=setting)
    domains["book"] = domains["book"].model_copy(update={"properties": properties})
    linker = CatalogueLinker(Catalogue((author, book)), domains)

    linking = await linker.link("a book by Carla Verdi", Context(domain="book"))

    assert len(linking.mentions) == mentioned
    assert len([one for one in linking.constraints if one.values == ("Q20",)]) == wanted


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("a film from the last five years", 2021),
        ("books of the past 10 years", 2016),
        ("something from the last couple of decades", 2006),
        ("films from this year", 2026),
        ("an album from this decade", 2020),
        ("un film degli ultimi dieci anni", 2016),
        ("un libro di quest'anno", 2026),
    ],
)
async def test_the_years_up_to_now(starter_linker: CatalogueLinker, text: str, least: int):
    linking = await starter_linker.link(text, Context())

    assert [(one.property, one.minimum, one.maximum) for one in linking.constraints] == [("year", least, None)]
    assert linking.item_reference is None


@pytest.mark.parametrize(
    ("text", "pid"),
    [
        ("another one by the same director", "P57"),
        ("what other films has she made", "P57"),
        ("anything else by him?", "P57"),
        ("with the same cast", "P161"),
        ("un altro film dello stesso regista", "P57"),
        ("I like him", None),
        ("who directed it?", None),
    ],
)
async def test_what_the_item_on_show_has_is_wanted_again(
    starter_linker: CatalogueLinker, catalogue: Catalogue, text: str, pid: str | None
):
    film = catalogue.get("Q104123")
    linking = await starter_linker.link(text, Context(shown=film.qid))

    asked = [(one.property, one.values) for one in linking.constraints]
    assert asked == ([] if pid is None else [(pid, film.relations[pid])])
