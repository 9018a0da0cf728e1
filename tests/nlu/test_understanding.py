"""Rules that join the recognisers, with the real linker and doubles for the two classifiers."""

from collections.abc import Mapping

import pytest

from data.catalogue import Catalogue
from data.errors import BackendError
from data.model import Polarity
from nlu.model import Context, IntentResult, Span
from nlu.understanding import Understander


class Intents:
    """Says what it is told to; without a word it cannot be reached."""

    def __init__(self, best: str | None, confidence: float = 0.9) -> None:
        self.best, self.confidence = best, confidence

    async def recognize(self, text: str) -> IntentResult:
        if self.best is None:
            raise BackendError("Rasa does not answer.")
        return IntentResult(((self.best, self.confidence), ("chitchat", 1 - self.confidence)))


class Sentiment:
    """Knows the polarity of some targets, and counts how often it is asked."""

    def __init__(self, signs: Mapping[str, Polarity] | None = None, overall: Polarity | None = None) -> None:
        self.signs, self.whole, self.calls = signs or {}, overall, 0

    def polarities(self, text: str, targets: tuple[Span, ...]) -> tuple[Polarity | None, ...]:
        self.calls += 1
        return tuple(self.signs.get(text[span.start : span.end]) for span in targets)

    def overall(self, text: str) -> Polarity | None:
        return self.whole


class Broken(Sentiment):
    """Cannot be used."""

    def polarities(self, text: str, targets: tuple[Span, ...]) -> tuple[Polarity | None, ...]:
        raise BackendError("Stanza cannot be used.")


def shown(catalogue: Catalogue) -> Context:
    return Context(shown=catalogue.items("movie")[0].qid)


async def test_bare_title_is_a_preference_without_polarity_whatever_the_classifier_says(linker):
    understander = Understander(Intents("chitchat"), linker, Sentiment({"Pulp Fiction": "+"}))

    understood = await understander.understand("Pulp Fiction", Context())

    assert understood.coarse_intent == "preference"
    assert understood.mentions[0].polarity is None


async def test_small_talk_does_not_swallow_a_preference(linker):
    understander = Understander(Intents("chitchat"), linker, Sentiment({"Pixar": "+"}))

    assert (await understander.understand("I love Pixar", Context())).coarse_intent == "preference"
    assert (await understander.understand("I love you", Context())).coarse_intent == "chitchat"


async def test_all_targets_are_scored_in_one_batch(linker, catalogue):
    sentiment = Sentiment({"it": "+", "director": "-", "Tom Cruise": "-"})
    understander = Understander(Intents("yes_but"), linker, sentiment)

    understood = await understander.understand("I like it, but not the director and Tom Cruise", shown(catalogue))

    assert sentiment.calls == 1
    assert understood.item_reference is not None
    assert understood.item_reference.polarity == "+"
    assert [one.polarity for one in understood.property_references] == ["-"]
    assert [mention.polarity for mention in understood.mentions] == ["-"]


@pytest.mark.parametrize(
    ("text", "intent"),
    [("why this?", "why"), ("is there a trailer of it?", "trailer"), ("who is in it?", "details")],
)
async def test_question_about_the_item_on_show(linker, catalogue, text, intent):
    understander = Understander(Intents("chitchat", 0.5), linker, Sentiment())

    assert (await understander.understand(text, shown(catalogue))).coarse_intent == intent
    assert (await understander.understand(text, Context())).coarse_intent == "chitchat"


async def test_improbable_intent_is_a_fallback_only_when_nothing_was_found(linker):
    understander = Understander(Intents("greet", 0.1), linker, Sentiment())

    assert (await understander.understand("blargh snork", Context())).coarse_intent == "fallback"
    assert (await understander.understand("movies before 1960", Context())).coarse_intent == "request_recommendation"


