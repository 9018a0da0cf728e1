"""Real training, a few steps of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.catalogue.catalogue import Catalogue
from data.errors import UsageError
from nlu.sentiment import reading
from nlu.sentiment.card import ModelCard, Thresholds
from nlu.sentiment.classifiers import probabilities, save
from nlu.sentiment.encoder import low_rank_state
from nlu.sentiment.examples import Sources
from nlu.sentiment.grammar import Instance
from nlu.sentiment.release import Release, choose, release
from nlu.sentiment.training import Material, Pass, Recipe, adapt

RATES = (1e-3, 1e-4)
TINY = Recipe(seed=5, rank=4, channels=8, passes=(Pass(96, 0, (0, 0), RATES), Pass(64, 0, (0, 0), RATES)))
READING = reading.Recipe(seed=5, hidden=8, channels=8, batch=16)
LIKED = Instance(("i", "adore", "target"), "+")
DISLIKED = Instance(("target", "was", "awful"), "-")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ModelCard, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("sentiment") / "model"
    seen: dict[str, Any] = {"progress": []}

    def trainer(material: Material, target: Path) -> str:
        own = [example for example in material.own if len(example.tokens) < 12][:160]
        few = Material(own, (), own[:20])
        adapter = low_rank_state(adapt(few, TINY, lambda share: None).bert_model)
        classifier = reading.train(few, adapter, READING, seen["progress"].append)
        seen["rows"] = probabilities(classifier, [LIKED, DISLIKED])
        save(classifier, adapter, target)
        return "all-MiniLM-L6-v2"

    card = release(folder, Release("tiny", "converse train sentiment", 5), Sources(), Catalogue(), trainer)
    return folder, card, seen


def test_what_is_saved_reads_like_what_was_trained(made: tuple[Path, ModelCard, dict[str, Any]]) -> None:
    from nlu.sentiment.recognizer import StanzaSentimentRecognizer

    folder, card, seen = made
    recognizer = StanzaSentimentRecognizer(folder)
    rows = recognizer.probabilities([list(LIKED.tokens), list(DISLIKED.tokens)])
    assert np.allclose(rows, seen["rows"], atol=0.05)  # what is saved is rounded, the encoder to 8 bits
    assert recognizer.card == card


def test_a_few_steps_already_tell_like_from_dislike(made: tuple[Path, ModelCard, dict[str, Any]]) -> None:
    liked, disliked = made[2]["rows"]
    assert liked[2] - liked[0] > disliked[2] - disliked[0]


def test_interrupted_training_goes_on_to_the_same_model(tmp_path: Path) -> None:
    own = [LIKED, DISLIKED] * 16
    recipe = Recipe(seed=5, rank=2, channels=4, passes=(Pass(32, 0, (0, 0), RATES),) * 2)

    class StoppedError(Exception):
        """Raised in the middle of the second pass."""

    def interrupt(share: float) -> None:
        if share > 0.5:
            raise StoppedError

    whole = adapt(Material(own, (), ()), recipe, lambda share: None)
    with pytest.raises(StoppedError):
        adapt(Material(own, (), ()), recipe, interrupt, tmp_path)
    resumed = adapt(Material(own, (), ()), recipe, lambda share: None, tmp_path)
    assert np.array_equal(probabilities(resumed, [LIKED, DISLIKED]), probabilities(whole, [LIKED, DISLIKED]))
    with pytest.raises(UsageError, match="another recipe"):
        adapt(Material(own, (), ()), TINY, lambda share: None, tmp_path)


def test_the_card_says_what_the_model_is(made: tuple[Path, ModelCard, dict[str, Any]]) -> None:
    folder, card, seen = made
    assert set(card.files) == {"classifier.pt", "pretrain.pt", "adapter.pt"}
    assert any(name.startswith("held-out expressions") for name in card.figures)
    assert (card.name, card.seed, card.encoder) == ("tiny", 5, "all-MiniLM-L6-v2")
    assert ModelCard.load(folder) == card
    assert seen["progress"] == sorted(seen["progress"])
    assert seen["progress"][-1] == 1.0


def test_thresholds_are_those_that_are_most_often_right() -> None:
    silent = Instance(("target",), "0")
    rows = {"a": np.array([[0.1, 0.55, 0.35], [0.1, 0.55, 0.35], [0.05, 0.75, 0.2]])}
    chosen = choose(rows, {"a": [LIKED, LIKED, silent]})
    assert 0.55 < chosen.none <= 0.75
    assert choose({"a": rows["a"][:2]}, {"a": [LIKED, LIKED]}) == Thresholds(none=0.9, margin=0.0)
