import random
import re
from collections import Counter
from pathlib import Path

import pytest

from data.errors import DataError, MissingFileError
from nlu.sentiment.examples import balanced, own_examples, written_messages
from nlu.sentiment.grammar import Grammar, Instance, Sentence, marked, placed
from nlu.sentiment.masking import OTHER, TARGET, words
from nlu.sentiment.own_cases import held_out, instances, validation
from nlu.sentiment.phrases import TRAINING_FOLDER, Patterns, load_messages, load_phrases


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return Grammar(seed=3).sentences(scale=0.2)


def test_the_same_seed_makes_the_same_sentences(sentences: list[Sentence]) -> None:
    assert Grammar(seed=3).sentences(scale=0.2) == sentences
    assert Grammar(seed=4).sentences(scale=0.2) != sentences


def test_every_slot_has_a_polarity_and_every_example_its_target(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        examples = list(sentence.instances())
        assert len(examples) == len(sentence.labels)
        assert {example.label for example in examples} <= {"+", "-", "0"}
        if len(examples) > 1:
            assert all(TARGET in example.tokens and OTHER in example.tokens for example in examples)


def test_likes_and_dislikes_are_about_as_many(sentences: list[Sentence]) -> None:
    counts = Counter(label for sentence in sentences for label in sentence.labels)
    assert 0.8 < counts["+"] / counts["-"] < 1.25
    assert counts["0"] > 0.1 * counts["+"]


def test_a_contrast_gives_opposite_labels_to_its_two_targets() -> None:
    sentence = Sentence(f"{placed('I love X')} but {placed('X bored me', 1)}", ("+", "-"))
    assert list(sentence.instances()) == [
        Instance(("i", "love", TARGET, "but", OTHER, "bored", "me"), "+"),
        Instance(("i", "love", OTHER, "but", TARGET, "bored", "me"), "-"),
    ]


def test_what_is_held_out_is_in_no_training_sentence(sentences: list[Sentence]) -> None:
    trained = {example.tokens for sentence in sentences for example in sentence.instances()}
    trained |= {tuple(words(line.replace("X", TARGET))) for line in _all_phrases()}
    trained |= {example.tokens for example in written_messages(3)}
    kept = instances([*held_out(), *validation()])
    assert len(kept) == len(set(kept)) > 400
    assert not {example.tokens for example in kept} & trained


def test_no_message_repeats_a_held_out_expression() -> None:
    """Where a message and an expression hit on the same words, the message must go."""
    told = [" ".join(words(line)) for line in load_messages()]
    for case in held_out():
        (span,) = case.spans
        said = max(words(case.text[: span.start]), words(case.text[span.end :]), key=len)
        assert len(said) < 3 or not [line for line in told if " ".join(said) in line], case.text


def test_a_message_names_each_thing_in_brackets_and_tells_its_sign() -> None:
    sentence = marked("[Emma]+ is lovely, unlike [Taxi]-, have you seen [It]?")
    assert list(sentence.instances())[2] == Instance(
        (OTHER, "is", "lovely", ",", "unlike", OTHER, ",", "have", "you", "seen", TARGET), "0"
    )
    assert sentence.labels == ("+", "-", "0")


def test_messages_are_learned_as_written_and_as_typed_and_in_contrasts(tmp_path: Path) -> None:
    (tmp_path / "messages").mkdir()
    text = "kind: |\n  [Emma]+ made my whole week\n  never again [Taxi]-, never ever\n"
    (tmp_path / "messages" / "some.yaml").write_text(text, encoding="utf-8")
    for path in TRAINING_FOLDER.glob("*.yaml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    learned = Grammar(tmp_path, seed=1).messages(tmp_path, pairs=5)
    assert learned[0].labels == ("+",)
    assert len(learned) == 2 + 2 + 5
    assert all(len(set(sentence.labels)) == 2 for sentence in learned[4:])


def _all_phrases() -> list[str]:
    return [line for lines in load_phrases("clauses.yaml").values() for line in lines]


def test_validation_messages_are_masked_as_the_bot_masks() -> None:
    assert Instance(("hand", "on", "heart", ",", TARGET, "turned", "me", "into", "a", "puddle"), "+") in set(
        instances(validation())
    )


def test_every_pattern_is_about_one_thing() -> None:
    patterns = Patterns("expressions.yaml", TRAINING_FOLDER, random.Random(1))
    for lines in patterns.groups.values():
        for line in lines:
            for _ in range(5):
                assert len(re.findall(r"\bX\b|[()$|]", patterns.expand(line))) == 1, line


def test_patterns_stand_for_all_their_phrases(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("words:\n  pet: |\n    cat\n    dog\nany: |\n  (my|the) (old)? $pet\n")
    patterns = Patterns("p.yaml", tmp_path, random.Random(1))
    found = {patterns.expand(patterns.groups["any"][0]) for _ in range(200)}
    assert found == {f"{which} {age}{pet}" for which in ("my", "the") for age in ("", "old ") for pet in ("cat", "dog")}
    with pytest.raises(DataError, match="bird"):
        patterns.expand("a $bird")


def test_examples_are_not_repeated() -> None:
    examples = own_examples(seed=3)
    assert len(examples) == len(set(examples)) > 20000


def test_a_missing_or_broken_phrase_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"clauses\.yaml"):
        load_phrases("clauses.yaml", tmp_path)
    (tmp_path / "clauses.yaml").write_text("positive: [", encoding="utf-8")
    with pytest.raises(DataError, match=r"clauses\.yaml"):
        load_phrases("clauses.yaml", tmp_path)


def test_balancing_repeats_the_rarer_sign() -> None:
    many = [Instance((str(number),), "+") for number in range(50)]
    few = [Instance((str(number),), "-") for number in range(5)]
    counts = Counter(example.label for example in balanced([*many, *few], (20, 20), random.Random(1)))
    assert counts == {"+": 20, "-": 20}
