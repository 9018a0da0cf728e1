"""The model that ships, on sentences of our own."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from data.errors import DataError, MissingFileError
from data.model import Polarity
from nlu.model import Span
from nlu.sentiment import own_cases
from nlu.sentiment.card import MODELS_FOLDER, Thresholds
from nlu.sentiment.recognizer import StanzaSentimentRecognizer, decide


def marked(text: str) -> tuple[str, tuple[Span, ...], tuple[Polarity | None, ...]]:
    """Text, spans and polarities of a text in which "[name]+" is liked, "[name]-" disliked, "[name]?" neither."""
    case = own_cases.marked(text)
    return case.text, case.spans, case.polarities


PLAIN = [
    "I love [Spirited Away]+",
    "I really like [Ursula Le Guin]+",
    "[Blade Runner]+ is one of my favourite films",
    "i enjoyed [dune]+ a lot",
    "I hate [Grease]-",
    "I don't like [country music]-",
    "i dont like [westerns]-",
    "[Cats]- was terrible",
    "I can't stand [Coldplay]-",
    "not a fan of [musicals]-",
    "mi piace [Zerocalcare]+",
    "non mi piace [Fabio Volo]-",
]
CONTRAST = [
    "I love [Agatha Christie]+, but I don't like [Death on the Nile]-",
    "I hate [horror]- but I love [The Others]+",
    "[Alien]+ is great, although [Prometheus]- was a disappointment",
    "I like everything by [Tim Burton]+ except [Dumbo]-",
    "Neither [Saw]- nor [Hostel]- did anything for me",
    "I'd rather listen to [Nina Simone]+ than [Pitbull]-",
    "Anything but [Sharknado]-",
    "I like [Miles Davis]+ and [John Coltrane]+, but not [Kenny G]-",
    "adoro [Fellini]+ ma odio [i cinepanettoni]-",
]
WEAK = ["I prefer [Solaris]+ to [Gravity]-"]
SILENT = [
    "Have you seen [Jaws]??",
    "I watched [Heat]? yesterday",
    "Who directed [Heat]??",
    "I haven't read [Dune]? yet",
]
IDIOMS = [
    "[Twilight]- is not my cup of tea",
    "[Amélie]+ blew me away",
    "I couldn't put [Dracula]+ down",
    "[Avatar]- left me cold",
    "[Mamma Mia]+ is my guilty pleasure",
    "I fell asleep during [Noah]-",
]


@pytest.mark.parametrize("sentence", [*PLAIN, *CONTRAST, *SILENT, *IDIOMS])
def test_polarity_of_every_mention(sentiment: StanzaSentimentRecognizer, sentence: str) -> None:
    text, spans, signs = marked(sentence)
    assert sentiment.polarities(text, spans) == signs


@pytest.mark.parametrize("sentence", WEAK)
@pytest.mark.xfail(strict=True, reason="named as weak in docs/understanding-sentiment.md")
def test_what_is_known_to_be_missed(sentiment: StanzaSentimentRecognizer, sentence: str) -> None:
    text, spans, signs = marked(sentence)
    assert sentiment.polarities(text, spans) == signs


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("loved it!", "+"),
        ("what a great film", "+"),
        ("👍", "+"),
        ("not my thing", "-"),
        ("meh", "-"),
        ("it bored me to death", "-"),
        ("who directed it?", None),
        ("I haven't seen it", None),
        ("", None),
        ("   ", None),
    ],
)
def test_polarity_of_a_message_that_names_nothing(
    sentiment: StanzaSentimentRecognizer, text: str, sign: Polarity | None
) -> None:
    assert sentiment.overall(text) == sign


def test_words_that_point_to_the_item_are_targets_too(sentiment: StanzaSentimentRecognizer) -> None:
    text, spans, signs = marked("I like [it]+ but [the ending]- is awful")
    assert sentiment.polarities(text, spans) == signs


def test_without_targets_there_is_nothing_to_say(sentiment: StanzaSentimentRecognizer) -> None:
    assert sentiment.polarities("I love Alien", ()) == ()


@pytest.mark.parametrize("text", ["a" * 10000, "x " * 5000, "🎬🍿" * 500, "مرحبا", "<b>&amp;</b>", "\x00\x07"])
def test_odd_messages_are_read_without_complaint(sentiment: StanzaSentimentRecognizer, text: str) -> None:
    assert sentiment.overall(text) in {"+", "-", None}
    assert len(sentiment.polarities(text, (Span(0, 1), Span(1, 2)))) == 2


def test_a_mention_counts_the_same_beside_others_as_alone(sentiment: StanzaSentimentRecognizer) -> None:
    from nlu.sentiment.masking import mask

    text, spans, _ = marked("I love [Alien]+ but I hate [Prometheus]-")
    together = sentiment.probabilities([mask(text, spans, 0), mask(text, spans, 1)])
    alone = sentiment.probabilities([mask(text, spans, 1)])
    assert np.allclose(together[1], alone[0], atol=0.05)


def test_what_differs_in_names_only_is_read_once(
    sentiment: StanzaSentimentRecognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, spans, signs = marked("I adored [Alien]+ yet I loathed [Prometheus]-")
    assert sentiment.polarities(first, spans) == signs
    monkeypatch.setattr(sentiment, "_classifier", None)
    second, spans, signs = marked("I adored [Jackie Brown]+ yet I loathed [Jaws]-")
    assert sentiment.polarities(second, spans) == signs


def test_probabilities_become_a_polarity_only_when_clear() -> None:
    thresholds = Thresholds(none=0.6, margin=0.1)
    assert decide(np.array([0.1, 0.2, 0.7]), thresholds) == "+"
    assert decide(np.array([0.7, 0.2, 0.1]), thresholds) == "-"
    assert decide(np.array([0.1, 0.6, 0.3]), thresholds) is None
    assert decide(np.array([0.42, 0.1, 0.48]), thresholds) is None


def test_the_small_model_reads_plain_sentences() -> None:
    small = StanzaSentimentRecognizer(MODELS_FOLDER / "small")
    for sentence in ("I love [Alien]+", "I hate [Grease]-", "Who directed [Heat]??", "I watched [Heat]? yesterday"):
        text, spans, signs = marked(sentence)
        assert small.polarities(text, spans) == signs


@pytest.mark.xfail(strict=True, reason="named as weak in docs/understanding-sentiment.md")
def test_the_small_model_misses_an_indirect_question() -> None:
    text, spans, signs = marked("Have you seen [Jaws]??")
    assert StanzaSentimentRecognizer(MODELS_FOLDER / "small").polarities(text, spans) == signs


def test_a_model_with_a_replaced_file_is_refused(tmp_path: Path) -> None:
    shutil.copytree(MODELS_FOLDER / "small", tmp_path / "model")
    (tmp_path / "model" / "pretrain.pt").write_bytes(b"other vectors")
    with pytest.raises(DataError, match=r"pretrain\.pt"):
        StanzaSentimentRecognizer(tmp_path / "model")
    with pytest.raises(MissingFileError):
        StanzaSentimentRecognizer(tmp_path / "nothing")


@pytest.mark.parametrize("name", ["default", "small"])
def test_what_ships_is_small(name: str) -> None:
    assert sum(path.stat().st_size for path in (MODELS_FOLDER / name).iterdir()) <= 8_000_000