async def test_stray_answer_is_a_fallback_when_nothing_is_asked(linker):
    understander = Understander(Intents("inform", 0.95), linker, Sentiment())

    assert (await understander.understand("12345", Context())).coarse_intent == "fallback"
    assert (await understander.understand("12345", Context(asked="other"))).coarse_intent == "inform"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("movies by Stanley Kubrick", "request_recommendation"),
        ("not horror", "request_recommendation"),
        ("Stanley Kubrick", "preference"),
        ("horror", "preference"),
    ],
)
async def test_bare_conditions_are_a_request(linker, text, intent):
    assert (
        await Understander(Intents("inform"), linker, Sentiment()).understand(text, Context())
    ).coarse_intent == intent


async def test_example_makes_a_request(linker, catalogue):
    understander = Understander(Intents("yes_but"), linker, Sentiment())

    understood = await understander.understand("something like Inception but newer", shown(catalogue))

    assert understood.coarse_intent == "request_recommendation"
    assert [mention.example for mention in understood.mentions] == [True]
    assert [one.minimum for one in understood.constraints] == [2011]
    liked = await understander.understand("I like Inception", shown(catalogue))
    assert [mention.example for mention in liked.mentions] == [False]


async def test_unknown_name_is_no_opinion_on_the_item_on_show(linker, catalogue):
    understander = Understander(Intents("preference"), linker, Sentiment(overall="+"))

    understood = await understander.understand("I like Zorblax", shown(catalogue))

    assert understood.overall is None
    assert understood.unknown == ("Zorblax",)


async def test_fact_in_small_talk_is_no_preference(linker):
    understander = Understander(Intents("chitchat"), linker, Sentiment())

    assert (
        await understander.understand("I was on holiday in France, in Paris", Context())
    ).coarse_intent == "chitchat"
    assert (await understander.understand("Woody Allen is a great actor", Context())).coarse_intent == "preference"


async def test_answer_to_the_open_options_is_an_answer(linker):
    context = Context(asked="item", options=("Dune (2021 film)", "Dune (1984 film)"))
    understander = Understander(Intents("deny"), linker, Sentiment())

    understood = await understander.understand("the second one", context)

    assert understood.coarse_intent == "inform"
    assert understood.answer is not None
    assert understood.answer.chosen == (1,)


async def test_leaving_the_question_is_no_answer(linker):
    context = Context(asked="item", options=("Dune (2021 film)", "Dune (1984 film)"))

    understood = await Understander(Intents("skip"), linker, Sentiment()).understand("skip this one", context)

    assert understood.coarse_intent == "skip"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("skip", "skip"),
        ("Help!", "help"),
        ("grazie mille", "thanks"),
        ("I love Inception", "preference"),
        ("I like Tom Hanks", "preference"),
        ("gibberish of some sort", "fallback"),
    ],
)
async def test_without_classifier_commands_and_titles_are_understood(linker, text, intent):
    understood = await Understander(Intents(None), linker, Sentiment()).understand(text, Context())

    assert understood.coarse_intent == intent
    assert "intents_unavailable" in understood.notes


async def test_without_sentiment_the_polarity_is_left_open(linker):
    understood = await Understander(Intents("preference"), linker, Broken()).understand("I love Fargo", Context())

    assert understood.mentions[0].accepted is not None
    assert understood.mentions[0].polarity is None
    assert "sentiment_unavailable" in understood.notes


async def test_opinion_without_a_target_counts_when_an_item_is_on_show(linker, catalogue):
    understander = Understander(Intents("preference"), linker, Sentiment(overall="+"))

    assert (await understander.understand("loved every minute", shown(catalogue))).overall == "+"
    assert (await understander.understand("loved every minute", Context())).overall is None


@pytest.mark.parametrize(
    ("text", "intent", "kinds"),
    [
        ("suggest me a song", "request_recommendation", ("song",)),
        ("any good albums by Pink Floyd?", "request_recommendation", ("album",)),
        ("consigliami una canzone", "request_recommendation", ("song",)),
        ("suggest me some music", "request_recommendation", None),
        ("something like this song", "request_recommendation", None),
        ("great song!", "praise", None),
    ],
)
async def test_a_request_may_ask_for_a_kind(linker, text, intent, kinds):
    understood = await Understander(Intents(intent), linker, Sentiment()).understand(text, Context(domain="music"))

    assert next((one.values for one in understood.constraints if one.property == "kind"), None) == kinds
